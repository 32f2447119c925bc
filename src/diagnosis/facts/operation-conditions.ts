import { isInFlight } from '../../domain/step-state.ts'
import { type ChainFacts, type Facts, hasStepSucceeded, type StepFacts } from './operation-facts.ts'

/** Whether an allowance is known to remain. */
export const hasRemainingAllowance = ({ remainingAllowances }: Facts): boolean =>
  remainingAllowances === null || remainingAllowances.length > 0

/** Whether the operation moved funds on any chain. */
export const hasMovedFunds = ({ steps }: Facts): boolean =>
  steps.some(
    ({ step, onChain }) =>
      step.role === 'action' &&
      (step.state === 'FINAL_OK' || (onChain?.found?.ok === true && onChain.found.kind !== 'cancel')),
  )

/** The relevant chains that do not answer correctly: with a pending step, only its own. */
export function failingChains({ chains, focus }: Facts, is: ChainFacts['is']): ChainFacts[] {
  const only = focus && isInFlight(focus.step) && !hasStepSucceeded(focus) ? focus.network.chainId : undefined
  return [...chains.values()].filter(
    (one) => one.is === is && (only === undefined || one.network.chainId === only),
  )
}

/** Whether the deciding step is signed and in no visible block. */
export const isUnconfirmed = ({ focus }: Facts): boolean =>
  focus !== undefined && isInFlight(focus.step) && !focus.onChain?.found && !hasStepSucceeded(focus)

/** Whether a later step carried out the action of this one. */
const isMadeGood = (steps: Facts['steps'], { step: { leg, index } }: StepFacts): boolean =>
  steps.some(
    (one) =>
      one.step.role === 'action' && one.step.leg === leg && one.step.index > index && hasStepSucceeded(one),
  )

/** The first action step that lost its nonce and that no later step replaced. The foreign transaction may have done the same. */
export const supersededStep = ({ steps }: Pick<Facts, 'steps'>): StepFacts | undefined =>
  steps.find(
    (one) =>
      one.step.role === 'action' &&
      (one.step.state === 'SUPERSEDED' || (one.onChain?.owner && one.onChain.owner.blockNumber !== null)) &&
      !one.onChain?.found &&
      !one.onChain?.waiting &&
      !isMadeGood(steps, one),
  )
