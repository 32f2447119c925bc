import type { ChainClient } from '../../chain/chain-client.ts'
import { readBlock, readBlocks, readHeader } from '../../chain/head.ts'
import { AppError } from '../../domain/errors.ts'
import type { ChainPosition } from '../../store/engine/chain-tracking.ts'
import { callHash, type RpcTransaction } from '../actions/call-hash.ts'

/** A transaction that was seen in a followed block, with a digest of its call. */
export type SeenTransaction = {
  block: number
  blockHash: string
  nonce: number
  hash: string
  call: string
  raw: RpcTransaction
}

type Block = {
  number: number
  hash: string
  parentHash: string
  at: number
  transactions: readonly RpcTransaction[]
}

/**
 * What is new on a chain since a position, with all its new blocks, oldest first. `gap`: its blocks were not read, because they are too many or too large.
 * `fork`: the block of the position left the chain, and the blocks before it are read again down to finality.
 */
export type NewBlocks =
  | { kind: 'none'; head: Block }
  | { kind: 'gap'; head: Block }
  | { kind: 'next'; head: Block; blocks: readonly Block[] }
  | { kind: 'fork'; head: Block; blocks: readonly Block[] }

/** The most blocks that are read of one pass; after a longer time every open action is read instead. */
const maxNewBlocks = 64

/** The blocks in one exchange. */
const blocksPerBatch = 8

/** Reads the blocks of a chain since a position, or since none. */
export async function newBlocks(rpc: ChainClient, was: ChainPosition, depth: number): Promise<NewBlocks> {
  const whole = await undefinedIfTooLarge(readBlock(rpc, 'latest'))
  const head = blockOf(rpc, whole ?? (await readHeader(rpc, 'latest')), whole !== undefined)
  const [from, fromHash] = [Number(was.block), was.blockHash]
  if (head.hash === fromHash) return { kind: 'none', head }
  if (was.block === null || whole === undefined || head.number - from > maxNewBlocks)
    return { kind: 'gap', head }
  const later = await readChain(rpc, from + 1, head)
  if (later === undefined) return { kind: 'gap', head }
  if (head.number > from && later[0]!.parentHash === fromHash) return { kind: 'next', head, blocks: later }
  const base = Math.max(0, Math.min(from, head.number) - depth + 1)
  const blocks = await readChain(rpc, base, head)
  return blocks === undefined ? { kind: 'gap', head } : { kind: 'fork', head, blocks }
}

/** The blocks from a number to the head, each the parent of the next; `undefined` if one is too large or not there. */
async function readChain(rpc: ChainClient, from: number, head: Block): Promise<Block[] | undefined> {
  const read: Block[] = []
  for (let at = from; at < head.number; at += blocksPerBatch) {
    const numbers = Array.from(
      { length: Math.min(blocksPerBatch, head.number - at) },
      (_, index) => at + index,
    )
    const answers = await undefinedIfTooLarge(readBlocks(rpc, numbers))
    if (answers === undefined || answers.includes(null)) return undefined
    read.push(...answers.map((answer) => blockOf(rpc, answer, true)))
  }
  const blocks = from <= head.number ? [...read, head] : []
  const isBroken = blocks.some(({ parentHash }, index) => index > 0 && parentHash !== blocks[index - 1]!.hash)
  if (isBroken)
    throw new AppError('RPC_INCONSISTENT', `The chain of ${rpc.host} changed while its blocks were read`, {
      details: { host: rpc.host },
    })
  return blocks
}

/** `undefined` if an answer is larger than our limit. */
const undefinedIfTooLarge = <T>(work: Promise<T>): Promise<T | undefined> =>
  work.catch((error: unknown) => {
    if (error instanceof AppError && error.details?.fault === 'too-large') return undefined
    throw error
  })

function blockOf({ host }: ChainClient, answer: unknown, isWhole: boolean): Block {
  const { number, hash, parentHash, timestamp, transactions } = (answer ?? {}) as Record<string, unknown>
  const isIt =
    typeof number === 'string' &&
    typeof hash === 'string' &&
    typeof parentHash === 'string' &&
    Array.isArray(transactions)
  if (!isIt)
    throw new AppError('RPC_INCONSISTENT', `The node at ${host} returns a block without its fields`, {
      details: { host },
    })
  return {
    number: Number(number),
    hash: hash.toLowerCase(),
    parentHash: parentHash.toLowerCase(),
    at: Number(timestamp) * 1_000,
    // Some chains have transaction types without a sender or an input.
    transactions: isWhole
      ? (transactions as RpcTransaction[]).filter(
          ({ from, input }) => typeof from === 'string' && typeof input === 'string',
        )
      : [],
  }
}

/**
 * The transactions of known senders in the newest blocks, by sender, and the hashes of these blocks. It spares reading the same blocks again, and may be
 * lost.
 */
export type SeenBlocks = {
  hashOf: (number: number) => string | undefined
  sentBy: (wallet: string) => readonly SeenTransaction[]
  add: (news: NewBlocks, senders: ReadonlySet<string>) => void
}

/** How many blocks are kept for actions that are read later. */
const keptBlocks = 256

/** Keeps the newest blocks of a chain. */
export function seenBlocks(): SeenBlocks {
  const hashes = new Map<number, string>()
  let sent = new Map<string, SeenTransaction[]>()
  const keepIf = (isKept: (number: number) => boolean) => {
    for (const number of hashes.keys()) if (!isKept(number)) hashes.delete(number)
    const kept = [...sent].map(([wallet, all]) => [wallet, all.filter(({ block }) => isKept(block))] as const)
    sent = new Map(kept.filter(([, all]) => all.length > 0))
  }
  return {
    hashOf: (number) => hashes.get(number),
    sentBy: (wallet) => sent.get(wallet.toLowerCase()) ?? [],
    add: (news, senders) => {
      if (news.kind === 'none') return
      if (news.kind === 'gap') return keepIf(() => false)
      const first = news.blocks[0]?.number ?? news.head.number
      keepIf((number) => number < first && number > news.head.number - keptBlocks)
      for (const { number, hash, transactions } of news.blocks) {
        hashes.set(number, hash)
        for (const raw of transactions) {
          const from = raw.from.toLowerCase()
          if (!senders.has(from)) continue
          const call = callHash({ to: raw.to, data: raw.input, value: BigInt(raw.value) })
          const seen = { block: number, blockHash: hash, nonce: Number(raw.nonce), hash: raw.hash, call, raw }
          sent.set(from, [...(sent.get(from) ?? []), seen])
        }
      }
    },
  }
}
