// Prints, as JSON, the calldata that @balancer/sdk builds for random swaps through the Vault of Balancer v2, and its contract addresses.
// No network: the result of the query is given.
const sdk = require('@balancer/sdk')
const random = require('./random.cjs')

const { big, address, whole } = random(20260105)
const hex = (digits) => Array.from({ length: digits }, () => whole(16).toString(16)).join('')

const swaps = Array.from({ length: 40 }, (_, number) => {
  const exact = number % 2 === 0 ? 'in' : 'out'
  const swapKind = exact === 'in' ? sdk.SwapKind.GivenIn : sdk.SwapKind.GivenOut
  const hops = 1 + (whole(2) || whole(2))
  const wrapped = sdk.NATIVE_ASSETS[1].wrapped
  // The wrapped native coin is the first token, the last token, or absent.
  const native = [-1, 0, hops][whole(3)]
  const tokens = Array.from({ length: hops + 1 }, (_, at) => ({
    address: at === native ? wrapped : address(),
    decimals: at === native ? 18 : [6, 8, 18][whole(3)],
  }))
  const pools = Array.from({ length: hops }, () => `0x${hex(64)}`)
  const [inputAmountRaw, outputAmountRaw] = [big(110), big(110)]
  const path = { tokens, pools, inputAmountRaw, outputAmountRaw, protocolVersion: 2 }
  const swap = new sdk.Swap({ chainId: 1, paths: [path], swapKind })
  const [sender, recipient] = [address(), address()]
  const deadline = 1_700_000_000 + whole(1e8)
  const queryOutput =
    exact === 'in'
      ? { swapKind, expectedAmountOut: swap.outputAmount, amountIn: swap.inputAmount }
      : { swapKind, expectedAmountIn: swap.inputAmount, amountOut: swap.outputAmount }
  const slippage = sdk.Slippage.fromBasisPoints(String(1 + whole(5000)))
  const wethIsEth = native !== -1
  const made = swap.buildCall({
    slippage,
    sender,
    recipient,
    deadline: BigInt(deadline),
    queryOutput,
    wethIsEth,
  })
  return {
    exact,
    path: { tokens: tokens.map((one) => one.address), pools },
    sender,
    recipient,
    deadline,
    amountIn: String(exact === 'in' ? inputAmountRaw : made.maxAmountIn.amount),
    amountOut: String(exact === 'in' ? made.minAmountOut.amount : outputAmountRaw),
    isNativeIn: native === 0,
    isNativeOut: native === hops,
    ...(hops > 1 && { query: swap.queryCallData() }),
    to: made.to,
    value: String(made.value),
    data: made.callData,
  }
})
process.stdout.write(JSON.stringify({ swaps, vaults: sdk.VAULT_V2, queries: sdk.BALANCER_QUERIES }))
