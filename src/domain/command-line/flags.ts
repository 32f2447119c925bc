import { administrationFlags } from './administration-flags.ts'
import { isLeaf, type LeafName } from './commands.ts'
import type { FlagGroup, FlagRow } from './flag-rows.ts'
import { asking, globalFlags } from './global-flags.ts'
import { readingFlags } from './reading-flags.ts'
import { signingFlags } from './signing-flags.ts'

/*
 * The one table of flags. Commander's options, help, completion, schema and documentation come from it, and so does what
 * launcher, program and signer read off a command line.
 */

const groups = [
  ...signingFlags,
  ...readingFlags,
  ...administrationFlags,
] as const satisfies readonly FlagGroup[]

type Usage = (typeof globalFlags)[number][0] | (typeof groups)[number]['flags'][number][0]
type Long<usage extends string> = usage extends `-${string}, ${infer long}`
  ? long
  : usage extends `${infer long} ${string}`
    ? long
    : usage

/** The long name of a flag that the program has. */
export type FlagName = Long<Usage> | '--help' | '--version'

type Row<command> = (typeof groups)[number] extends infer group
  ? group extends { of: readonly (infer one)[]; flags: readonly (infer row)[] }
    ? Extract<command, one> extends never
      ? never
      : row
    : never
  : never
type Value<usage, more> = more extends { repeats: true }
  ? string[]
  : more extends { choices: readonly (infer choice)[] }
    ? choice
    : usage extends `${string}<${string}`
      ? string
      : usage extends `${string}[${string}`
        ? string | true
        : boolean
type Camel<name> = name extends `${infer word}-${infer rest}` ? `${word}${Capitalize<Camel<rest>>}` : name
type Key<usage extends string, long = Long<usage>> = long extends `--no-${infer name}`
  ? Camel<name>
  : long extends `--${infer name}`
    ? Camel<name>
    : never
type More<row, usage> =
  Extract<row, readonly [usage, ...unknown[]]> extends readonly [unknown, unknown, infer more] ? more : object
/** The usages of the flags whose option always has a value: `--no-wait` makes `wait` false, which is true without it. */
type Given<row extends FlagRow, usage = row[0]> = usage extends `--no-${infer name}`
  ? Exclude<usage, `--${name}` extends row[0] ? usage : never>
  : usage extends string
    ? More<row, usage> extends { isRequired: true } | { default: string }
      ? usage
      : never
    : never

/** The own options of a command, as commander reads them off its flags; of several commands, all that one of them takes. */
export type OptionsOf<command extends LeafName, row extends FlagRow = Row<command>> = {
  [usage in Given<row> as Key<usage>]: Value<usage, More<row, usage>>
} & {
  [usage in Exclude<row[0], Given<row>> as Key<usage>]?: Value<usage, More<row, usage>>
}

/** A flag of a command. */
export type CommandFlag = {
  usage: string
  help: string
  name: FlagName
  short: string | undefined
  takes: 'nothing' | 'value' | 'maybe a value'
  /** The placeholder of its value; `''` without one. */
  placeholder: string
  isGlobal: boolean
  /** Whether the help of the command leaves it out. */
  isHidden: boolean
  heading?: NonNullable<FlagRow[2]>['heading'] | 'Global'
} & Omit<NonNullable<FlagRow[2]>, 'heading'>

function flagOf([usage, help, more = {}]: FlagRow, isGlobal: boolean, isHidden = false): CommandFlag {
  const [, short, name, bracket, placeholder = ''] =
    /^(?:(-\w), )?(--[a-z-]+)(?: ([<[])([^>\]]+)[>\]])?$/.exec(usage)!
  const takes = bracket === '<' ? 'value' : bracket === '[' ? 'maybe a value' : 'nothing'
  return { usage, help, name: name as FlagName, short, takes, placeholder, isGlobal, isHidden, ...more }
}

const ofProgram = flagOf(['-V, --version', 'print the version'], true)

/** Whether the help of a command shows a global flag. A group is only its commands. */
const isShown = (name: string, words: string): boolean =>
  words === '' || (isLeaf(words) && (name !== '--yes' || asking.includes(words)))

/** The place of a flag in the help: the command's own come first, those of every command last. */
const placeOf = ({ heading }: CommandFlag): number =>
  heading === undefined ? 0 : heading === 'Global' ? 2 : 1

const found = new Map<string, readonly CommandFlag[]>()

/** The flags of a command, of a group of commands, or of the program itself (`''`), in the order of the help. */
export function flagsOf(words: string): readonly CommandFlag[] {
  let flags = found.get(words)
  if (!flags) {
    const own = groups.flatMap(({ of, flags }): readonly FlagRow[] =>
      (of as readonly string[]).includes(words) ? flags : [],
    )
    flags = [
      ...own.map((row) => flagOf(row, false)),
      ...globalFlags.map((row) => {
        const flag = flagOf(row, true)
        const isOwn = flag.name === '--yes' || words === ''
        return {
          ...flag,
          isHidden: !isShown(flag.name, words),
          ...(!isOwn && { heading: 'Global' as const }),
        }
      }),
      ...(words === '' ? [ofProgram] : []),
    ]
    flags = flags.toSorted((one, other) => placeOf(one) - placeOf(other))
    found.set(words, flags)
  }
  return flags
}

/** The flag of a command by a name as it is typed; `undefined` if the command has none. */
export const flagNamed = (words: string, typed: string): CommandFlag | undefined =>
  flagsOf(words).find(({ name, short }) => name === typed || short === typed)

/** Whether a command takes a flag. */
export const takesFlag = (words: string, name: FlagName): boolean => flagNamed(words, name) !== undefined

/** Whether a command signs, with a signer that the line may name. */
export const takesSigner = (words: string): words is LeafName => takesFlag(words, '--signer-url')

/** Flags that were renamed, by their former names, which scripts may still use. */
export const formerNames: ReadonlyMap<string, FlagName> = new Map([
  ['--max-assurance-loss', '--min-assurance'],
])
