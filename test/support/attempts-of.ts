import type { Journal } from '../../src/store/journal/journal-interface.ts'
import type { Attempt } from '../../src/store/journal/operation-types.ts'

/** What was signed for a step, oldest first. */
export const attemptsOf = (journal: Pick<Journal, 'find'>, id: string, index: number): readonly Attempt[] =>
  journal.find(id)?.steps.find((step) => step.index === index)?.attempts ?? []
