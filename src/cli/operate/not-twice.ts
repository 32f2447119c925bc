import { setTimeout as sleep } from 'node:timers/promises'

import type { Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/network-named.ts'
import type { Planned } from '../../wallet/execution/carry-out.ts'
import { doneElsewhere } from '../../wallet/execution/elsewhere/done-elsewhere.ts'
import { standing } from '../../wallet/execution/standing.ts'
import type { Ground } from '../../wallet/ground.ts'
import { exactAmounts, exactAmountsIn } from '../../wallet/plan/exact-amounts.ts'
import type { KeptPlan } from '../../wallet/plan/intent-json.ts'
import type { Checked } from '../../wallet/plan/plan.ts'
import type { Cli } from '../cli.ts'
import { depthOf } from '../flag-values.ts'
import type { SigningOptions } from '../options.ts'
import { confirm } from '../prompts.ts'
import { timeLeft } from '../time-left.ts'
import { type Going, withReport } from './finish.ts'
import { tellNewJournal } from './once-only.ts'

/**
 * Before anything of a plan is signed: asks, or refuses with DONE_ELSEWHERE, when the chain has its action already and
 * the journal does not know of it, as an old journal that was put back does not. A pinned nonce cannot be used twice. Gives how far it was looked.
 */
export async function refuseDone(
  cli: Cli,
  ground: Ground,
  { proposal: { wallet, nonce, legs }, steps }: Checked,
  {
    allowDuplicate,
    confirmations,
    idempotencyKey,
  }: Pick<SigningOptions, 'allowDuplicate' | 'confirmations' | 'idempotencyKey'>,
): Promise<Looked | undefined> {
  if (allowDuplicate || nonce !== null) return undefined
  const { asked, looked } = saying(cli, ground, confirmations)
  const exact = legs.flatMap(({ intent }) => exactAmounts(intent))
  const hash = await doneElsewhere(asked, wallet, actionsOf(steps), { exact })
  if (hash === undefined && idempotencyKey !== undefined) tellNewJournal(cli, ground, wallet, looked)
  if (hash === undefined || (await isWanted(cli, hash))) return looked
  throw new AppError(
    'DONE_ELSEWHERE',
    `It seems done already: ${hash} is the same call, and the journal of this machine does not know it; if it is wanted twice, add --allow-duplicate. Nothing was signed.`,
    {
      details: { hash },
      hint: `sluice action explain ${hash}`,
    },
  )
}

/** How far it was looked on each chain: what is signed later looks at what came since. */
type Looked = NonNullable<Going['looked']>

/** Where it is asked, with a word to the person about what a node does not show; `looked` fills with the asking. */
function saying(cli: Cli, ground: Ground, confirmations: string | undefined) {
  const looked: Record<number, number> = {}
  const until = performance.now() + timeLeft(cli)
  let isTold = false
  const asked = {
    ...ground,
    depth: depthOf(confirmations),
    pause: async (ms: number) => {
      if (!isTold)
        cli.notice(
          'What this wallet sent a moment ago is not shown yet: it is waited for, as it may be the same.',
        )
      isTold = true
      if (performance.now() + ms > until) return false
      await sleep(ms, undefined, { signal: cli.world.interrupt.signal }).catch(() => {
        throw new AppError('INTERRUPTED', 'Stopped before anything was signed')
      })
      return true
    },
    onLooked: (chainId: number, latest: number) => {
      looked[chainId] = Math.min(latest, looked[chainId] ?? latest)
    },
    onUnknown: (chainId: number, nonces: readonly number[]) => {
      const { name } = networkNamed(ground.catalog.networks, chainId)
      const which =
        nonces.length === 1 ? `the nonce ${nonces[0]}` : `the nonces ${nonces.toReversed().join(', ')}`
      cli.notice(
        `The node of ${name} does not show what used ${which} of this wallet outside this machine: whether that was the same is not known.`,
      )
    },
  }
  return { asked, looked }
}

/**
 * Before an operation goes on that was begun, or is planned anew: the same for what is not signed of it, or lost its nonce. After a first
 * signature that is PARTIAL. Gives how far it was looked.
 */
export async function refuseDoneSince(
  cli: Cli,
  ground: Ground,
  operation: Planned,
  { allowDuplicate, nonce, confirmations }: Partial<SigningOptions>,
): Promise<Looked | undefined> {
  const { state, plan } = operation
  const isPinned = nonce !== undefined || (plan as { nonce?: number | null } | null)?.nonce != null
  if (allowDuplicate || (isPinned && state === 'OPEN') || isClosed(state)) return undefined
  try {
    return await refuseDoneLeft(cli, ground, operation, confirmations)
  } catch (error) {
    throw state === 'OPEN' ? error : withReport(afterSigning(error, operation), ground, operation)
  }
}

async function refuseDoneLeft(
  cli: Cli,
  ground: Ground,
  operation: Planned,
  confirmations: string | undefined,
): Promise<Looked> {
  const { asked, looked } = saying(cli, ground, confirmations)
  const { id, wallet, steps } = operation
  for (const step of standing(operation)) {
    const { role, state, transaction, leg } = step
    if (role !== 'action' || !['PLANNED', 'RESERVED', 'SUPERSEDED'].includes(state)) continue
    const signed = steps.flatMap(({ nonce, state, transaction: { chainId } }) =>
      nonce !== null && state !== 'RESERVED' && chainId === transaction.chainId ? [nonce] : [],
    )
    // What was planned anew may be what an earlier version held for lost.
    const lost = steps.flatMap((one) =>
      one.leg === leg && one.role === role && one.state === 'SUPERSEDED' ? (one.nonce ?? []) : [],
    )
    const hash = await doneElsewhere(asked, wallet, [transaction], {
      exact: exactAmountsIn(ground, operation.plan as KeptPlan, step.leg),
      above: state === 'SUPERSEDED' && step.nonce !== null ? step.nonce : Math.max(-1, ...signed),
      lost,
    })
    if (hash === undefined || (await isWantedOrNoted(cli, ground, { id, index: step.index, hash }))) continue
    throw new AppError(
      'DONE_ELSEWHERE',
      `What is left of ${id} seems done already: ${hash} is the same call, and the journal of this machine does not know it`,
      {
        details: { id, hash },
        hint: `See what that is: sluice action explain ${hash}; to close this one: sluice action abandon ${id}`,
      },
    )
  }
  return looked
}

/** Whoever reads the exit code must hear that something is signed. */
function afterSigning(error: unknown, { id }: Planned): unknown {
  if (!(error instanceof AppError)) return error
  const isPartial = error.code === 'DONE_ELSEWHERE' || error.code === 'DECLINED'
  const why = error.code === 'DECLINED' ? 'declined' : error.message
  const hint = isPartial ? (error.hint ?? `sluice action abandon ${id}`) : `sluice action resume ${id}`
  return new AppError(
    isPartial ? 'PARTIAL' : 'PENDING',
    isPartial
      ? `A part is done, and the rest was not signed: ${why}`
      : `Something is signed, and it could not be followed to its end: ${why}`,
    { details: { ...error.details, operation: id, cause: error.code }, cause: error, hint },
  )
}

const actionsOf = (steps: Checked['steps']) =>
  steps.filter(({ role }) => role === 'action').map(({ transaction }) => transaction)

const isClosed = (state: Planned['state']): boolean =>
  state === 'DONE' || state === 'FAILED' || state === 'CANCELLED' || state === 'DROPPED'

/** The same of a step of an action; where it is not wanted, the journal keeps what was found, as whoever gives the action up may ask for the same anew. */
async function isWantedOrNoted(
  cli: Cli,
  { journal }: Ground,
  { id, index, hash }: { id: string; index: number; hash: Hex },
): Promise<boolean> {
  let is = false
  try {
    is = await isWanted(cli, hash)
  } finally {
    if (!is) journal.noteDone(id, index, { hash })
  }
  return is
}

/** Whether a person who is there says that it is to be done all the same. */
async function isWanted(cli: Cli, hash: Hex): Promise<boolean> {
  if (!cli.io.canAsk || cli.globals.yes) return false
  await confirm(cli.io, cli.globals, `It seems done already (${hash}). Do it again?`)
  return true
}
