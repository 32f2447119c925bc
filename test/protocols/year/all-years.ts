import type { TestSandbox } from '../../support/use-sandbox.ts'
import { aave, morpho, venus } from './lending-years.ts'
import { across, lido, pendle } from './other-years.ts'
import type { Year } from './year.ts'
import { yearNames } from './year-names.ts'

type Set = (sandbox: TestSandbox, isDaily: boolean) => Promise<Year>

/** The setup of each year, by name. */
const sets: Readonly<Record<(typeof yearNames)[number], Set>> = {
  'aave-v3 at constant utilization': aave,
  'compound-v2 at constant utilization': venus(0),
  'morpho at nine tenths utilization': morpho(true),
  'erc4626 by the growth of the previous week': morpho(false),
  'pendle-pt until maturity': pendle,
  'across with relay fees, not compounded': across(0),
  'lido (sandbox contract) by the growth of the previous week': lido,
  'compound-v2 of the native coin': venus(1),
  'across of the native coin': across(1),
}

/** The years of the protocols whose own contracts run here, by name, with their setup. */
export const years: readonly (readonly [name: string, set: Set])[] = yearNames.map(
  (name) => [name, sets[name]] as const,
)
