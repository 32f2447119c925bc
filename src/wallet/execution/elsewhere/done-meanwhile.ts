import { AppError } from '../../../domain/errors.ts'
import { networkNamed } from '../../../domain/network-named.ts'
import type { Transaction } from '../../../domain/transaction.ts'
import type { Rpc } from '../../../net/rpc.ts'
import type { Journal } from '../../../store/journal-words.ts'
import type { Step } from '../../../store/operation.ts'
import { pauses } from '../../chain/patient.ts'
import { type Wanted, wantedOf } from '../finality.ts'
import { seenIfSaid } from '../nonce-use.ts'
import { isUnsigned, pause, type Run, stopped } from '../run.ts'
import { standing } from '../standing.ts'
import { believed } from './as-hashed.ts'
import { becameOf, unsettled } from './became.ts'
import { type OnChain, usesOf } from './done-elsewhere.ts'
import { isLike } from './like.ts'
import { isOwn, isSeenMined, notOwn } from './own.ts'

/**
 * What is to be held against the transactions that the wallet made since it was looked whether this is done already, which was those with nonces
 * below `looked`: the actions that are not signed yet, with the amounts that no other quote changes; `wanted` is how deep one of them must have reverted that is to be done all the same. `pause` waits so many ms, and gives whether the run has time left.
 */
export type Meanwhile = {
  looked: number
  actions: readonly { transaction: Transaction; exact: readonly bigint[] }[]
  wanted: Wanted
  pause: (ms: number) => Promise<boolean>
}

/** That a node does not show what used nonces, of which `lowest` is the first, and what to say where that stays so. */
export type Unshown = { lowest: number; error: AppError }

/** The same of a run, for a step that is about to be signed; nothing where nobody looked, as who pins a nonce or wants it done twice does not. */
export function meanwhileOf(run: Run, { transaction: { chainId } }: Step): Meanwhile | undefined {
  const looked = run.looked?.[chainId]
  const operation = run.journal.find(run.operationId)
  if (looked === undefined || !operation) return undefined
  const actions = standing(operation)
    .filter((step) => isUnsigned(step) && step.role === 'action' && step.transaction.chainId === chainId)
    .map(({ transaction, leg }) => ({ transaction, exact: run.exactIn?.(leg) ?? [] }))
  const wanted = wantedOf(networkNamed(run.networks, chainId).depth, run.depth)
  return actions.length > 0 ? { looked, actions, wanted, pause: (ms) => pauseInTime(run, ms) } : undefined
}

async function pauseInTime(run: Run, ms: number): Promise<boolean> {
  try {
    await pause(run, ms)
    return true
  } catch (error) {
    if (error !== stopped || run.signal?.aborted) throw error
    return false
  }
}

/** Behind so many that wait it is still believed that they do: nothing that is signed behind one that is not there is ever mined, nor what comes after it. */
export const mostWaiting = 64

/** Of so many transactions from elsewhere that are in blocks, the newest, it is looked what they are while a nonce is taken: as many as the first look takes. */
const mostUsed = 32

/** How many that wait are asked for side by side. */
const together = 8

/**
 * Looks at what used, or waits with, the nonces below `nonce` that were not looked at before, but for what the journal signed for them itself: a node that
 * was a block behind for one question must not hide that this is done already. DONE_ELSEWHERE where it is. Gives what the
 * node does not show of what is used, as it may be just that. Of what only waits, a node need not speak.
 */
export async function refuseDoneMeanwhile(
  { journal, rpc, step: { wallet, transaction } }: { journal: Journal; rpc: Rpc; step: Step },
  { looked, actions, wanted }: Meanwhile,
  { nonce, latest }: { nonce: number; latest: number },
): Promise<Unshown | undefined> {
  const { chainId } = transaction
  const newest = (from: number, below: number, most: number, isOurs: (at: number) => boolean): number[] => {
    const found: number[] = []
    for (let at = below - 1; at >= from && found.length < most; at--) if (!isOurs(at)) found.push(at)
    return found
  }
  const isOneOf = (shown: OnChain) =>
    actions.some(({ transaction: wanted, exact }) => isLike(shown, wanted, exact))

  const where = { journal, node: rpc, chainId, wallet, latest, isForgotten: true }
  const used = await notOwn(where, newest(looked, Math.min(nonce, latest), mostUsed, isSeenMined(where)))
  if (used.length > 0) {
    const { uses, silence, recent } = await usesOf(where, used)
    for (const one of used) {
      const use = uses.get(one)
      if (use?.is !== 'used' || !isOneOf(use) || isOwn(where, one, use.hash)) continue
      const became = await becameOf(rpc, use.hash, wanted)
      if (became === 'done') throw doneMeanwhile(use.hash, 'is the same call')
      if (became !== 'reverted') throw unsettled(use.hash, became)
    }
    if (silence) throw silence
    const unshown = used.filter((one) => (uses.get(one)?.is ?? 'unshown') === 'unshown')
    const error = () => recent?.error ?? lookAgain(rpc, wallet, { used, unshown })
    if (unshown.length > 0) return { lowest: Math.min(...unshown), error: error() }
  }

  const isHeld = (at: number) => journal.holderOf(chainId, wallet, at) !== undefined
  const waiting = newest(Math.max(looked, latest), nonce, mostWaiting + 1, isHeld)
  if (waiting.length > mostWaiting) throw tooManyWaiting(rpc, wallet, { latest, pending: nonce })
  for (let at = 0; at < waiting.length; at += together) {
    const some = waiting.slice(at, at + together)
    const shown = await Promise.all(some.map((one) => seenIfSaid<OnChain>(rpc, wallet, one)))
    for (const [place, waits] of shown.entries()) {
      const { hash } = waits ?? {}
      const whose = { wallet, chainId, nonce: some[place]! }
      if (waits && hash && isOneOf(await believed(rpc, whose, { ...waits, hash })))
        throw doneMeanwhile(hash, 'waits, and is the same call')
    }
  }
  return undefined
}

/**
 * Waits a moment for what is not shown, before try number `tried`, and gives what is to be looked at then; throws its error where it takes longer
 * than a block of the slowest chains, or than the run has.
 */
export async function awaitShown(
  meanwhile: Meanwhile,
  { lowest, error }: Unshown,
  tried: number,
): Promise<Meanwhile> {
  const ms = pauses[tried - 1]
  if (ms === undefined || !(await meanwhile.pause(ms))) throw error
  return { ...meanwhile, looked: lowest }
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

const lookAgain = (
  { host }: Rpc,
  wallet: string,
  { used, unshown }: Record<'used' | 'unshown', number[]>,
): AppError =>
  new AppError(
    'RPC_INCONSISTENT',
    `${used.length} transactions of ${wallet} that this journal does not have came since it was looked whether this is done already, and the node at ${host} does not show what has the nonce ${unshown[0]}`,
    {
      details: { host, nonces: unshown },
      hint: 'Run the same command again: it looks at them, too.',
    },
  )

/** That more wait, by what a node counts, than anything is signed behind. */
export const tooManyWaiting = (
  { host }: Rpc,
  wallet: string,
  { latest, pending }: { latest: number; pending: number },
): AppError =>
  new AppError(
    'RPC_INCONSISTENT',
    `The node at ${host} counts ${pending - latest} transactions of ${wallet} that wait, which is not believed: behind more than ${mostWaiting} of others nothing is signed`,
    {
      details: { host, latest, pending, most: mostWaiting },
      hint: 'Name another RPC endpoint; if they do wait, wait until fewer of them do',
    },
  )
