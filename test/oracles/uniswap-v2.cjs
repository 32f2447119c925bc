// Prints, as JSON, the calls that @uniswap/v2-sdk builds for random swaps through pairs with random reserves. No network.
const { CurrencyAmount, Ether, Percent, Token, TradeType, WETH9 } = require('@uniswap/sdk-core')
const { FACTORY_ADDRESS_MAP, INIT_CODE_HASH, Pair, Route, Router, Trade } = require('@uniswap/v2-sdk')
const random = require('./random.cjs')

const { big, address, whole } = random(20261127)
const chainId = 1
const token = () => new Token(chainId, address(), [6, 8, 18][whole(3)])
const pair = (a, b) => {
  const reserve = (of) => CurrencyAmount.fromRawAmount(of, (10n ** 24n + big(80)).toString())
  return new Pair(reserve(a), reserve(b))
}

const swaps = Array.from({ length: 120 }, (_, at) => {
  const exact = at % 2 === 0 ? 'in' : 'out'
  const coin = [null, 'in', 'out'][whole(3)]
  const hops = 1 + whole(2)
  const tokens = Array.from({ length: hops + 1 }, token)
  if (coin === 'in') tokens[0] = WETH9[chainId]
  if (coin === 'out') tokens[hops] = WETH9[chainId]
  const pairs = Array.from({ length: hops }, (_, i) => pair(tokens[i], tokens[i + 1]))
  const ends = [
    coin === 'in' ? Ether.onChain(chainId) : tokens[0],
    coin === 'out' ? Ether.onChain(chainId) : tokens[hops],
  ]
  const route = new Route(pairs, ...ends)
  const fixed = (10n ** 12n + big(60)).toString()
  const trade = new Trade(
    route,
    CurrencyAmount.fromRawAmount(ends[exact === 'in' ? 0 : 1], fixed),
    exact === 'in' ? TradeType.EXACT_INPUT : TradeType.EXACT_OUTPUT,
  )
  const slippageBps = 1 + whole(5000)
  const allowedSlippage = new Percent(slippageBps, 10_000)
  const recipient = address()
  const deadline = 1_700_000_000 + whole(1e8)
  const { methodName, args, value } = Router.swapCallParameters(trade, {
    allowedSlippage,
    recipient,
    deadline,
  })
  const text = (amount) => amount.quotient.toString()
  return {
    exact,
    coin,
    recipient,
    deadline,
    slippageBps,
    tokens: tokens.map(({ address: one }) => one),
    pairs: pairs.map(({ liquidityToken }) => liquidityToken.address),
    amountIn: text(trade.inputAmount),
    amountOut: text(trade.outputAmount),
    least: text(
      exact === 'in' ? trade.minimumAmountOut(allowedSlippage) : trade.maximumAmountIn(allowedSlippage),
    ),
    methodName,
    args,
    value,
  }
})
process.stdout.write(JSON.stringify({ factories: FACTORY_ADDRESS_MAP, initCodeHash: INIT_CODE_HASH, swaps }))
