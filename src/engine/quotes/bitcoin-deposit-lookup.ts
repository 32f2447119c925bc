import { bitcoinHash } from '../../domain/bitcoin.ts'
import { AppError } from '../../domain/errors.ts'
import type { QuoteRow } from '../../store/engine/action-tables.ts'
import { amountPaidTo, type BitcoinReader, type BitcoinTransaction } from '../../swaps/bitcoin-reader.ts'
import type { DepositRaw } from './bitcoin-deposit-instructions.ts'
import { depositPayments, isBefore } from './bitcoin-deposit-payments.ts'
import type { DepositSwap, PaymentBook } from './bitcoin-status.ts'
import { offerOf, readStored } from './stored-quote.ts'

/** The stored deposit of a quote. */
export const depositOf = (row: QuoteRow): DepositRaw =>
  readStored(() => {
    const raw = offerOf(row).raw as DepositRaw
    const { address, memo, until } = raw.deposit
    if (typeof address !== 'string' || memo === undefined || Number.isNaN(Date.parse(until)))
      throw new TypeError('a stored deposit without its address, memo or end')
    return raw
  })

/**
 * The state on Bitcoin: the deposit, the amount paid in satoshi, its confirmations and notes. `isLookedUp`: an
 * existing deposit would have been found.
 */
export type FoundDeposit = {
  transaction: BitcoinTransaction | undefined
  paid: bigint | null
  confirmations: number | null
  isLookedUp: boolean
  notes: string[]
}

const unknownText =
  'It is not known which payments with its memo are older than the quote. Name the payment by its hash'

/**
 * Looks up the deposit of a swap: by a hash if given, else by the recorded deposit, else among the payments to its
 * address. DEPOSIT_NOT_FOUND for a hash that does not exist, pays something else, or belongs to another swap.
 */
export async function lookUpDeposit(
  bitcoin: BitcoinReader,
  { deposit, earlier, createdAt }: DepositSwap,
  { typed, payments: { ownDeposit, takenBy } }: { typed: string | undefined; payments: PaymentBook },
): Promise<FoundDeposit> {
  // An address without a memo was created for this swap, so it has no earlier payments.
  const before = earlier ?? (deposit.memo === null ? [] : null)
  const isEarlier = (one: BitcoinTransaction) => earlier?.includes(one.txid) || isBefore(one, createdAt)
  const otherOf = (one: BitcoinTransaction) =>
    depositPayments(one, deposit.address).flatMap((payment) => takenBy(payment) ?? [])[0]
  const isPaid = (one: BitcoinTransaction) =>
    before !== null &&
    !isEarlier(one) &&
    amountPaidTo(one, deposit.address) > 0n &&
    (deposit.memo === null || one.memo === deposit.memo) &&
    otherOf(one) === undefined
  // A deposit to such an address may be paid in parts.
  const paidInAll = async (transaction: BitcoinTransaction, all: readonly BitcoinTransaction[] | null) => {
    if (deposit.memo !== null) return amountPaidTo(transaction, deposit.address)
    const { transactions } = all
      ? { transactions: all }
      : await bitcoin.addressHistory(deposit.address, () => false)
    const others = transactions.filter(({ txid }) => txid !== transaction.txid)
    return [transaction, ...others].reduce((sum, one) => sum + amountPaidTo(one, deposit.address), 0n)
  }
  const found = async (
    transaction: BitcoinTransaction,
    notes: string[],
    all: readonly BitcoinTransaction[] | null = null,
  ): Promise<FoundDeposit> => ({
    transaction,
    paid: await paidInAll(transaction, all),
    confirmations: await bitcoin.confirmations(transaction),
    isLookedUp: true,
    notes,
  })
  const none = (isLookedUp: boolean, notes: string[]): FoundDeposit => ({
    transaction: undefined,
    paid: null,
    confirmations: null,
    isLookedUp,
    notes,
  })
  const search = async () => {
    const isLast = (one: BitcoinTransaction) => isPaid(one) || isBefore(one, createdAt)
    const { transactions, isCutOff } = await bitcoin.addressHistory(deposit.address, isLast)
    return { other: transactions.find(isPaid), isCutOff, transactions }
  }
  if (typed === undefined) {
    try {
      const known = ownDeposit === undefined ? undefined : await bitcoin.transaction(ownDeposit)
      if (known) return await found(known, [])
      const { other, isCutOff, transactions } = await search()
      if (other) return await found(other, [], transactions)
      if (!isCutOff) return none(before !== null, before === null ? [unknownText] : [])
      const note = `Only the newest ${transactions.length} payments of the address were searched. Name the payment by its hash`
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
  if (earlier?.includes(hash) || (transaction && isBefore(transaction, createdAt)))
    throw refused(`The transaction ${hash} is older than the quote`)
  if (transaction && amountPaidTo(transaction, deposit.address) > 0n) {
    const another = otherOf(transaction)
    if (another !== undefined)
      throw refused(`The transaction ${hash} is the deposit of another quote, ${another}`)
    const isOther = deposit.memo !== null && transaction.memo !== deposit.memo
    return found(transaction, isOther ? ['It does not carry the memo of the quote and may be lost'] : [])
  }
  if (transaction) {
    const others = transaction.outputs.flatMap(({ address }) => address ?? []).slice(0, 3)
    throw refused(
      `The transaction pays ${others.join(', ') || 'no address'}, not the deposit address ${deposit.address}`,
    )
  }
  const { other, transactions } = await search()
  const replaced = `The transaction ${hash} was not found: ${other?.txid} pays the same deposit and may have replaced it (RBF)`
  if (other) return found(other, [replaced], transactions)
  throw refused(`No transaction ${hash} is known on Bitcoin`)
}
