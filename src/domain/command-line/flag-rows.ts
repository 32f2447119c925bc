import type { LeafName } from './commands.ts'

/**
 * A flag in the table: as the usage has it (`--name`, `--name <must>`, `--name [may]`), its meaning, and what is unusual about
 * it.
 */
export type FlagRow = readonly [
  usage: string,
  help: string,
  more?: {
    /** Its heading in the help of the command. */
    heading?: 'Signer' | 'Execution' | 'Safety'
    isRequired?: true
    /** Each time adds a value; any other flag with a value may be given once. */
    repeats?: true
    default?: string
    choices?: readonly string[]
  },
]

/** Flags, and the commands that take them. */
export type FlagGroup = { of: readonly LeafName[]; flags: readonly FlagRow[] }
