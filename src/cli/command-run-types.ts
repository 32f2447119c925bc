import type { Service } from '../api/service-type.ts'
import type { Advice } from '../domain/text/next-step.ts'
import type { Backend } from './backend-types.ts'
import type { ProgressLine } from './command-time-type.ts'
import type { Globals } from './options/global-options.ts'
import type { Line, List, ListView, Rows, View } from './output/view-types.ts'
import type { CommandContext } from './program-context-types.ts'
import type { Io } from './terminal/io-types.ts'

/** The context of one run of a command: the program, the global options, and the output. */
export type Cli = {
  program: CommandContext
  io: Io
  globals: Globals
  backend: Backend
  service: () => Promise<Service>
  /** Ends the command with one thing; `rows` is its table, for `--csv`. */
  emit: <value, row>(value: value, view: View<value>, rows?: Rows<row>) => void
  /** Ends the command with a page of a list. */
  list: <row>(list: List<row>, view: ListView<row>) => Promise<void>
  progress: ProgressLine
  line: Line
  /** A notice on stderr, unless `--quiet`. */
  notice: (line: Advice) => void
}

/** The same without a backend: commands that set up profiles must work while no profile does. */
export type LocalCli = Pick<Cli, 'program' | 'io' | 'globals' | 'emit' | 'line' | 'list' | 'notice'>
