import { type Address, type Hex, sameAddress } from '../../domain/address.ts'
import { addressTopic } from '../../protocols/shared/encode-topics.ts'
import type { RelayDeposit, RelayTerms } from './order.ts'
import { type PaidAmounts, type PaymentTarget, paidAmountsIn, type TransactionWithCall } from './payments.ts'
import type { RelayStatus } from './service-status.ts'

/** The maximum number of transfers of a token to an account that are checked for a payment. */
const mostTransfers = 40

/** Transfers of a token to an account since a deposit; `isAll`: the list is complete. */
export type Transfers = { logs: readonly { transactionHash: Hex; topics: readonly Hex[] }[]; isAll: boolean }

/**
 * Looks up payments. `transaction` reads a mined transaction; `transfers` reads the transfers since the deposit, none for the native coin,
 * which leaves no log.
 */
export type Chains<Found extends TransactionWithCall> = {
  transaction: (chainId: number, hash: Hex) => Promise<Found | undefined>
  transfers: (way: PaymentTarget) => Promise<Transfers>
}

/** A payment for an order. */
export type Payment<Found> = { way: PaymentTarget; found: Found; amount: bigint }

/**
 * The outcome of an order. `isAll`: without an outcome, all possible payments were checked. `said` is the service's status, if it was
 * asked.
 */
export type OrderOutcome<Found> = {
  delivered?: Payment<Found>
  returned?: Payment<Found>
  isAll: boolean
  said?: RelayStatus | undefined
}

/** The order of a deposit, the catalogue's solver, and the expected payment. */
export type AwaitedOrder = {
  order: RelayDeposit & { terms: RelayTerms }
  solver: Address
  arrival: { chainId: number; token: Address; recipient: Address }
}

/**
 * Finds the outcome of an order on both chains: its delivery or its refund. `reportedHashes` are transactions that the service reports. Only if the chains
 * show nothing, `ask` requests the service's status, for transactions that no log search finds. They count only if a chain shows their
 * payment.
 */
export async function findOrderOutcome<Found extends TransactionWithCall>(
  awaited: AwaitedOrder,
  chains: Chains<Found>,
  ask: () => Promise<RelayStatus | undefined>,
  reportedHashes: readonly Hex[],
): Promise<OrderOutcome<Found>> {
  const seen = await outcomeByChains(awaited, chains, reportedHashes)
  if (seen.delivered || seen.returned) return seen
  const said = await ask()
  if (!said || said.hashes.length === 0) return { ...seen, said }
  const { isAll } = seen
  const onlyTold = { ...chains, transfers: async () => ({ logs: [], isAll }) }
  return { ...(await outcomeByChains(awaited, onlyTold, said.hashes)), said }
}

/**
 * The outcome without the service. A payment of the minimum is a delivery, from any sender. Less than that counts only from the solver, and
 * is a refund if the order allows a refund in the same token, chain and recipient.
 */
async function outcomeByChains<Found extends TransactionWithCall>(
  { order: { id, terms }, solver, arrival }: AwaitedOrder,
  chains: Chains<Found>,
  reportedHashes: readonly Hex[],
): Promise<OrderOutcome<Found>> {
  const { chainId, token, recipient: to } = arrival
  const isSame = (way: PaymentTarget) =>
    way.chainId === chainId && sameAddress(way.token, token) && sameAddress(way.to, to)
  const refunds = terms.refunds.map(({ chainId: at, currency, recipient, extraData }) => ({
    chainId: Number(at),
    token: currency,
    to: recipient,
    extraData,
  }))
  const { payments, isAll } = await paymentsBy({ chainId, token, to, extraData: terms.extraData })
  const delivered = payments.find(({ amount }) => amount >= terms.minimum)
  if (delivered) return { delivered, isAll }
  const short = solversOf(payments)
  if (short) return refunds.some(isSame) ? { returned: short, isAll } : { delivered: short, isAll }
  for (const way of refunds.filter((one) => !isSame(one))) {
    const returned = solversOf((await paymentsBy(way)).payments)
    if (returned) return { returned, isAll }
  }
  return { isAll }

  /** The payments of one kind, the solver's own transfers first, because only a limited number is checked. */
  async function paymentsBy(
    way: PaymentTarget,
  ): Promise<{ payments: (Payment<Found> & PaidAmounts)[]; isAll: boolean }> {
    const search = await chains.transfers(way)
    const isOthers = ({ topics: [, from] }: Transfers['logs'][number]) =>
      sameAddress(from ?? '', addressTopic(solver)) ? 0 : 1
    const sorted = search.logs.toSorted((a, b) => isOthers(a) - isOthers(b))
    const moved = new Set(sorted.map(({ transactionHash }) => transactionHash))
    const payments: (Payment<Found> & PaidAmounts)[] = []
    let isSearched = search.isAll && moved.size <= mostTransfers
    for (const hash of new Set([...reportedHashes, ...[...moved].slice(0, mostTransfers)])) {
      const found = await chains.transaction(way.chainId, hash)
      if (found) payments.push({ way, found, ...paidAmountsIn(found, id, way, solver) })
      else if (moved.has(hash)) isSearched = false
    }
    return { payments, isAll: isSearched }
  }
}

/** The first payment by the solver. */
function solversOf<Found>(payments: readonly (Payment<Found> & PaidAmounts)[]): Payment<Found> | undefined {
  const found = payments.find(({ bySolver }) => bySolver > 0n)
  return found && { ...found, amount: found.bySolver }
}
