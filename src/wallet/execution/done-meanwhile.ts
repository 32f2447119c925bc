import { AppError } from '../../domain/errors.ts'
import type { Transaction } from '../../domain/transaction.ts'
import type { Rpc } from '../../net/rpc.ts'
import type { Journal } from '../../store/journal-words.ts'
import type { Step } from '../../store/operation.ts'
import { isLike, mayHaveSucceeded, type OnChain, usesOf } from './done-elsewhere.ts'
import { seenIfSaid } from './nonce-use.ts'
import { isUnsigned, type Run } from './run.ts'
import { standing } from './standing.ts'

/**
 * What is to be held against the transactions that the wallet made since it was looked whether this is done already, which was those with nonces
 * below `looked`: the actions that are not signed yet, with the amounts that no other quote changes.
 */
export type Meanwhile = {
  looked: number
  actions: readonly { transaction: Transaction; exact: readonly bigint[] }[]
}

/** The same of a run, for a step that is about to be signed; nothing where nobody looked, as who pins a nonce or wants it done twice does not. */
export function meanwhileOf(run: Run, { transaction: { chainId } }: Step): Meanwhile | undefined {
  const looked = run.looked?.[chainId]
  const operation = run.journal.find(run.operationId)
  if (looked === undefined || !operation) return undefined
  const actions = standing(operation)
    .filter((step) => isUnsigned(step) && step.role === 'action' && step.transaction.chainId === chainId)
    .map(({ transaction, leg }) => ({ transaction, exact: run.exactIn?.(leg) ?? [] }))
  return actions.length > 0 ? { looked, actions } : undefined
}

/** So many transactions from elsewhere are looked at once more while a nonce is taken. */
const most = 32

/**
 * Looks at what used, or waits with, the nonces below `nonce` that were not looked at before and that the journal does not hold: a node that
 * was a block behind for one question must not hide that this is done already. DONE_ELSEWHERE where it is; RPC_INCONSISTENT
 * where the node does not show what used one of them, as it may be just that. Of what only waits, a node need not speak.
 */
export async function refuseDoneMeanwhile(
  { journal, rpc, step: { wallet, transaction } }: { journal: Journal; rpc: Rpc; step: Step },
  { looked, actions }: Meanwhile,
  { nonce, latest }: { nonce: number; latest: number },
): Promise<void> {
  const { chainId } = transaction
  const nonces: number[] = []
  for (let at = nonce - 1; at >= looked && nonces.length <= most; at--)
    if (!journal.holderOf(chainId, wallet, at)) nonces.push(at)
  if (nonces.length === 0) return
  const what = `transactions of ${wallet} that this journal does not have came since it was looked whether this is done already`
  if (nonces.length > most) throw lookAgain(`More than ${most} ${what}`, rpc, nonces)
  const isOneOf = (shown: OnChain) =>
    actions.some(({ transaction: wanted, exact }) => isLike(shown, wanted, exact))

  const used = nonces.filter((one) => one < latest)
  if (used.length > 0) {
    const where = { journal, node: rpc, chainId, wallet, latest, isForgotten: true }
    const { uses, silence } = await usesOf(where, used)
    for (const one of used) {
      const use = uses.get(one)
      if (use?.is === 'used' && isOneOf(use) && (await mayHaveSucceeded(rpc, use.hash)))
        throw doneMeanwhile(use.hash, 'is the same call')
    }
    if (silence) throw silence
    const unshown = used.filter((one) => (uses.get(one)?.is ?? 'unshown') === 'unshown')
    if (unshown.length > 0)
      throw lookAgain(
        `${used.length} ${what}, and the node at ${rpc.host} does not show what has the nonce ${unshown[0]}`,
        rpc,
        unshown,
      )
  }
  for (const one of nonces.filter((one) => one >= latest)) {
    const waits = await seenIfSaid<OnChain>(rpc, wallet, one)
    if (waits?.hash && isOneOf(waits)) throw doneMeanwhile(waits.hash, 'waits, and is the same call')
  }
}

const doneMeanwhile = (hash: string, why: string): AppError =>
  new AppError(
    'DONE_ELSEWHERE',
    `It seems done already: ${hash} ${why}, and the journal of this machine does not know it; if it is wanted twice, add --allow-duplicate`,
    {
      details: { hash },
      hint: `sluice action explain ${hash}`,
    },
  )

const lookAgain = (why: string, { host }: Rpc, nonces: readonly number[]): AppError =>
  new AppError('RPC_INCONSISTENT', why, {
    details: { host, nonces },
    hint: 'Run the same command again: it looks at them, too.',
  })
