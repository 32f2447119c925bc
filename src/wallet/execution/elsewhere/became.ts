import type { Hex } from '../../../domain/address.ts'
import { AppError } from '../../../domain/errors.ts'
import type { Rpc } from '../../../net/rpc.ts'
import type { Journal } from '../../../store/journal-words.ts'
import { type Disagreement, disagreementText, lookMs } from '../agreement.ts'
import { finalityOf, type Wanted } from '../finality.ts'
import { isUnsigned } from '../run.ts'
import { standing } from '../standing.ts'
import { findOnChain } from '../watch.ts'

/**
 * What became of a transaction from elsewhere that is in a block: `done` where it did what it was for, or is not shown to have reverted, as a node may have its block
 * before its receipt; `reverted` where that is so for good, by all endpoints that answer, so that the same may be tried again; else it reverted and may still succeed,
 * in another block, and `unlike` is who shows something else.
 */
export async function becameOf(
  rpc: Rpc,
  hash: Hex,
  wanted: Wanted,
): Promise<'done' | 'reverted' | Unsettled> {
  const found = await findOnChain(rpc, hash)
  if (!found || found.ok) return 'done'
  const { deep, unlike } = await finalityOf(rpc, { ...found, by: rpc.host }, wanted, lookMs)
  return deep ? 'reverted' : { unlike }
}

type Unsettled = { unlike: Disagreement | undefined }

/** That the same reverted elsewhere, and not for good: a reorganisation may put it where it succeeds, or another endpoint shows that it did. */
export const unsettled = (hash: Hex, { unlike }: Unsettled): AppError =>
  new AppError(
    'DONE_ELSEWHERE',
    `${hash} is the same call, which the journal of this machine does not know: it reverted, and that is not final yet, so that it may still succeed${unlike ? `: ${disagreementText(unlike)}` : ''}`,
    {
      details: { hash, isSettled: false },
      hint: `Wait, look what became of it: sluice action explain ${hash}; once it says that it is safe, run the same command again`,
    },
  )

/** What to do about an operation of which the rest seems done already: see what that is, and give this up, or go on by `again` once it is shown to have failed for good. */
export const lookFirst = ({ details }: AppError, giveUp: string, again: string): string =>
  `sluice action explain ${details?.hash}${details?.isSettled === false ? `; once that says that it is safe: ${again}; else` : ', then'}: ${giveUp}`

/** Writes down what a run stopped for, where that is a transaction which seems to have done what is not signed of its operation, or waits and does just that. */
export function noteDone(
  { journal, operationId }: { journal: Journal; operationId: string },
  error: unknown,
): void {
  const { hash, sameAs, nonce } = (error instanceof AppError && error.details) || {}
  const operation = typeof hash === 'string' ? journal.find(operationId) : undefined
  if (!operation || !(error instanceof AppError)) return
  const step = standing(operation).find(
    (one) =>
      one.role === 'action' && (error.code === 'DONE_ELSEWHERE' ? isUnsigned(one) : one.index === sameAs),
  )
  // What waits may be replaced where it came from: by its nonce that is seen.
  const waits = error.code !== 'DONE_ELSEWHERE' && typeof nonce === 'number' && { nonce }
  if (step) journal.noteDone(operationId, step.index, { hash: hash as Hex, ...waits })
}
