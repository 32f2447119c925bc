import type { ChainClient } from '../chain/chain-client.ts'
import type { MinedTransaction } from '../chain/finality/find-mined-transaction.ts'
import { undefinedIfUnanswered, withTimeout } from '../chain/rpc/timeouts.ts'
import type { Address, Hex } from '../domain/address.ts'
import type { Transaction } from '../domain/transaction.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import type { SwapDependencies } from './provider-dependencies.ts'

/** What is needed to follow a transfer between chains: their nodes, the catalogue, the time in epoch ms, and HTTP for a service. */
export type DeliveryContext = {
  rpc: (chainId: number) => ChainClient
  catalog: Catalog
  now: () => number
  getJson: SwapDependencies['getJson']
}

/** A transfer to another chain: the mined call of a wallet that sent it, and the token that is to arrive for its recipient. */
export type AwaitedTransfer = {
  sent: { transaction: Transaction; wallet: Address; hash: Hex; blockNumber: number }
  arrival: { chainId: number; token: Address; recipient: Address }
}

/**
 * The state of a transfer to another chain; `undefined` fields could not be read. `way`: burnt here and minted there, deposited here
 * and paid out there by a relayer, ordered here and filled here by a solver, sent to a desk here that pays out here, or deposited here for an order that a solver pays out there. `sentAt` is epoch ms; `usualMs` is how long it takes at
 * most where nothing is wrong. `isUnknown`: the service of the bridge does not know a transfer that it should know by now, which does not say what became of it. `brought` is the
 * delivering transaction, matched by the bridge's own event, with its amount; `alike` counts the events in it that differ from this
 * transfer's in their number alone, itself included, and is `undefined` where the event names its transfer. `expiry` is there for a deposit: until when it can be paid out (Unix s, by the clock
 * of its destination), whether that is past and it was not, and the transactions that may have paid its `amount` back then, the oldest
 * first, with all that each `paid` back to its depositor: which deposit a bundle pays back, no chain says.
 */
export type BridgeDelivery = {
  way: 'burn' | 'deposit' | 'order' | 'desk' | 'solver'
  sentAt: number | undefined
  usualMs: number
  isUnknown: boolean
  isAttested: boolean | undefined
  isDelivered: boolean | undefined
  brought: { found: MinedTransaction; amount: bigint; alike: number | undefined } | undefined
  /** There for a desk whose events name no transfer: what it paid to the recipient since, the oldest first. */
  payments?: readonly NonNullable<BridgeDelivery['brought']>[]
  expiry?: {
    at: number
    isPast: boolean
    amount: bigint
    refunds: readonly { found: MinedTransaction; paid: bigint }[]
  }
  /** Command lines by which anybody can help on a burn that is not minted: to deliver it, or to have its attestation signed anew. */
  remedies?: { deliver?: string; reattest?: string }
  /**
   * There for an order that a solver pays out there: its number, until when that may be (Unix s), what its service says where the chains show
   * nothing, and what was given back of it, on either chain and in any token.
   */
  order?: {
    id: Hex
    until: number
    said: { word: string; text: string } | undefined
    returned:
      | { chainId: number; token: Address; recipient: Address; found: MinedTransaction; amount: bigint }
      | undefined
  }
  /** There for an order that cannot be filled any more: why, and how many blocks are missing until that is final. Nothing was taken. */
  unfilled?: { why: 'expired' | 'cancelled'; missing: number }
}

/** Reads how far a transfer is. `told` is a delivery hash that somebody names: it counts if the bridge's event in it matches. */
export type FollowTransfer = (
  context: DeliveryContext,
  awaited: AwaitedTransfer,
  told: Hex | null,
) => Promise<BridgeDelivery>

/** What a node answers in time; `undefined` if it does not. */
export const answered = <T>(work: Promise<T>): Promise<T | undefined> =>
  undefinedIfUnanswered(withTimeout(work))

/** How long a payment takes at most where nothing is wrong, in ms. A slow fill of Across, which comes with a bundle about every hour and a half, is not usual. */
const usualMs = 10 * 60_000

/** What is known from the start of a transfer that no service attests. */
export const unattested = (way: BridgeDelivery['way'], sentAt: number | undefined) => ({
  way,
  sentAt,
  usualMs,
  isUnknown: false,
  isAttested: undefined,
})
