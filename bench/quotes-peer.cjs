// The best Uniswap v3 pool for a pair, read as in the guide of @uniswap/v3-sdk: the state of each pool, then the quoter.
const { CurrencyAmount, Token, TradeType } = require('@uniswap/sdk-core')
const { Pool, Route, SwapQuoter } = require('@uniswap/v3-sdk')

const { rpcUrl, chainId, factory, quoter, tokenIn, tokenOut, feeTiers, amountIn } = JSON.parse(
  process.argv[2],
)
const call = async (to, data) => {
  const params = [{ to, data }, 'latest']
  const answer = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params }),
  })
  const { result = '0x' } = await answer.json()
  return (
    result
      .slice(2)
      .match(/.{64}/g)
      ?.map((word) => BigInt(`0x${word}`)) ?? []
  )
}
const [from, to] = [tokenIn, tokenOut].map(({ address, decimals }) => new Token(chainId, address, decimals))

async function quoteOf(fee) {
  const address = Pool.getAddress(from, to, fee, undefined, factory)
  // slot0() and liquidity()
  const [[price, tick], [liquidity]] = await Promise.all([
    call(address, '0x3850c7bd'),
    call(address, '0x1a686502'),
  ])
  if (!price || !liquidity) return 0n
  const pool = new Pool(from, to, fee, String(price), String(liquidity), Number(BigInt.asIntN(24, tick)))
  const amount = CurrencyAmount.fromRawAmount(from, amountIn)
  const route = new Route([pool], from, to)
  const { calldata } = SwapQuoter.quoteCallParameters(route, amount, TradeType.EXACT_INPUT, {
    useQuoterV2: true,
  })
  const [amountOut = 0n] = await call(quoter, calldata)
  return amountOut
}

Promise.all(feeTiers.map(quoteOf)).then((all) => {
  process.stdout.write(
    JSON.stringify({ amountOut: String(all.reduce((best, one) => (one > best ? one : best))) }),
  )
})
