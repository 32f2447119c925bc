// Prints, as JSON, the calldata that @uniswap/router-sdk and @uniswap/v3-sdk build for random swaps. No network.
const { CurrencyAmount, Percent, Token, TradeType } = require('@uniswap/sdk-core')
const {
  FeeAmount,
  Pool,
  Route,
  TICK_SPACINGS,
  TickMath,
  Trade,
  encodeRouteToPath,
  nearestUsableTick,
} = require('@uniswap/v3-sdk')
const { SwapRouter } = require('@uniswap/router-sdk')
const random = require('./random.cjs')

const { big, address, whole } = random(20260102)
const fees = [FeeAmount.LOWEST, FeeAmount.LOW, FeeAmount.MEDIUM, FeeAmount.HIGH]
const token = (decimals) => new Token(8453, address(), decimals)
const pool = (a, b, fee) => {
  const tick = (at, net) => ({
    index: nearestUsableTick(at, TICK_SPACINGS[fee]),
    liquidityNet: net,
    liquidityGross: '1000000000000000000',
  })
  const ticks = [
    tick(TickMath.MIN_TICK, '1000000000000000000'),
    tick(TickMath.MAX_TICK, '-1000000000000000000'),
  ]
  return new Pool(a, b, fee, TickMath.getSqrtRatioAtTick(0).toString(), '1000000000000000000', 0, ticks)
}

const swaps = Array.from({ length: 150 }, (_, at) => {
  const exact = at % 2 === 0 ? 'in' : 'out'
  const hops = 1 + whole(3)
  const tokens = Array.from({ length: hops + 1 }, () => token([6, 8, 18][whole(3)]))
  const tiers = Array.from({ length: hops }, () => fees[whole(4)])
  const route = new Route(
    tiers.map((fee, i) => pool(tokens[i], tokens[i + 1], fee)),
    tokens[0],
    tokens[hops],
  )
  const [amountIn, amountOut] = [big(120), big(120)]
  const slippageBps = 1 + whole(5000)
  const recipient = token(6).address
  const deadline = 1_700_000_000 + whole(1e8)
  const trade = Trade.createUncheckedTrade({
    route,
    inputAmount: CurrencyAmount.fromRawAmount(tokens[0], amountIn.toString()),
    outputAmount: CurrencyAmount.fromRawAmount(tokens[hops], amountOut.toString()),
    tradeType: exact === 'in' ? TradeType.EXACT_INPUT : TradeType.EXACT_OUTPUT,
  })
  const slippageTolerance = new Percent(slippageBps, 10_000)
  const { calldata, value } = SwapRouter.swapCallParameters([trade], {
    slippageTolerance,
    recipient,
    deadlineOrPreviousBlockhash: deadline,
  })
  return {
    exact,
    recipient,
    deadline,
    slippageBps,
    amountIn: amountIn.toString(),
    amountOut: amountOut.toString(),
    path: { tokens: tokens.map(({ address: one }) => one), fees: tiers },
    packed: encodeRouteToPath(route, exact === 'out'),
    data: calldata,
    value,
    least:
      exact === 'in'
        ? trade.minimumAmountOut(slippageTolerance).quotient.toString()
        : trade.maximumAmountIn(slippageTolerance).quotient.toString(),
  }
})
process.stdout.write(JSON.stringify({ swaps }))
