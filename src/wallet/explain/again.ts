import type { Hex } from '../../domain/address.ts'
import { type Facts, type StepFacts, wentWell } from './facts.ts'

/** A transaction that is not of an action, and did what a step of it was to do, or may have. */
type Again = { hash: Hex; does: 'does' | 'may do' }

/** Whether an action happened under a later step, whatever became of this one. */
const isMadeGood = (steps: Facts['steps'], { step: { leg, index } }: StepFacts): boolean =>
  steps.some(
    (one) => one.step.role === 'action' && one.step.leg === leg && one.step.index > index && wentWell(one),
  )

const againOfStep = ({ step, seen }: StepFacts): Again | undefined => {
  const { owner } = seen ?? {}
  // What waits under a nonce that is not lost may still lose it.
  if (owner?.again && (owner.blockNumber !== null || step.state === 'SUPERSEDED'))
    return { hash: owner.hash, does: owner.again === 'surely' ? 'does' : 'may do' }
  return undefined
}

/** What did the same as a step of an action that came to nothing, or may have: that tells where the funds are. */
export function againOf({ steps, focus }: Pick<Facts, 'steps' | 'focus'>): Again | undefined {
  for (const one of focus ? [focus, ...steps] : steps) {
    const again = isMadeGood(steps, one) ? undefined : againOfStep(one)
    if (again) return again
  }
  return undefined
}

/** A step that lost its nonce by the journal, to what no node shows now, or not as final. */
const lostUnsurely = ({ steps }: Facts): StepFacts | undefined =>
  steps.find(
    (one) =>
      one.step.role === 'action' &&
      one.step.state === 'SUPERSEDED' &&
      one.seen !== undefined &&
      one.seen.owner?.isDeep !== true &&
      !one.seen.found &&
      !one.seen.waiting &&
      !isMadeGood(steps, one),
  )

/** The first chain on which something of an action was signed, and that cannot be asked what became of that. */
function unasked({ steps, chains }: Facts): { name: string; why: string } | undefined {
  for (const { attempts, step } of steps) {
    const chain = attempts.length > 0 ? chains.get(step.transaction.chainId) : undefined
    if (chain && chain.is !== 'there') return { name: chain.network.name, why: chain.why }
  }
  return undefined
}

/** Why an action that moved nothing itself does not leave the same safe to be asked for anew: as sentences that follow another one, and where to look, if anywhere. */
export function whyUnsafe(facts: Facts): { text: string; next?: string } | undefined {
  const { operation, focus } = facts
  const silent = unasked(facts)
  if (silent)
    return {
      text: ` Only the journal says so: ${silent.name} cannot be asked now (${silent.why}), and what was signed may have come into a block there since.`,
      next: `sluice action explain ${operation.id}`,
    }
  const again = againOf(facts)
  if (again) {
    const { hash, does } = again
    // What has the nonce of the step that decides is told of there.
    const isTold = focus?.seen?.owner?.hash === hash
    return {
      text: isTold ? '' : ` The transaction ${hash} ${does} the same.`,
      next: `sluice action explain ${hash}`,
    }
  }
  const lost = lostUnsurely(facts)
  return lost && { text: unsureText(lost) }
}

function unsureText({ step: { nonce }, network, seen }: StepFacts): string {
  const { owner } = seen ?? {}
  return owner
    ? ` ${owner.hash}, which used the nonce ${nonce} of it, is not final: it may still be mined instead.`
    : ` What used the nonce ${nonce} of it is not shown by the node of ${network.name}: it may have done the same.`
}
