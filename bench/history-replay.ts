import type { Address, Hex } from '../src/domain/address.ts'
import type { StrategyEntry } from '../src/domain/catalog.ts'
import type { Rpc } from '../src/net/rpc.ts'

/** What a market was for a wallet: what is still in there of what was put in, and all that happened, oldest first. */
export type Replay = { principal: bigint; events: string[] }

const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
/** `convertToAssets(uint256)`, `exchangeRateCurrent(address)` of a HubPool, and `balanceOf(address)`. */
const selectors = { worth: '0x07a2d13a', rate: '0xe0f339e3', balance: '0x70a08231' }

type Log = {
  address: Address
  topics: Hex[]
  data: Hex
  blockNumber: Hex
  logIndex: Hex
  transactionHash: Hex
}

/**
 * The same history by another way: not off the events of the market but off the movements of the two tokens. What the asset shows
 * between the wallet and the place where the market keeps it went in or came out; what the receipt shows between two people was given or
 * received, at what the contract says it was worth in that block; and where nothing of the receipt is left, it begins anew.
 */
export async function replay(rpc: Rpc, entry: StrategyEntry, wallet: Address): Promise<Replay> {
  const { constants, asset, receipt } = entry
  const keeper = constants.family === 'across' ? constants.hubPool : receipt.address
  const all = await rpc.request<Log[]>('eth_getLogs', [
    {
      address: [asset.address, receipt.address],
      topics: [transferTopic],
      fromBlock: '0x0',
      toBlock: 'latest',
    },
  ])
  const me = wallet.toLowerCase()
  const found: { block: Hex; sign: 1n | -1n; amount: bigint; what: string }[] = []
  for (const { address, topics, data, blockNumber: block } of all) {
    const [from, to] = [topics[1]!, topics[2]!].map((topic) => `0x${topic.slice(26)}`.toLowerCase())
    const value = BigInt(data)
    if (from !== me && to !== me) continue
    const sign = to === me ? 1n : -1n
    if (address.toLowerCase() === asset.address.toLowerCase()) {
      const other = sign === 1n ? from : to
      if (other !== keeper.toLowerCase()) continue
      found.push({
        block,
        sign: sign === 1n ? -1n : 1n,
        amount: value,
        what: sign === 1n ? 'withdraw' : 'deposit',
      })
      continue
    }
    const isBetween = BigInt(from!) !== 0n && BigInt(to!) !== 0n
    if (!isBetween || from === to || value === 0n) continue
    const amount = await worthAt(rpc, entry, value, block)
    found.push({ block, sign, amount, what: sign === 1n ? 'transfer_in' : 'transfer_out' })
  }
  let principal = 0n
  for (const { block, sign, amount } of found) {
    principal += sign * amount
    if (sign === -1n && (await asked(rpc, receipt.address, selectors.balance, BigInt(wallet), block)) === 0n)
      principal = 0n
  }
  return {
    principal: principal < 0n ? 0n : principal,
    events: found.map(({ what, amount }) => `${what} ${amount}`),
  }
}

/** What so much of the receipt is worth in a block, by the market's own word. */
export async function worthAt(
  rpc: Rpc,
  { constants, asset, receipt }: StrategyEntry,
  shares: bigint,
  block: Hex | 'latest',
): Promise<bigint> {
  if (constants.family === 'aave-v3') return shares
  if (constants.family !== 'across') return asked(rpc, receipt.address, selectors.worth, shares, block)
  const rate = await asked(rpc, constants.hubPool, selectors.rate, BigInt(asset.address), block)
  return (shares * rate) / 10n ** 18n
}

async function asked(
  rpc: Rpc,
  to: Address,
  selector: string,
  word: bigint,
  block: Hex | 'latest',
): Promise<bigint> {
  const data = `${selector}${word.toString(16).padStart(64, '0')}`
  return BigInt(await rpc.request<Hex>('eth_call', [{ to, data }, block]))
}
