import { bitcoinHash } from '../../domain/bitcoin.ts'
import { AppError } from '../../domain/errors.ts'
import type { QuoteRow } from '../../store/engine/migrations.ts'
import { type Bitcoin, type BitcoinTransaction, type DepositTerms, paidTo } from '../../swaps/deposit.ts'
import { depositOf } from './bitcoin-bytecode.ts'

/**
 * What was found on Bitcoin: the deposit, how deep it is, and what there is to say of it. `isLookedUp`: a deposit that is there would have
 * been found.
 */
export type FoundDeposit = {
  transaction: BitcoinTransaction | undefined
  confirmations: number | null
  isLookedUp: boolean
  notes: string[]
}

/** How far the time of a block may be from ours, in ms: a block may be two hours ahead, and is hardly an hour behind. */
const blockClockMs = 3 * 3_600_000

/** Whether a payment is in a block from before a time. */
const isBefore = ({ time }: BitcoinTransaction, since: number): boolean =>
  time !== null && time < since - blockClockMs

/**
 * The payments that a new quote would take for its own: the address of a memo is for all, and the same swap has the same memo. An address
 * that is made for one swap has none. `null` where they cannot be read.
 */
export async function earlierPayments(
  bitcoin: Bitcoin,
  { address, memo }: Pick<DepositTerms, 'address' | 'memo'>,
  now: number,
): Promise<string[] | null> {
  if (memo === null) return []
  try {
    const { transactions, isCutOff } = await bitcoin.of(address, (one) => isBefore(one, now))
    return isCutOff ? null : transactions.filter((one) => one.memo === memo).map(({ txid }) => txid)
  } catch (error) {
    // Bitcoin is not needed for a quote: its deposit is then looked up by its hash only.
    if (error instanceof AppError) return null
    throw error
  }
}

/**
 * Looks up the deposit of a quote, by a hash if there is one, else among the payments to its address. DEPOSIT_NOT_FOUND for a hash that
 * is not there or pays something else.
 */
export async function lookUpDeposit(
  bitcoin: Bitcoin,
  row: QuoteRow,
  typed: string | undefined,
): Promise<FoundDeposit> {
  const { deposit, earlier } = depositOf(row)
  // An address without a memo was made for this one swap: nobody paid to it earlier.
  const before = earlier ?? (deposit.memo === null ? [] : null)
  const isEarlier = (one: BitcoinTransaction) => earlier?.includes(one.txid) || isBefore(one, row.createdAt)
  const isPaid = (one: BitcoinTransaction) =>
    before !== null &&
    !isEarlier(one) &&
    paidTo(one, deposit.address) > 0n &&
    (deposit.memo === null || one.memo === deposit.memo)
  const found = async (transaction: BitcoinTransaction, notes: string[]): Promise<FoundDeposit> => ({
    transaction,
    confirmations: await bitcoin.confirmations(transaction),
    isLookedUp: true,
    notes,
  })
  const none = (isLookedUp: boolean, notes: string[]): FoundDeposit => ({
    transaction: undefined,
    confirmations: null,
    isLookedUp,
    notes,
  })
  const search = async () => {
    const isLast = (one: BitcoinTransaction) => isPaid(one) || isBefore(one, row.createdAt)
    const { transactions, isCutOff } = await bitcoin.of(deposit.address, isLast)
    return { other: transactions.find(isPaid), isCutOff, count: transactions.length }
  }
  if (typed === undefined) {
    try {
      const { other, isCutOff, count } = await search()
      if (other) return await found(other, [])
      if (!isCutOff) return none(before !== null, [])
      const note = `Only the newest ${count} payments of the address were looked through. Name the payment by its hash: --btc-tx`
      return none(false, [note])
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return none(false, [`The deposit was not looked up: ${error.message}`])
    }
  }
  const hash = bitcoinHash(typed)
  const refused = (message: string) =>
    new AppError('DEPOSIT_NOT_FOUND', message, {
      details: { btcTxHash: typed, depositAddress: deposit.address },
    })
  if (hash === undefined) throw refused('The hash of a Bitcoin transaction has 64 hex digits')
  const transaction = earlier?.includes(hash) ? undefined : await bitcoin.transaction(hash)
  if (earlier?.includes(hash) || (transaction && isBefore(transaction, row.createdAt)))
    throw refused(`The transaction ${hash} was there before the quote`)
  if (transaction && paidTo(transaction, deposit.address) > 0n) {
    const isOther = deposit.memo !== null && transaction.memo !== deposit.memo
    return found(transaction, isOther ? ['It does not carry the memo of the quote, and may be lost'] : [])
  }
  if (transaction) {
    const others = transaction.outputs.flatMap(({ address }) => address ?? []).slice(0, 3)
    throw refused(
      `The transaction pays ${others.join(', ') || 'no address'}, and not the deposit address ${deposit.address}`,
    )
  }
  const { other } = await search()
  if (other)
    return found(other, [
      `The transaction ${hash} is not there: ${other.txid} pays the same deposit, and may have replaced it (RBF)`,
    ])
  throw refused(`No transaction ${hash} is known on Bitcoin`)
}
