// Prints, as JSON, the calldata that @uniswap/universal-router-sdk and @uniswap/v4-sdk build for random swaps through the Universal Router 2.0.
// No network.
const { CurrencyAmount, Ether, Percent, Token, TradeType } = require('@uniswap/sdk-core')
const { Actions, Pool, Route, Trade, URVersion, V4Planner } = require('@uniswap/v4-sdk')
const { CommandType, RoutePlanner, SwapRouter } = require('@uniswap/universal-router-sdk')
const random = require('./random.cjs')

const { big, address, whole } = random(20260104)
const nobody = '0x0000000000000000000000000000000000000000'
const caller = '0x0000000000000000000000000000000000000001'
const tiers = [
  [100, 1],
  [500, 10],
  [3000, 60],
  [10000, 200],
]
const coin = Ether.onChain(8453)
const at = (currency) => (currency.isNative ? nobody : currency.address)
const pool = (a, b, [fee, spacing]) =>
  new Pool(a, b, fee, spacing, nobody, (2n ** 96n).toString(), '1000000', 0)

const swaps = Array.from({ length: 60 }, (_, number) => {
  const exact = number % 2 === 0 ? 'in' : 'out'
  const hops = 1 + whole(3)
  // The native coin is at one position of the path, or absent.
  const native = whole(4) === 0 ? -1 : whole(hops + 1)
  const tokens = Array.from({ length: hops + 1 }, (_, i) =>
    i === native ? coin : new Token(8453, address(), [6, 8, 18][whole(3)]),
  )
  const chosen = Array.from({ length: hops }, () => tiers[whole(4)])
  const route = new Route(
    chosen.map((tier, i) => pool(tokens[i], tokens[i + 1], tier)),
    tokens[0],
    tokens[hops],
  )
  const [amountIn, amountOut] = [big(110), big(110)]
  const slippage = new Percent(1 + whole(5000), 10_000)
  const recipient = new Token(8453, address(), 6).address
  const deadline = 1_700_000_000 + whole(1e8)
  const trade = Trade.createUncheckedTrade({
    route,
    inputAmount: CurrencyAmount.fromRawAmount(tokens[0], amountIn.toString()),
    outputAmount: CurrencyAmount.fromRawAmount(tokens[hops], amountOut.toString()),
    tradeType: exact === 'in' ? TradeType.EXACT_INPUT : TradeType.EXACT_OUTPUT,
  })
  const most = trade.maximumAmountIn(slippage).quotient.toString()
  const least = trade.minimumAmountOut(slippage).quotient.toString()
  const plan = new V4Planner().addTrade(trade, slippage, undefined, URVersion.V2_0)
  const [first, last] = [at(tokens[0]), at(tokens[hops])]
  if (exact === 'in') plan.addAction(Actions.SETTLE, [first, amountIn.toString(), true])
  else plan.addAction(Actions.SETTLE_ALL, [first, most])
  plan.addAction(Actions.TAKE, [last, recipient, exact === 'in' ? 0 : amountOut.toString()])
  const routes = new RoutePlanner()
  routes.addCommand(CommandType.V4_SWAP, [plan.finalize()])
  if (exact === 'out' && tokens[0].isNative) routes.addCommand(CommandType.SWEEP, [nobody, caller, 0])
  const data = SwapRouter.INTERFACE.encodeFunctionData('execute(bytes,bytes[],uint256)', [
    routes.commands,
    routes.inputs,
    deadline,
  ])
  return {
    exact,
    recipient,
    deadline,
    amountIn: exact === 'in' ? amountIn.toString() : most,
    amountOut: exact === 'in' ? least : amountOut.toString(),
    path: { tokens: tokens.map(at), fees: chosen.map(([fee]) => fee) },
    pools: route.pools.map(({ poolId }) => poolId),
    isNativeIn: tokens[0].isNative,
    isNativeOut: tokens[hops].isNative,
    data,
  }
})
process.stdout.write(JSON.stringify({ swaps }))
