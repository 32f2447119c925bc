// Prints, as JSON, the calldata that @pancakeswap/smart-router builds for random v3 swaps through its SmartRouter, and its contract
// addresses. No network.
const { CurrencyAmount, ERC20Token, Native, Percent, TradeType } = require('@pancakeswap/sdk')
const { quoterV2ABI, TICK_SPACINGS } = require('@pancakeswap/v3-sdk')
const sdk = require('@pancakeswap/smart-router')
const random = require('./random.cjs')

const { big, address, whole } = random(20260106)
const coin = Native.onChain(56)
const tiers = [100, 500, 2500, 10000]

const swaps = Array.from({ length: 60 }, (_, number) => {
  const exact = number % 2 === 0 ? 'in' : 'out'
  const hops = 1 + whole(2)
  // The native coin is the first token, the last token, or absent.
  const native = [-1, 0, hops][whole(3)]
  const tokens = Array.from({ length: hops + 1 }, (_, at) =>
    at === native ? coin : new ERC20Token(56, address(), [6, 8, 18][whole(3)], 'T'),
  )
  const fees = Array.from({ length: hops }, () => tiers[whole(4)])
  const pools = fees.map((fee, at) => ({
    type: sdk.PoolType.V3,
    token0: tokens[at].wrapped,
    token1: tokens[at + 1].wrapped,
    fee,
    liquidity: 10n ** 18n,
    sqrtRatioX96: 2n ** 96n,
    tick: 0,
    address: address(),
  }))
  // At a high price impact the SDK also refunds unspent native coin for an exact input.
  const amountIn = 1_000n + big(110)
  const amountOut = (amountIn * BigInt(70 + whole(30))) / 100n
  const inputAmount = CurrencyAmount.fromRawAmount(tokens[0], amountIn)
  const outputAmount = CurrencyAmount.fromRawAmount(tokens[hops], amountOut)
  const trade = {
    tradeType: exact === 'in' ? TradeType.EXACT_INPUT : TradeType.EXACT_OUTPUT,
    inputAmount,
    outputAmount,
    routes: [{ type: sdk.RouteType.V3, pools, path: tokens, inputAmount, outputAmount, percent: 100 }],
  }
  const slippageTolerance = new Percent(1 + whole(5000), 10_000)
  const recipient = new ERC20Token(56, address(), 6, 'T').address
  const deadline = 1_700_000_000 + whole(1e8)
  const { calldata, value } = sdk.SwapRouter.swapCallParameters([trade], {
    slippageTolerance,
    recipient,
    deadlineOrPreviousBlockhash: deadline,
  })
  const [most, least] = [
    sdk.SmartRouter.maximumAmountIn(trade, slippageTolerance).quotient,
    sdk.SmartRouter.minimumAmountOut(trade, slippageTolerance).quotient,
  ]
  return {
    exact,
    recipient,
    deadline,
    amountIn: String(exact === 'in' ? amountIn : most),
    amountOut: String(exact === 'in' ? least : amountOut),
    path: { tokens: tokens.map((one) => one.wrapped.address), fees },
    isNativeIn: native === 0,
    isNativeOut: native === hops,
    value,
    data: calldata,
  }
})
const said = (abi) => abi.filter(({ type }) => type === 'function')
process.stdout.write(
  JSON.stringify({
    swaps,
    routers: sdk.SMART_ROUTER_ADDRESSES,
    quoters: sdk.V3_QUOTER_ADDRESSES,
    spacings: TICK_SPACINGS,
    abis: { router: said(sdk.SwapRouter.ABI), quoter: said(quoterV2ABI) },
  }),
)
