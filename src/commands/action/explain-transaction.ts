import { getAddress } from 'viem/utils'
import type { FinalityDepth } from '../../chain/finality/finality.ts'
import { disagreementHint, disagreementText } from '../../chain/finality/quorum.ts'
import { undefinedIfUnanswered, withTimeout } from '../../chain/rpc/timeouts.ts'
import type { Cli } from '../../cli/command-run-types.ts'
import { coinInUsd } from '../../cli/gas-in-usd.ts'
import { gasWorth } from '../../cli/views/operation-view.ts'
import { feeText, movesText, transactionJson } from '../../diagnosis/calls/call-json.ts'
import { movesOfReceipt, type ReceiptMoves } from '../../diagnosis/calls/receipt-moves.ts'
import { foreignTransfer } from '../../diagnosis/lookup/foreign-transfer.ts'
import {
  type FoundTransaction,
  lookUpTransaction,
  type UnansweredNetwork,
} from '../../diagnosis/lookup/transaction-lookup.ts'
import { revertCause } from '../../diagnosis/revert-cause.ts'
import type { Verdict } from '../../diagnosis/verdict.ts'
import type { Hex } from '../../domain/address.ts'
import { type Network, rpcVariable } from '../../domain/networks.ts'
import { sluice } from '../../domain/text/next-step.ts'
import { momentText } from '../../domain/text/time-spans.ts'
import type { ExecutionContext } from '../../planning/execution-context-types.ts'

/** Looks up a hash that is of no action of this machine: a verdict, from the network that has it; else the networks that did not answer. */
export async function explainTransaction(
  { backend }: Pick<Cli, 'backend'>,
  context: ExecutionContext,
  hash: Hex,
  depth?: FinalityDepth,
): Promise<{ verdict: Verdict } | { silent: UnansweredNetwork[] }> {
  const { found, silent } = await lookUpTransaction(context, hash, depth)
  if (!found) return { silent }
  const fee = found.block ? found.block.mined.gasUsed * found.block.mined.gasPrice : null
  const [transfer, reason, feeUsd] = await Promise.all([
    foreignTransfer(context, hash, found, null),
    reasonOf(context, found),
    fee === null ? null : coinInUsd(backend, found.network, fee),
  ])
  const verdict = verdictOf(context, hash, found, { reason, fee, feeUsd })
  if (!transfer) return { verdict }
  const isOver = endedSituations.includes(transfer.situation)
  return {
    verdict: {
      ...verdict,
      ...transfer,
      verdict: `${verdict.verdict} ${transfer.verdict}`,
      next: transfer.next ?? (isOver ? verdict.next : sluice('action explain', hash)),
    },
  }
}

/** The situations of a transfer of another machine that is over; of any other one, asking again is the only step. */
const endedSituations: readonly string[] = ['FOREIGN', 'BRIDGE_SHORT', 'BRIDGE_REFUNDED', 'ORDER_UNFILLED']

/** Where the funds of a transaction are that was sent from elsewhere. */
function fundsOf(
  { catalog }: ExecutionContext,
  { network, from, described, block }: FoundTransaction,
  moved: ReceiptMoves,
): string {
  if (!block) return `With ${from}, until it is mined.`
  if (block.unlike?.has === 'something else') return 'Unknown: the nodes report different outcomes.'
  if (block.unlike?.has === 'another') return 'Unknown: the nodes have different blocks at that height.'
  if (!block.succeeded) return `Not moved, except the fee; still with ${from}.`
  const unseen = moved.unseen.map((one) => ` Not in the logs: ${one}.`).join('')
  const text = movesText(catalog, network, moved)
  if (text) return `On chain: ${text}${unseen}`
  if (described.kind === 'approve') {
    const given = moved.approvals.findLast(({ units }) => units > 0n)
    return `Not moved${given ? `; ${getAddress(given.spender)} now has the allowance` : ''}.`
  }
  return described.isDecoded
    ? `No token that the logs show moved for ${from}.${unseen}`
    : `Unknown: the call is not decoded. ${from} signed it and paid the fee.`
}

/** The verdict about a transaction in a block that is not final. */
function finalText({ isFinal, unlike }: NonNullable<FoundTransaction['block']>, network: Network): string {
  if (isFinal) return ''
  return unlike
    ? ` according to ${unlike.by}; it would be final, but ${disagreementText(unlike)}. ${disagreementHint(unlike, rpcVariable(network))}`
    : ', not final yet'
}

/** A transaction that was sent from elsewhere, in words. */
function verdictOf(
  context: ExecutionContext,
  hash: Hex,
  found: FoundTransaction,
  { reason, fee, feeUsd }: { reason: string | null; fee: bigint | null; feeUsd: string | null },
): Verdict {
  const { network, from, nonce, call, described, block } = found
  const { catalog } = context
  const link = network.explorer === null ? [] : [`${network.explorer}/tx/${hash}`]
  const where =
    block && `in block ${block.number} of ${network.name}, mined ${momentText(block.at)} (block time)`
  const { to, value } = call
  const isAgreed = block !== null && block.unlike === undefined
  const moved = movesOfReceipt(
    catalog,
    network,
    { from, to, value, logs: block?.mined.logs ?? [], ok: isAgreed && block.succeeded },
    described,
  )
  const because = reason === null ? '' : `: ${reason}`
  return {
    id: hash,
    situation: 'FOREIGN',
    verdict: block
      ? `On ${network.name} it ${described.text}, and ${block.succeeded ? 'succeeded' : `reverted${because}`}${finalText(block, network)}.`
      : `Pending on ${network.name}: it ${described.text}.`,
    funds: fundsOf(context, found, moved),
    safeToRetry: block?.succeeded === false && block.isFinal,
    next: block?.isFinal ? null : sluice('action explain', hash),
    evidence: [
      { source: 'journal', text: 'not in the journal of this machine' },
      { source: 'chain', text: `signed by ${from} with nonce ${nonce}` },
      ...[
        ...(where ? [where] : []),
        ...(fee !== null && fee > 0n ? [`the fee was ${feeText(network, fee)}${gasWorth(feeUsd)}`] : []),
        ...described.unread.map((one) => `not read: ${one}`),
        ...link,
      ].map((text) => ({ source: 'chain' as const, text })),
    ],
    transaction: {
      ...transactionJson(catalog, network, {
        from,
        value,
        call: described,
        moved,
        status: block ? (block.succeeded ? 'success' : 'reverted') : 'pending',
        revertReason: reason,
        fee,
      }),
      feeUsd,
    },
  }
}

/** Why a transaction reverted, by calling it again on the state before its block; `null` if no node says. */
async function reasonOf(
  { rpc }: ExecutionContext,
  { network, from, call, block }: FoundTransaction,
): Promise<string | null> {
  if (!block || block.succeeded || call.to === null) return null
  const step = {
    wallet: from,
    transaction: { to: call.to, data: call.input, value: call.value, chainId: network.chainId },
    inclusion: block.mined,
  }
  return (await undefinedIfUnanswered(withTimeout(revertCause(rpc(network.chainId), step)))) ?? null
}
