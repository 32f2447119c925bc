/**
 * The evidence that a protocol works. A: tested with the bytecode of a published package on the embedded chains; if that is another protocol's,
 * `by` names it. B: its calldata equals that of an official SDK, byte for byte. C: built from its published interface, and tested with a contract of
 * our own.
 */
export type IntegrationGrade = { grade: 'A' | 'B' | 'C'; by: string }

/** The meaning of the grades for a depositor. */
export const gradeMeaning: Readonly<Record<IntegrationGrade['grade'], string>> = {
  A: 'tested against real bytecode',
  B: 'calldata equal to that of an official SDK',
  C: 'built from the published interface',
}

/** Whether a word is one of the grades. */
export const isGrade = (word: string): word is IntegrationGrade['grade'] => Object.hasOwn(gradeMeaning, word)
