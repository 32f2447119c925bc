import type { Facts } from './facts.ts'
import type { Situation } from './verdict.ts'

/** One situation: when it is the one, and what is said then. The first row that fits is taken. */
export type Row = {
  situation: Situation
  is: (facts: Facts) => boolean
  verdict: (facts: Facts) => string
  funds: (facts: Facts) => string
  safeToRetry: (facts: Facts) => boolean
  next: (facts: Facts) => string | null
}

/** For a situation in which another action for the same could pay twice. */
export const never = (): boolean => false
