import type { TestSandbox } from '../../support/use-sandbox.ts'
import { aave, morpho, venus } from './lending-years.ts'
import { across, lido, pendle } from './other-years.ts'
import type { Year } from './year.ts'
import { yearNames } from './year-names.ts'

type Set = (sandbox: TestSandbox, isDaily: boolean) => Promise<Year>

/** How a year of each is set up. */
const sets: Readonly<Record<(typeof yearNames)[number], Set>> = {
  'aave-v3, of which as much is lent out all year': aave,
  'compound-v2, of which as much is lent out all year': venus(0),
  'morpho, nine tenths lent out all year': morpho(true),
  'erc4626, by the growth of the week before': morpho(false),
  'pendle-pt, until it matures': pendle,
  'across, whose relays pay each time what was given out since, not compounded': across(0),
  'lido-like, by a contract of our own, by the growth of the week before': lido,
  'compound-v2 of the native coin': venus(1),
  'across of the native coin': across(1),
}

/** The families whose own contracts run here, by name, and how a year of each is set up. */
export const years: readonly (readonly [name: string, set: Set])[] = yearNames.map(
  (name) => [name, sets[name]] as const,
)
