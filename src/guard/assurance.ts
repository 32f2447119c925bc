import { AppError } from '../domain/errors.ts'

/** The assurance levels: how much of a plan was verified, from nothing to a device that decoded the same bytes. */
export const assuranceLevels = ['L0', 'L1', 'L2', 'L3', 'L4'] as const
export type AssuranceLevel = (typeof assuranceLevels)[number]

/** The meaning of each level, for people. */
export const levelMeaning: Readonly<Record<AssuranceLevel, string>> = {
  L0: 'shape only',
  L1: 'exact value and allowance; no permission beyond the request',
  L2: 'known contract; each relevant argument matches the request',
  L3: 'matches the request; effect confirmed by simulation',
  L4: 'also decoded by an independent device',
}

/**
 * What was verified of a plan beside its calldata, which is always decoded and bound. `code` is the state of the contracts' code:
 * pinned before, seen first and trusted or not, or exempted by the person.
 */
export type AssuranceFacts = {
  simulation: 'eth_simulateV1' | 'eth_call' | 'unavailable'
  code: 'pinned' | 'trusted' | 'new' | 'vouched'
  reference: 'equal' | 'different' | 'unknown'
  canAsk: boolean
  /** The price of a swap is the service's word alone. */
  isWord?: boolean
}

/** The level that the checks of a plan reach. L4 needs a device that decodes by itself, which no signer here does. */
export function assuranceOf({ simulation, code, reference, canAsk, isWord }: AssuranceFacts): AssuranceLevel {
  const isSeen = simulation === 'eth_simulateV1'
  const isKnown = code === 'pinned' || code === 'trusted' || (code === 'new' && canAsk)
  return isSeen && isKnown && !isWord && reference !== 'different' ? 'L3' : 'L2'
}

/** Whether a level is at least as high as another. */
export const reachesLevel = (level: AssuranceLevel, least: AssuranceLevel): boolean =>
  assuranceLevels.indexOf(level) >= assuranceLevels.indexOf(least)

/** Refuses a plan below the accepted assurance level. */
export function refuseLowAssurance(level: AssuranceLevel, lowest: AssuranceLevel, who: string): void {
  if (reachesLevel(level, lowest)) return
  throw new AppError(
    'POLICY_ASSURANCE',
    `The assurance of this plan is ${level} (${levelMeaning[level]}), but ${who} requires ${lowest}`,
    { details: { assurance: level, lowest } },
  )
}
