import { formatAmount } from '../../domain/amount.ts'
import { bitcoinHash, bitcoinNetwork, btc } from '../../domain/bitcoin.ts'
import { AppError } from '../../domain/errors.ts'
import type { TakenBy } from '../../store/engine/quote-payments.ts'
import type { AddressHistory, BitcoinReader, BitcoinTransaction } from '../../swaps/bitcoin-reader.ts'
import { type OutcomeEvidence, outcomeNotShown, outcomeReported } from './outcome-evidence.ts'

/**
 * An expected refund: `paid` less `fee`, in satoshi, no earlier than the deposit. It goes to the address `to`;
 * without one, to an address that the deposit spent from, by the transaction that the provider names (`named`), or by one with
 * the memo of a refund of this deposit.
 */
type ExpectedRefund = {
  deposit: BitcoinTransaction
  paid: bigint
  fee: bigint
  to: string | null
  named: string | undefined
}

/**
 * Checks on Bitcoin whether the provider's refund was made: in a block, with at least half of the expected amount. If
 * the refund address is unknown, it counts as reported only.
 */
export async function checkBitcoinRefund(
  bitcoin: BitcoinReader,
  due: ExpectedRefund,
  takenBy: TakenBy,
): Promise<OutcomeEvidence> {
  const { deposit, to } = due
  const addresses = to === null ? deposit.senders : [to]
  if (addresses.length === 0)
    return outcomeReported('refunded', 'The provider reports a refund, but Bitcoin does not show who paid')
  const back = to === null ? 'the address that paid' : to
  if (deposit.height === null)
    return outcomeNotShown(`The provider reports a refund to ${back}, but the deposit is in no block`)
  try {
    const { transactions, isCutOff } = await historyOf(bitcoin, due, deposit.height)
    const [refund] = outputsTo(addresses, transactions, due)
      .filter(({ hash, idx }) => takenBy({ chainId: bitcoinNetwork.chainId, hash, idx }) === undefined)
      .toSorted((a, b) => (a.off < b.off ? -1 : 1))
    if (!refund)
      return outcomeNotShown(
        isCutOff
          ? `The provider reports a refund to ${back}: only the newest ${transactions.length} payments there were searched`
          : `The provider reports a refund to ${back}, but Bitcoin does not show it yet`,
      )
    const { hash, idx, value, address } = refund
    return {
      status: 'refunded',
      delivery: null,
      note: `Paid back: ${formatAmount(value, btc)} to ${address} in ${hash}`,
      payments: [{ kind: 'refund', chainId: bitcoinNetwork.chainId, hash, idx }],
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return outcomeNotShown(`The refund could not be looked up: ${error.message}`)
  }
}

/** Returns the transactions to search: those of the refund address, or the refunds of this deposit to those who paid it. */
async function historyOf(
  bitcoin: BitcoinReader,
  { to, named, deposit }: ExpectedRefund,
  since: number,
): Promise<AddressHistory> {
  const sinceThen = (address: string) =>
    bitcoin.addressHistory(address, ({ height }) => height !== null && height < since)
  if (to !== null) return sinceThen(to)
  const hash = bitcoinHash(named ?? '')
  if (hash !== undefined) {
    const transaction = await bitcoin.transaction(hash)
    return { transactions: transaction ? [transaction] : [], isCutOff: false }
  }
  // A service may not name the transaction.
  const memo = `REFUND:${deposit.txid}`.toUpperCase()
  const [first] = deposit.senders
  const { transactions, isCutOff } = await sinceThen(first!)
  return { transactions: transactions.filter((one) => one.memo?.toUpperCase() === memo), isCutOff }
}

/** Returns the outputs that may be the refund; `off` is the difference from the expected amount. */
function outputsTo(
  addresses: readonly string[],
  transactions: readonly BitcoinTransaction[],
  { deposit, paid, fee }: ExpectedRefund,
) {
  const due = paid - fee
  return transactions
    .filter(({ txid, height }) => txid !== deposit.txid && height !== null && height >= deposit.height!)
    .flatMap(({ txid, outputs }) =>
      outputs.flatMap(({ address, value }, idx) =>
        address !== null && addresses.includes(address) && value > 0n && 2n * value >= due
          ? [{ hash: txid, idx, address, value, off: value > due ? value - due : due - value }]
          : [],
      ),
    )
}
