import type { OptionsOf } from '../../domain/command-line/flags.ts'
import type { signing } from '../../domain/command-line/signing-flags.ts'

/** The options of every command that signs, as commander reads them; no command has all of them. */
export type SigningOptions = Partial<OptionsOf<(typeof signing)[number]>> & { wait: boolean }
