import { formatAmount } from '../../domain/amount.ts'
import { btc } from '../../domain/bitcoin.ts'
import { wordOf } from '../../domain/swap-outcome.ts'
import { sluice } from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { DepositSwapStatus } from '../../transactions/outcome/bitcoin-deposit.ts'
import type { Situation } from '../situations.ts'
import type { EvidenceLine, Verdict } from '../verdict.ts'

/** A swap that begins on Bitcoin, with its deposit. */
type BitcoinSwap = DepositSwapStatus & { deposit: NonNullable<DepositSwapStatus['deposit']> }

/** Whether a swap begins with a payment on Bitcoin. */
export const isBitcoinSwap = (swap: DepositSwapStatus | undefined): swap is BitcoinSwap =>
  swap?.deposit !== undefined

type Told = Pick<Verdict, 'verdict' | 'funds' | 'safeToRetry' | 'next'> & { situation: Situation }
type End = Omit<Told, 'next'>

/** Explains a swap that begins with a payment on Bitcoin, which no wallet of this machine sends. */
export function bitcoinVerdict(id: string, swap: BitcoinSwap): Told {
  const word = wordOf(swap)
  const isUntouched = swap.originTxHash === null && swap.deposit.isLookedUp !== false && !swap.deposit.note
  if (isUntouched && word === 'expired') return unpaidVerdict(id, true)
  const watch = sluice('swap status', id, { '--watch': true })
  // A payment may be under way to a deposit address that was shown: another swap would be a second one.
  if (isUntouched && word === 'pending')
    return { ...unpaidVerdict(id, false), safeToRetry: false, next: watch }
  const end = endOf(swap)
  const isOver = end.situation === 'DONE' || end.situation === 'BRIDGE_REFUNDED'
  return { ...end, next: isOver ? null : watch }
}

/** Explains a quote without a known payment or transaction. */
export const unpaidVerdict = (id: string, isDead: boolean): Told => ({
  situation: isDead ? 'QUOTE_DEAD' : 'QUOTE_OPEN',
  verdict: isDead
    ? 'The quote has expired. The service knows of no transaction for it.'
    : 'The quote is still valid. The service knows of no transaction for it.',
  funds: 'Not moved, according to the service.',
  safeToRetry: true,
  next: isDead ? sluice('swap quote', { '--help': true }) : sluice('swap execute', id),
})

/** What the service said of such a swap. */
export const bitcoinEvidence = (swap: BitcoinSwap): EvidenceLine[] =>
  [
    `the service reports ${wordOf(swap)}`,
    ...(swap.originTxHash === null ? [] : [`the deposit is ${swap.originTxHash} on Bitcoin`]),
    ...(swap.deposit.note === null ? [] : [swap.deposit.note]),
  ].map((text) => ({ source: 'service', text: sanitizeText(text) }))

function endOf(swap: BitcoinSwap): End {
  const { status, reported, originTxHash, destinationTxHash, provider, deposit, arrivedShort } = swap
  const paid = deposit.paid === null ? 'The deposit' : formatAmount(BigInt(deposit.paid), btc)
  const said = deposit.note === null ? '' : ` ${sanitizeText(deposit.note)}.`
  const out = sanitizeText(destinationTxHash ?? 'an unnamed transaction')
  if (status === 'fulfilled')
    return {
      situation: 'DONE',
      verdict: 'The swap was delivered.',
      funds: `Paid out by ${out}.`,
      safeToRetry: true,
    }
  if (status === 'refunded')
    return {
      situation: 'BRIDGE_REFUNDED',
      verdict: 'The swap was refunded on Bitcoin.',
      funds: `${paid} was paid back, less a fee.`,
      safeToRetry: true,
    }
  if (status === 'failed' && !arrivedShort)
    return {
      situation: 'FAILED',
      verdict: `The swap failed; the cause is not known here.${said}`,
      funds: originTxHash === null ? 'Unknown.' : `${paid} was paid, and may be with the provider.`,
      safeToRetry: false,
    }
  if (status === 'failed')
    return {
      situation: 'BRIDGE_SHORT',
      verdict: `The swap delivered less than the minimum.${said}`,
      funds: `Paid out by ${out}.`,
      safeToRetry: false,
    }
  if (status === 'reported')
    return {
      situation: 'BRIDGE_STUCK',
      verdict: `The swap is reported as ${sanitizeText(reported ?? 'ended')}, but this could not be checked.${said}`,
      funds: originTxHash === null ? 'Unknown.' : `${paid} was paid, and may be with the provider.`,
      safeToRetry: false,
    }
  if (originTxHash === null)
    return {
      situation: 'QUOTE_OPEN',
      verdict: 'No deposit of the swap was found, but there may be one.',
      funds: 'Unknown: do not pay again until the deposit is looked up.',
      safeToRetry: false,
    }
  const isShort = deposit.paid !== null && BigInt(deposit.paid) < BigInt(deposit.amount)
  if (deposit.overdue)
    return {
      situation: 'BRIDGE_STUCK',
      verdict: `The deposit was paid, but the swap has not finished in the usual time.${said} Ask ${sanitizeText(provider ?? 'the provider')} with the transaction ${sanitizeText(originTxHash)}.`,
      funds: `${paid} was paid to ${sanitizeText(deposit.address ?? 'its address')} on Bitcoin.`,
      safeToRetry: false,
    }
  return {
    situation: 'BRIDGE_WAITING',
    verdict: isShort
      ? `The deposit is less than the amount.${said}`
      : 'The deposit was paid, but the swap has not finished.',
    funds: `${paid} was paid to ${sanitizeText(deposit.address ?? 'its address')} on Bitcoin.`,
    safeToRetry: false,
  }
}
