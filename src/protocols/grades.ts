/**
 * How well a protocol is known to work. A: against the bytecode of a published package, on the embedded chains; where a market has another
 * protocol's bytecode, `by` says whose was run. B: its calldata equals that of an official SDK, byte for byte. C: by its published interface,
 * with a contract of ours in its place.
 */
export type Grade = { grade: 'A' | 'B' | 'C'; by: string }

/** What the letters mean to a depositor. */
export const gradeMeaning: Readonly<Record<Grade['grade'], string>> = {
  A: 'tested against real bytecode',
  B: 'calldata equal to that of an official SDK',
  C: 'built from the published interface',
}

/** Whether a word is one of the grades. */
export const isGrade = (word: string): word is Grade['grade'] => Object.hasOwn(gradeMeaning, word)
