import { z } from 'zod'
import { actionStatuses } from '../domain/swap-outcome.ts'
import { historyStatuses, knownCasing } from './status-and-history-words.ts'
import { isoTime, nullish, orNull } from './wire-fields.ts'

/**
 * A transaction of an action; unknown fields are `null`. `gasUsed` is in units of gas, as text; `status` is `pending`, `confirmed` or
 * `failed`.
 */
type ActionTransaction = {
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
  index: nullish(z.int()),
  kind: nullish(z.string()),
  chainId: nullish(z.union([z.int(), z.string()])),
  network: nullish(z.string()),
  chain: nullish(z.union([z.int(), z.string(), z.record(z.string(), z.unknown())])),
  to: nullish(z.string()),
  hash: nullish(z.string()),
  txHash: nullish(z.string()),
  nonce: nullish(z.int()),
  status: nullish(z.string()),
  blockNumber: nullish(z.union([z.int(), z.string()])),
  gasUsed: nullish(z.union([z.int(), z.string()])),
  explorerUrl: nullish(z.string()),
  error: nullish(z.string()),
})

/** A tracked operation. Times are ISO 8601 in UTC; `finishedAt` is `null` until it ends. */
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
  /** The status that only a remote service says; `status` is then `REPORTED`. It is not on the wire. */
  reported?: string | undefined
}

const Time = nullish(z.union([z.string(), z.number()]))

const WireAction = z.object({
  id: z.string(),
  type: z.string(),
  status: z.string(),
  strategyId: nullish(z.string()),
  strategySlug: nullish(z.string()),
  originAddress: nullish(z.string()),
  receiverAddress: nullish(z.string()),
  amounts: z.unknown().optional(),
  transactions: nullish(z.union([z.array(WireTransaction), z.array(z.unknown())])),
  createdAt: Time,
  updatedAt: Time,
  finishedAt: Time,
})

/**
 * An action on the wire. The specification leaves the shape of `transactions[]` open; fields of another deployment are read if their names
 * match ours.
 */
export const Action = z.codec(WireAction, z.custom<Action>(), {
  decode: (wire) => ({
    id: wire.id,
    type: wire.type,
    status: knownCasing(actionStatuses, wire.status),
    strategyId: orNull(wire.strategyId),
    strategySlug: orNull(wire.strategySlug),
    originAddress: orNull(wire.originAddress),
    receiverAddress: orNull(wire.receiverAddress),
    amounts: orNull(wire.amounts),
    transactions: (wire.transactions ?? []).map(transactionOf),
    createdAt: isoTime(wire.createdAt),
    updatedAt: isoTime(wire.updatedAt),
    finishedAt: isoTime(wire.finishedAt),
  }),
  encode: (action) => action,
})

/**
 * Reads a transaction: fields with our names and types; text alone is a hash. `chain` is another deployment's name for the network: its
 * name, its chain id, or an object with both.
 */
function transactionOf(sent: unknown, at: number): ActionTransaction {
  const wire = (sent !== null && typeof sent === 'object' ? sent : {}) as Record<string, unknown>
  const status = text(wire.status)
  const chain = chainOf(wire.chain)
  return {
    index: number(wire.index) ?? at,
    kind: text(wire.kind),
    chainId: number(wire.chainId) ?? chain.chainId,
    network: text(wire.network) ?? chain.network,
    to: text(wire.to),
    hash: text(wire.hash) ?? text(wire.txHash) ?? text(sent),
    nonce: number(wire.nonce),
    status: status === null ? null : knownCasing(historyStatuses, status),
    blockNumber: number(wire.blockNumber),
    gasUsed: text(wire.gasUsed) ?? number(wire.gasUsed)?.toString() ?? null,
    explorerUrl: text(wire.explorerUrl),
    error: text(wire.error),
  }
}

/** The network of a `chain`; `null` for what it does not say. */
function chainOf(chain: unknown): Pick<ActionTransaction, 'chainId' | 'network'> {
  if (typeof chain === 'object' && chain !== null) {
    const { chainId, id, name, network } = chain as Record<string, unknown>
    return { chainId: number(chainId) ?? number(id), network: text(name) ?? text(network) }
  }
  const chainId = number(chain)
  return { chainId, network: chainId === null ? text(chain) : null }
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const number = (value: unknown): number | null =>
  Number.isSafeInteger(value) || (typeof value === 'string' && /^[0-9]{1,15}$/.test(value))
    ? Number(value)
    : null
