import type { Address } from '../../../src/domain/address.ts'
import { nonceAt, type SimBlock, type SimChain, type SimTransaction } from './chain.ts'

/** What a node shows of a chain. */
export type SimView = Pick<SimChain, 'blocks' | 'pool' | 'blocksOf' | 'isOn' | 'receive' | 'weather'>

/** What a node may show instead of the chain, from a height on. */
export const lies = [
  'own blocks',
  'early blocks',
  'wrong status',
  'invented receipt',
  'withheld transaction',
  'blocks to come',
  'used nonce',
  'used nonce with owner',
] as const
export type Lie = (typeof lies)[number]

/** A lie about one wallet: from a height on, or about a nonce; `more` is the number of blocks to come. */
export type Lying = { lie: Lie; from: number; wallet: Address; nonce: number; more: number }

type Entry = SimBlock['transactions'][number]

const isOurs = ({ signature }: SimTransaction): boolean => signature !== undefined

const viewOf = (
  { receive, weather }: SimChain,
  blocks: readonly SimBlock[],
  pool: SimTransaction[],
): SimView => ({
  blocks,
  receive,
  weather,
  pool: () => pool,
  blocksOf: (hash) =>
    blocks.filter(({ transactions }) => transactions.some(({ transaction }) => transaction.hash === hash)),
  isOn: (block) => blocks[block.number] === block,
})

/** The view of a node that is some blocks behind; what it lacks in blocks still waits in its pool. */
export function laggingView(chain: SimChain, lag: number): SimView {
  if (lag === 0) return chain
  const top = Math.max(1, chain.blocks.length - lag)
  const missed = chain.blocks.slice(top).flatMap(({ transactions }) => transactions)
  return viewOf(chain, chain.blocks.slice(0, top), [
    ...missed.map(({ transaction }) => transaction),
    ...chain.pool(),
  ])
}

const ownHash = ({ hash }: SimBlock, transactions: readonly Entry[]): SimBlock['hash'] =>
  `0x0b${transactions.length.toString(16).padStart(2, '0')}${hash.slice(6)}`

const withNonce = ({ nonces }: SimBlock, wallet: Address, least: number): SimBlock['nonces'] => {
  const account = wallet.toLowerCase()
  return new Map(nonces).set(account, Math.max(nonces.get(account) ?? 0, least))
}

/** The view of a node that lies. */
export function lyingView(chain: SimChain, lying: Lying): SimView {
  const { lie, from } = lying
  const changed = (change: (block: SimBlock) => SimBlock): SimBlock[] =>
    chain.blocks.map((block) => (block.number < from ? block : change(block)))
  switch (lie) {
    case 'own blocks':
      return viewOf(
        chain,
        changed((block) => ({ ...block, hash: ownHash(block, block.transactions) })),
        chain.pool(),
      )
    case 'wrong status':
      return viewOf(
        chain,
        changed((block) => ({
          ...block,
          transactions: block.transactions.map(({ transaction, ok }) => ({
            transaction,
            ok: isOurs(transaction) ? !ok : ok,
          })),
        })),
        chain.pool(),
      )
    case 'withheld transaction':
      return viewOf(
        chain,
        changed((block) => ({
          ...block,
          transactions: block.transactions.filter(({ transaction }) => !isOurs(transaction)),
        })),
        chain.pool().filter((one) => !isOurs(one)),
      )
    case 'early blocks':
    case 'invented receipt':
      return viewWithMinedPool(chain, lying)
    case 'blocks to come':
      return viewOf(chain, withBlocksToCome(chain, lying.more), chain.pool())
    default:
      return viewWithUsedNonce(chain, lying)
  }
}

/** What waits in the pool counts as mined in the first block of the lie: in a block of its own, or in the one of the chain. */
function viewWithMinedPool(chain: SimChain, { lie, from, wallet }: Lying): SimView {
  const early = chain
    .pool()
    .filter(isOurs)
    .toSorted((a, b) => a.nonce - b.nonce)
    .map((transaction) => ({ transaction, ok: true }))
  const least = Math.max(0, ...early.map(({ transaction }) => transaction.nonce + 1))
  const blocks = chain.blocks.map((block) => {
    if (block.number < from) return block
    const transactions = block.number === from ? [...block.transactions, ...early] : block.transactions
    const hash = lie === 'early blocks' ? ownHash(block, transactions) : block.hash
    return { ...block, hash, transactions, nonces: withNonce(block, wallet, least) }
  })
  return viewOf(
    chain,
    blocks,
    chain.pool().filter((one) => !isOurs(one)),
  )
}

/** The time between two blocks to come, in ms. */
const toComeMs = 600_000

function withBlocksToCome({ blocks }: SimChain, more: number): SimBlock[] {
  const head = blocks.at(-1)!
  const toCome = Array.from({ length: more }, (_, at) => ({
    ...head,
    number: head.number + 1 + at,
    hash: `0x0c${(at + 1).toString(16).padStart(4, '0')}${head.hash.slice(8)}` as const,
    time: head.time + (at + 1) * toComeMs,
    transactions: [],
  }))
  return [...blocks, ...toCome]
}

/** A nonce of the wallet counts as used by another transaction, which is named or not. */
function viewWithUsedNonce(chain: SimChain, { lie, from, wallet, nonce }: Lying): SimView {
  const isOther = (transaction: SimTransaction) => !(isOurs(transaction) && transaction.nonce === nonce)
  const user: SimTransaction = {
    hash: `0x${'0d'.repeat(31)}${(nonce % 256).toString(16).padStart(2, '0')}`,
    from: wallet,
    to: `0x${'99'.repeat(20)}`,
    data: '0x',
    value: 1n,
    nonce,
    gas: 21_000n,
    maxFeePerGas: 10n ** 11n,
    maxPriorityFeePerGas: 10n ** 9n,
  }
  const isNamed = lie === 'used nonce with owner'
  const blocks = chain.blocks.map((block) => {
    if (block.number < from) return block
    const rest = block.transactions.filter(({ transaction }) => isOther(transaction))
    const transactions = isNamed && block.number === from ? [...rest, { transaction: user, ok: true }] : rest
    const hash = isNamed ? ownHash(block, transactions) : block.hash
    return { ...block, hash, transactions, nonces: withNonce(block, wallet, nonce + 1) }
  })
  return viewOf(chain, blocks, chain.pool().filter(isOther))
}

/** The lowest nonce of a wallet that waits in the pool, signed here; `undefined` if none does. */
export function waitingNonce(chain: SimChain, wallet: Address): number | undefined {
  const next = nonceAt(chain.blocks.at(-1)!, wallet)
  return chain.pool().some((one) => isOurs(one) && one.nonce === next) ? next : undefined
}
