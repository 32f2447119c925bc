/** Whether a condition was met for a subject when it was last known. */
type ConditionState = { subject: string; condition: string; isMet: boolean }

/** The last known states of conditions, kept between runs. `scope` separates watches that report on their own. */
export type ConditionStates = {
  read: (scope: string) => ConditionState[]
  save: (scope: string, changed: readonly ConditionState[], at: number) => void
}
