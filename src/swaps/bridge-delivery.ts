import type { ChainClient } from '../chain/chain-client.ts'
import type { MinedTransaction } from '../chain/finality/find-mined-transaction.ts'
import { blockTime } from '../chain/latest-log.ts'
import { undefinedIfUnanswered, withTimeout } from '../chain/rpc/timeouts.ts'
import type { Address, Hex } from '../domain/address.ts'
import type { Transaction } from '../domain/transaction-types.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import type { SwapDependencies } from './provider-dependencies.ts'

/** Dependencies for following a transfer between chains; `now` is in epoch ms. */
export type DeliveryContext = {
  rpc: (chainId: number) => ChainClient
  catalog: Catalog
  now: () => number
  getJson: SwapDependencies['getJson']
}

/** A transfer to another chain: the mined call that sent it, and the token that its recipient should receive. */
export type AwaitedTransfer = {
  sent: { transaction: Transaction; wallet: Address; hash: Hex; blockNumber: number }
  arrival: { chainId: number; token: Address; recipient: Address }
}

/**
 * The state of a transfer; `undefined` fields could not be read.
 * `way`: burn and mint (`burn`), Across deposit and relayer fill (`deposit`), order that a solver fills on the same chain (`order`),
 * payment to a desk that pays out on the same chain (`desk`), or deposit for a solver's payout (`solver`).
 * `sentAt` is epoch ms; `usualMs` is the longest normal duration. `isUnknown`: the bridge's service should know the transfer by now but
 * does not; its outcome is unknown. `unanswered` is the host of a service that was asked and gave no usable answer.
 * `brought` is the delivering transaction, matched by the bridge's event, with its amount. `alike` counts the events in it that differ from
 * this transfer's only in their number, itself included; `undefined` where the event identifies its transfer.
 * `expiry` exists for deposits: the fill deadline (Unix s, destination clock), whether it passed without a fill, and the transactions that
 * may have refunded `amount`, oldest first. `paid` is the whole refund to the depositor, because the chain does not show which deposit it
 * belongs to.
 */
export type BridgeDelivery = {
  way: 'burn' | 'deposit' | 'order' | 'desk' | 'solver'
  sentAt: number | undefined
  usualMs: number
  /** The time that most transfers take, in ms; `undefined` if it is not known. */
  typicalMs: number | undefined
  isUnknown: boolean
  isAttested: boolean | undefined
  unanswered?: string | undefined
  isDelivered: boolean | undefined
  brought: { found: MinedTransaction; amount: bigint; alike: number | undefined } | undefined
  /** Only for a desk, whose events name no transfer: its payments to the recipient since the transfer, oldest first. */
  payments?: readonly NonNullable<BridgeDelivery['brought']>[]
  expiry?: {
    at: number
    isPast: boolean
    amount: bigint
    refunds: readonly { found: MinedTransaction; paid: bigint }[]
  }
  /** What helps a burn that is not minted: any wallet can deliver it (`action deliver`), or run a command that requests a new attestation. */
  remedies?: { canDeliver?: true; reattest?: string }
  /**
   * Only for a `solver` order: its number, its deadline (Unix s; `undefined` if its call does not state it), the service's status while the chains show nothing, and the refund, which
   * may be on either chain and in any token.
   */
  order?: {
    id: Hex
    until: number | undefined
    said: { word: string; text: string } | undefined
    returned:
      | { chainId: number; token: Address; recipient: Address; found: MinedTransaction; amount: bigint }
      | undefined
  }
  /**
   * Only for an order that can no longer be filled: the reason, and the number of blocks until that is final. Its tokens were not taken.
   */
  unfilled?: { why: 'expired' | 'cancelled'; missing: number }
}

/** Reads the progress of a transfer. `reportedHash` is a delivery hash that the service reports; it counts if the bridge's event in it matches. */
export type FollowTransfer = (
  context: DeliveryContext,
  awaited: AwaitedTransfer,
  reportedHash: Hex | null,
) => Promise<BridgeDelivery>

/** Awaits a read of a node; `undefined` if the node does not answer in time. */
export const awaitRead = <T>(work: Promise<T>): Promise<T | undefined> =>
  undefinedIfUnanswered(withTimeout(work))

/**
 * The longest normal duration of a payment, in ms. A slow fill of Across comes with a bundle, about every 90 minutes, and counts as late.
 */
const usualMs = 10 * 60_000

/** The time that most payments of relayers and solvers take, in ms; a desk answers by hand. */
const typicalMs = 60_000

/** The initial state of a transfer that needs no attestation. */
export const initialDelivery = (way: BridgeDelivery['way'], sentAt: number | undefined) => ({
  way,
  sentAt,
  usualMs,
  typicalMs: way === 'desk' ? undefined : typicalMs,
  isUnknown: false,
  isAttested: undefined,
})

/** The clock tolerance between two chains, in ms. Ethereum dates a block by its 12 s slot, sandbox chains by their own clock. */
const chainClockSkewMs = 8_000

/**
 * Whether a payment lies before the transfer that it should satisfy, which is in a block of `sentAt` (epoch ms): by its block on the same
 * chain, else by its time within the clock tolerance. True if a time is unknown, because an earlier payment belongs to another transfer.
 */
export async function isEarlier(
  { rpc }: Pick<DeliveryContext, 'rpc'>,
  { transaction: { chainId: origin }, blockNumber }: AwaitedTransfer['sent'],
  sentAt: number | undefined,
  payment: { chainId: number; blockNumber: number },
): Promise<boolean> {
  if (payment.chainId === origin) return payment.blockNumber < blockNumber
  const at = sentAt === undefined ? undefined : await blockTime(rpc(payment.chainId), payment.blockNumber)
  return at === undefined || at + chainClockSkewMs < sentAt!
}
