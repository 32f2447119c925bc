import type { ChainClient } from '../src/chain/chain-client.ts'
import { type Address, type Hex, sameAddress } from '../src/domain/address.ts'
import type { StrategyEntry } from '../src/protocols/catalog-types.ts'

/**
 * The result of a market for a wallet: the remaining principal, the realised profit, all events, oldest first, and `taken`: what was taken
 * out less what was put in, now and at most.
 */
export type Replay = {
  principal: bigint
  realised: bigint
  events: string[]
  taken: { now: bigint; most: bigint }
}

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
 * Derives the same history in another way: from the transfers of the two tokens instead of the events of the market. An asset transfer
 * between the wallet and the market is a deposit or a withdrawal; a receipt transfer between two accounts is sent or
 * received at the contract's value in that block; and an empty receipt balance starts the history again.
 */
export async function replay(rpc: ChainClient, entry: StrategyEntry, wallet: Address): Promise<Replay> {
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
  for (const { address, topics, data, blockNumber: block, transactionHash: hash } of all) {
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
    // Compound v3 burns sent and mints received tokens; then no asset moves in the same transaction.
    const isGift =
      constants.family === 'compound-v3' &&
      !all.some((one) => one.transactionHash === hash && sameAddress(one.address, asset.address))
    if (!(isBetween || isGift) || from === to || value === 0n) continue
    const amount = await worthAt(rpc, entry, value, block)
    found.push({ block, sign, amount, what: sign === 1n ? 'transfer_in' : 'transfer_out' })
  }
  let [principal, realised] = [0n, 0n]
  const taken = { now: 0n, most: 0n }
  for (const [at, { block, sign, amount }] of found.entries()) {
    taken.now -= sign * amount
    if (taken.now > taken.most) taken.most = taken.now
    principal += sign * amount
    if (sign === 1n) continue
    if (principal < 0n) {
      realised -= principal
      principal = 0n
    }
    const before = found.slice(0, at).filter((one) => one.block === block)
    const isLast = found[at + 1]?.block !== block
    const left = isLast
      ? await asked(rpc, receipt.address, selectors.balance, BigInt(wallet), block)
      : await leftIn(rpc, entry, wallet, {
          block,
          moved: before.reduce((sum, one) => sum + one.sign * one.amount, -amount),
        })
    if (left > (isLast ? 0n : 50n)) continue
    realised -= principal
    principal = 0n
  }
  return {
    principal,
    realised,
    taken,
    events: found.map(({ what, amount }) => `${what} ${amount}`),
  }
}

/** The value left within a block: the balance of the block before, at the time of this block, plus the transfers so far. */
async function leftIn(
  rpc: ChainClient,
  entry: StrategyEntry,
  wallet: Address,
  { block, moved }: { block: Hex; moved: bigint },
): Promise<bigint> {
  const { timestamp: time } = await rpc.request<{ timestamp: Hex }>('eth_getBlockByNumber', [block, false])
  const parent: Hex = `0x${(BigInt(block) - 1n).toString(16)}`
  const data = `${selectors.balance}${BigInt(wallet).toString(16).padStart(64, '0')}`
  const to = entry.receipt.address
  const held = BigInt(await rpc.request<Hex>('eth_call', [{ to, data }, parent, {}, { time }]))
  return (await worthAt(rpc, entry, held, block)) + moved
}

/** The value of receipt shares in a block, according to the market. */
export async function worthAt(
  rpc: ChainClient,
  { constants, asset, receipt }: StrategyEntry,
  shares: bigint,
  block: Hex | 'latest',
): Promise<bigint> {
  if (constants.family === 'aave-v3' || constants.family === 'compound-v3') return shares
  if (constants.family !== 'across') return asked(rpc, receipt.address, selectors.worth, shares, block)
  const rate = await asked(rpc, constants.hubPool, selectors.rate, BigInt(asset.address), block)
  return (shares * rate) / 10n ** 18n
}

async function asked(
  rpc: ChainClient,
  to: Address,
  selector: string,
  word: bigint,
  block: Hex | 'latest',
): Promise<bigint> {
  const data = `${selector}${word.toString(16).padStart(64, '0')}`
  return BigInt(await rpc.request<Hex>('eth_call', [{ to, data }, block]))
}
