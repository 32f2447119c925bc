import type { Action } from '../../api/action.ts'
import type { SwapStatus } from '../../api/swap-status.ts'
import type { Cli } from '../../cli/command-run-types.ts'
import { unknownHash } from '../../cli/lookup/unknown-hash.ts'
import { lookUpAtService, notThereCodes } from '../../cli/named-id.ts'
import { balanceChanges, type NamedTransactions } from '../../diagnosis/lookup/balance-changes.ts'
import type { UnansweredNetwork } from '../../diagnosis/lookup/transaction-lookup.ts'
import {
  bitcoinEvidence,
  bitcoinVerdict,
  isBitcoinSwap,
  unpaidVerdict,
} from '../../diagnosis/rules/bitcoin-deposits.ts'
import type { Verdict } from '../../diagnosis/verdict.ts'
import { EvmAddress, Hash, type Hex, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { rpcVariable } from '../../domain/networks.ts'
import { wordOf } from '../../domain/swap-outcome.ts'
import { sluice } from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { ExecutionContext } from '../../planning/execution-context-types.ts'
import { isTransactionHash } from '../../planning/named-operation.ts'

/**
 * Explains an id that only the service knows: an unused quote, or an action of another machine.
 * ACTION_NOT_FOUND if the service does not know it either, unless networks do not answer about a hash.
 */
export async function explainFromService(
  cli: Cli,
  context: ExecutionContext,
  id: string,
  silent: readonly UnansweredNetwork[],
): Promise<Verdict> {
  const service = await cli.service()
  const notThere = (error: unknown) => {
    if (error instanceof AppError && notThereCodes.includes(error.code)) return undefined
    throw error
  }
  const swap = await service.swapStatus({ id }).catch(notThere)
  let unsaid: AppError | undefined
  const known = await service
    .getAction({ id })
    .catch(notThere)
    .catch((error: unknown) => {
      // Report what is known of the swap even if the other request fails.
      if (!swap || !(error instanceof AppError)) throw error
      unsaid = error
      return undefined
    })
  // The approval of a swap may be sent before the swap.
  const isUntouched =
    !unsaid && swap?.originTxHash === null && !known?.transactions.some(({ hash }) => hash !== null)
  if (swap && isUntouched && !swap.deposit?.note && ['pending', 'expired'].includes(wordOf(swap)))
    return quoteVerdict(id, wordOf(swap) === 'expired')
  if (isBitcoinSwap(swap)) return { id, ...bitcoinVerdict(id, swap), evidence: bitcoinEvidence(swap) }
  const { id: whole, isListed } =
    known || swap ? { id: undefined, isListed: true } : await lookUpAtService(cli, id)
  if (whole !== undefined && whole !== id) return explainFromService(cli, context, whole, silent)
  if (!known && !swap && isTransactionHash(id))
    throw unknownHash(id, silent, {
      again: sluice('action explain', id),
      asked: isListed
        ? 'not in the journal of this machine or at the service'
        : 'not in the journal of this machine, and the service gave no list of actions to look it up in',
    })
  if (!known && !swap)
    throw new AppError(
      'ACTION_NOT_FOUND',
      `There is no action "${sanitizeText(id)}" in the journal of this machine or at the service`,
    )
  const status = sanitizeText(wordOf(known ?? swap!))
  // The service did not say whether the swap was started.
  const again = unsaid && swap?.originTxHash === null
  const named = namedIn(known, swap)
  const moved = named.hashes.length > 0 ? await balanceChanges(context, named) : undefined
  const burn = moved?.burn
  const [lacking] = moved?.withoutRpc ?? []
  const explain = sluice('action explain', id)
  return {
    id,
    situation: burn?.situation ?? 'FOREIGN',
    verdict: again
      ? `Not in the journal of this machine. The service reports the swap as ${status}, but not whether a transaction was sent.`
      : `Not started on this machine; the service reports ${status}.${burn ? ` ${burn.verdict}` : ''}`,
    funds: again
      ? 'Unknown: another machine may have sent a transaction.'
      : (burnFunds(burn, moved?.funds) ??
        'Not moved, as far as the service knows: it names no transaction. The machine that started the action may have sent one.'),
    safeToRetry: false,
    next: again
      ? explain
      : lacking
        ? { ...explain, env: { [rpcVariable(lacking)]: 'URL' } }
        : sluice('action watch', id),
    evidence: [...reportedEvidence(status, swap, known, unsaid), ...(moved?.evidence ?? [])],
  }
}

/** What the service reports of an action or a swap. `unsaid` is the failure of its answer about the action. */
const reportedEvidence = (
  status: string,
  swap: SwapStatus | undefined,
  known: Action | undefined,
  unsaid: AppError | undefined,
): Verdict['evidence'] => {
  const said = (text: string) => ({ source: 'service' as const, text: sanitizeText(text) })
  return [
    { source: 'journal', text: 'not in the journal of this machine' },
    { source: 'service', text: `the service reports ${status}` },
    ...(swap?.note === undefined ? [] : [said(swap.note)]),
    ...(unsaid ? [said(`the service did not return the action: ${unsaid.message}`)] : []),
    ...(known?.transactions ?? []).flatMap((one) => (one.hash === null ? [] : [said(reportedText(one))])),
  ]
}

/** Where the funds of a burn are while it is not delivered; else what the chains moved. */
const burnFunds = (
  burn: { situation: string; funds?: string } | undefined,
  moved: string | undefined,
): string | undefined => (burn && burn.situation !== 'FOREIGN' ? burn.funds : moved)

/** A transaction as the service reports it: its network and status, if it states them. */
const reportedText = ({ hash, network, chainId, status }: Action['transactions'][number]): string => {
  const where = network ?? (chainId === null ? null : `chain ${chainId}`)
  return `${hash}${where === null ? '' : ` on ${where}`} ${status === null ? 'has no status' : `is ${status}`}`
}

/** The transactions that a service names, and the accounts whose funds they move. */
function namedIn(known: Action | undefined, swap: SwapStatus | undefined): NamedTransactions {
  const hashOf = (text: string | null | undefined): Hex[] => {
    const { data } = Hash.safeParse(text)
    return data ? [data] : []
  }
  const whose = [known?.originAddress, known?.receiverAddress].flatMap((text) => {
    const { data } = EvmAddress.safeParse(text)
    return data ? [data] : []
  })
  return {
    hashes: [
      ...hashOf(swap?.originTxHash),
      ...(known?.transactions ?? []).flatMap(({ hash }) => hashOf(hash)),
    ],
    delivery: hashOf(swap?.destinationTxHash)[0] ?? null,
    networkOf: (hash) => {
      const tx = known?.transactions.find((one) => one.hash === hash)
      return tx?.network ?? tx?.chainId ?? null
    },
    whose: whose.filter((one, at) => whose.findIndex((other) => sameAddress(one, other)) === at),
  }
}

const quoteVerdict = (id: string, isDead: boolean): Verdict => ({
  id,
  ...unpaidVerdict(id, isDead),
  evidence: [
    { source: 'journal', text: 'not in the journal of this machine' },
    {
      source: 'service',
      text: `the quote is ${isDead ? 'expired' : 'pending'}, without a known transaction`,
    },
  ],
})
