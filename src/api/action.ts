import { z } from 'zod'

import { isoTime, maybe, orNull } from './wire.ts'

/** Whether an action in this status will not change any more. Of the words INITIAL, PENDING, SUCCESS, FAILED, REFUNDED the last three are final; an unknown word is not. */
export const isFinalStatus = (status: string): boolean =>
  ['SUCCESS', 'FAILED', 'REFUNDED'].includes(status.toUpperCase())

/** One transaction of a tracked operation, as far as it is known. `gasUsed` is in gas, as text; `status` is `pending`, `confirmed` or `failed`. */
export type ActionTransaction = {
  index: number
  kind: string | null
  chainId: number | null
  network: string | null
  to: string | null
  hash: string | null
  nonce: number | null
  status: string | null
  blockNumber: number | null
  gasUsed: string | null
  explorerUrl: string | null
  error: string | null
}

const WireTransaction = z.looseObject({
  index: maybe(z.int()),
  kind: maybe(z.string()),
  chainId: maybe(z.union([z.int(), z.string()])),
  network: maybe(z.string()),
  to: maybe(z.string()),
  hash: maybe(z.string()),
  txHash: maybe(z.string()),
  nonce: maybe(z.int()),
  status: maybe(z.string()),
  blockNumber: maybe(z.union([z.int(), z.string()])),
  gasUsed: maybe(z.union([z.int(), z.string()])),
  explorerUrl: maybe(z.string()),
  error: maybe(z.string()),
})

/** A tracked operation. Times are ISO 8601 in UTC; `finishedAt` is `null` until it is over. */
export type Action = {
  id: string
  type: string
  status: string
  strategyId: string | null
  strategySlug: string | null
  originAddress: string | null
  receiverAddress: string | null
  amounts: unknown
  transactions: ActionTransaction[]
  createdAt: string | null
  updatedAt: string | null
  finishedAt: string | null
}

const WireAction = z.object({
  id: z.string(),
  type: z.string(),
  status: z.string(),
  strategyId: maybe(z.string()),
  strategySlug: maybe(z.string()),
  originAddress: maybe(z.string()),
  receiverAddress: maybe(z.string()),
  amounts: z.unknown().optional(),
  transactions: maybe(z.array(WireTransaction)),
  createdAt: maybe(z.string()),
  updatedAt: maybe(z.string()),
  finishedAt: maybe(z.string()),
})

/** A tracked operation on the wire. The shape of `transactions[]` is ours; of another deployment's, what is named alike is read. */
export const Action = z.codec(WireAction, z.custom<Action>(), {
  decode: (wire) => ({
    id: wire.id,
    type: wire.type,
    status: wire.status.toUpperCase(),
    strategyId: orNull(wire.strategyId),
    strategySlug: orNull(wire.strategySlug),
    originAddress: orNull(wire.originAddress),
    receiverAddress: orNull(wire.receiverAddress),
    amounts: orNull(wire.amounts),
    transactions: (wire.transactions ?? []).map((transaction, at) => ({
      index: transaction.index ?? at,
      kind: orNull(transaction.kind),
      chainId: number(transaction.chainId),
      network: orNull(transaction.network),
      to: orNull(transaction.to),
      hash: transaction.hash ?? orNull(transaction.txHash),
      nonce: orNull(transaction.nonce),
      status: orNull(transaction.status),
      blockNumber: number(transaction.blockNumber),
      gasUsed:
        transaction.gasUsed === null || transaction.gasUsed === undefined
          ? null
          : String(transaction.gasUsed),
      explorerUrl: orNull(transaction.explorerUrl),
      error: orNull(transaction.error),
    })),
    createdAt: isoTime(wire.createdAt),
    updatedAt: isoTime(wire.updatedAt),
    finishedAt: isoTime(wire.finishedAt),
  }),
  encode: (action) => action,
})

const number = (value: string | number | null | undefined) =>
  value === null || value === undefined ? null : Number(value)
