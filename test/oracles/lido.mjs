// Prints, as JSON, the calldata that @lidofinance/lido-ethereum-sdk builds for random inputs. No network: its few calls are answered here.
import { createRequire } from 'node:module'
import { LidoSDK } from '@lidofinance/lido-ethereum-sdk'
import {
  createPublicClient,
  custom,
  encodeAbiParameters,
  getAddress,
  parseAbi,
  toFunctionSelector,
} from 'viem'
import { mainnet } from 'viem/chains'

const random = createRequire(import.meta.url)('./random.cjs')
const { big, address, next } = random(20260301)

const places = {
  'function lido() view returns (address)': '0xae7ab96520DE3A18E5e111B5EaAb095312D7fE84',
  'function withdrawalQueue() view returns (address)': '0x889edC2eDab5f40e902b864aD4d7AdE8E412F9B1',
  'function wstETH() view returns (address)': '0x7f39C581F595B53c5cb19bD0b3f8dA6c935E2Ca0',
}
const answers = new Map(
  Object.entries(places).map(([signature, place]) => [
    toFunctionSelector(parseAbi([signature])[0]),
    encodeAbiParameters([{ type: 'address' }], [place]),
  ]),
)
const request = async ({ method, params }) => {
  if (method === 'eth_chainId') return '0x1'
  if (method === 'eth_estimateGas') return '0x186a0'
  if (method === 'eth_getBlockByNumber')
    return { number: '0x1', timestamp: '0x65000000', baseFeePerGas: '0x1' }
  const said = method === 'eth_call' ? answers.get(params[0].data) : undefined
  if (said) return said
  throw new Error(`offline: ${method} ${JSON.stringify(params)}`)
}
const rpcProvider = createPublicClient({ chain: mainnet, transport: custom({ request }) })
const sdk = new LidoSDK({ chainId: 1, rpcProvider, logMode: 'none' })
const plain = ({ to, data, value }) => ({ to, data, value: String(value ?? 0n) })

const stakes = []
for (let at = 0; at < 50; at++) {
  const account = getAddress(address())
  const value = big(64)
  const steth = await sdk.stake.stakeEthPopulateTx({ value, account })
  const wsteth = await sdk.wrap.wrapEthPopulateTx({ value, account })
  stakes.push({ account, amount: String(value), stETH: plain(steth), wstETH: plain(wsteth) })
}

const requests = []
for (let at = 0; at < 100; at++) {
  const account = getAddress(address())
  const token = at % 2 === 0 ? 'stETH' : 'wstETH'
  const amount = 100n + big(66)
  const tx = await sdk.withdraw.request.requestWithdrawalPopulateTx({
    requests: [amount],
    token,
    receiver: account,
    account,
  })
  requests.push({ account, token, amount: String(amount), ...plain(tx) })
}

const claims = []
for (let at = 0; at < 100; at++) {
  const account = getAddress(address())
  const ids = Array.from({ length: 1 + Math.floor(next() * 5) }, () => big(40)).sort((a, b) =>
    a < b ? -1 : 1,
  )
  const hints = ids.map(() => big(20))
  const tx = await sdk.withdraw.claim.claimRequestsPopulateTx({ requestsIds: ids, hints, account })
  claims.push({ ids: ids.map(String), hints: hints.map(String), ...plain(tx) })
}

process.stdout.write(JSON.stringify({ stakes, requests, claims }))
