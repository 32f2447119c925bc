import { AppError } from '../domain/errors.ts'

/** From "nothing is known" to "a device decoded the same bytes": how much of a plan was really checked. */
export const assuranceLevels = ['L0', 'L1', 'L2', 'L3', 'L4'] as const
/** One of them. */
export type AssuranceLevel = (typeof assuranceLevels)[number]

/** What each level says, for whoever reads it. */
export const levelMeaning: Readonly<Record<AssuranceLevel, string>> = {
  L0: 'its shape only',
  L1: 'exact value and allowance, no power given away',
  L2: 'known contract, every argument that matters equals the request',
  L3: 'bound to the request, and its effect seen in a simulation of the whole leg',
  L4: 'and decoded by a device of its own',
}

/**
 * What was checked of a plan beside its calldata, which is always decoded and bound. `code` is the code of the contracts:
 * the one that was pinned before, or seen for the first time and trusted or not, or vouched for by the person.
 */
export type AssuranceFacts = {
  simulation: 'eth_simulateV1' | 'eth_call' | 'unavailable'
  code: 'pinned' | 'trusted' | 'new' | 'vouched'
  reference: 'equal' | 'different' | 'unknown'
  canAsk: boolean
  /** What a swap should bring is the word of the service alone. */
  isWord?: boolean
}

/** The level that the checks of a plan reach. L4 needs a device that decodes for itself, which no signer here does. */
export function assuranceOf({ simulation, code, reference, canAsk, isWord }: AssuranceFacts): AssuranceLevel {
  const isSeen = simulation === 'eth_simulateV1'
  const isKnown = code === 'pinned' || code === 'trusted' || (code === 'new' && canAsk)
  return isSeen && isKnown && !isWord && reference !== 'different' ? 'L3' : 'L2'
}

/** Whether a level is at least as high as another. */
export const reachesLevel = (level: AssuranceLevel, least: AssuranceLevel): boolean =>
  assuranceLevels.indexOf(level) >= assuranceLevels.indexOf(least)

/** Refuses a plan whose assurance is lower than the lowest that is accepted. */
export function refuseLowAssurance(level: AssuranceLevel, lowest: AssuranceLevel, who: string): void {
  if (reachesLevel(level, lowest)) return
  throw new AppError(
    'POLICY_ASSURANCE',
    `The assurance of this plan is ${level} (${levelMeaning[level]}), and ${who} asks for ${lowest}`,
    { details: { assurance: level, lowest } },
  )
}
