import type { Address, Hex } from '../../../src/domain/address.ts'

/** A transaction of the model; it has a signature if it was sent signed. */
export type SimTransaction = {
  hash: Hex
  from: Address
  to: Address
  data: Hex
  value: bigint
  nonce: number
  gas: bigint
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
  signature?: { r: Hex; s: Hex; yParity: number }
}

/** A block, on the chain or on an abandoned branch. */
export type SimBlock = {
  number: number
  hash: Hex
  time: number
  baseFee: bigint
  transactions: { transaction: SimTransaction; ok: boolean }[]
  nonces: ReadonlyMap<string, number>
  paid: ReadonlyMap<string, bigint>
  /** The time at which a reorganisation removed it, and its depth then. */
  gone?: { at: number; depth: number }
}

/** The fate of transactions in blocks removed by a reorganisation. */
export type Afterwards = 'lost' | 'waiting' | 'again'

/** A chain without fork choice: the latest branch wins. Times are virtual ms. */
export type SimChain = {
  blocks: readonly SimBlock[]
  pool: () => SimTransaction[]
  /** Accepts a transaction into the pool, or returns a node's error text. */
  receive: (transaction: SimTransaction) => string | undefined
  mine: (time: number) => SimBlock
  reorganise: (depth: number, afterwards: Afterwards, time: number) => void
  drop: (hash: Hex) => void
  /** All blocks that ever contained a transaction, newest last. */
  blocksOf: (hash: Hex) => SimBlock[]
  isOn: (block: SimBlock) => boolean
  /** The base fee of the next blocks, and whether payments in them fail. */
  weather: { baseFee: bigint; fails: boolean }
}

const lower = (address: string) => address.toLowerCase()
const inOrder = (a: SimTransaction, b: SimTransaction) => a.nonce - b.nonce

/** The nonce of an account after a block. */
export const nonceAt = (block: SimBlock, account: string): number => block.nonces.get(lower(account)) ?? 0

/** The nonce of an account after all pending transactions without a nonce gap. */
export function pendingNonce(chain: Pick<SimChain, 'blocks' | 'pool'>, account: string): number {
  let next = nonceAt(chain.blocks.at(-1)!, account)
  for (const { nonce } of chain
    .pool()
    .filter(({ from }) => lower(from) === lower(account))
    .toSorted(inOrder))
    if (nonce === next) next++
  return next
}

/** Makes a chain with one block. Only our own transactions can be lost: a foreign one returns, so that no nonce gap is permanent. */
export function simulatedChain(): SimChain {
  const weather = { baseFee: 10n ** 9n, fails: false }
  let made = 0
  const hashOf = (): Hex => `0x${(++made).toString(16).padStart(8, '0').padEnd(64, 'c')}`
  const genesis: SimBlock = {
    number: 0,
    hash: hashOf(),
    time: 0,
    baseFee: weather.baseFee,
    transactions: [],
    nonces: new Map(),
    paid: new Map(),
  }
  const blocks: SimBlock[] = [genesis]
  let pool: SimTransaction[] = []
  const places = new Map<Hex, SimBlock[]>()
  const head = () => blocks.at(-1)!
  const isSame = (a: SimTransaction, b: SimTransaction) =>
    a.nonce === b.nonce && lower(a.from) === lower(b.from)

  const receive: SimChain['receive'] = (transaction) => {
    if (transaction.nonce < nonceAt(head(), transaction.from)) return 'nonce too low'
    const other = pool.find((one) => isSame(one, transaction))
    if (other?.hash === transaction.hash) return 'already known'
    // geth requires 10 percent more in both fees.
    const isDearer =
      !other ||
      (transaction.maxFeePerGas * 10n >= other.maxFeePerGas * 11n &&
        transaction.maxPriorityFeePerGas * 10n >= other.maxPriorityFeePerGas * 11n)
    if (!isDearer) return 'replacement transaction underpriced'
    pool = [...pool.filter((one) => one !== other), transaction]
    return undefined
  }

  const mine: SimChain['mine'] = (time) => {
    const nonces = new Map(head().nonces)
    const paid = new Map(head().paid)
    const transactions: SimBlock['transactions'] = []
    for (const transaction of pool.toSorted(inOrder)) {
      const { from, to, data, value, nonce, maxFeePerGas } = transaction
      if (nonce !== (nonces.get(lower(from)) ?? 0) || maxFeePerGas < weather.baseFee) continue
      nonces.set(lower(from), nonce + 1)
      const ok = !weather.fails || data === '0x'
      if (ok) paid.set(lower(to), (paid.get(lower(to)) ?? 0n) + value)
      transactions.push({ transaction, ok })
    }
    const { baseFee } = weather
    const block = { number: head().number + 1, hash: hashOf(), time, baseFee, transactions, nonces, paid }
    blocks.push(block)
    for (const { transaction } of transactions)
      places.set(transaction.hash, [...(places.get(transaction.hash) ?? []), block])
    pool = pool.filter(({ from, nonce }) => nonce >= (nonces.get(lower(from)) ?? 0))
    return block
  }

  return {
    blocks,
    weather,
    receive,
    mine,
    pool: () => pool,
    reorganise: (wanted, afterwards, time) => {
      const depth = Math.min(wanted, blocks.length - 1)
      const top = head().number
      const taken = blocks.splice(blocks.length - depth)
      for (const block of taken) block.gone = { at: time, depth: top - block.number + 1 }
      for (const { transaction } of taken.flatMap(({ transactions }) => transactions))
        if (afterwards !== 'lost' || !transaction.signature) receive(transaction)
      const waiting = pool
      if (afterwards === 'waiting') pool = []
      for (let made = 0; made <= depth; made++) mine(time)
      if (afterwards === 'waiting') for (const transaction of waiting) receive(transaction)
    },
    drop: (hash) => {
      pool = pool.filter((one) => one.hash !== hash)
    },
    blocksOf: (hash) => places.get(hash) ?? [],
    isOn: (block) => blocks[block.number] === block,
  }
}
