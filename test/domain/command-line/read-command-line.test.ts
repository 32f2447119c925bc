import { type Command, CommanderError, type Option } from 'commander'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildProgram } from '../../../src/app/main.ts'
import { wordsTo } from '../../../src/cli/options/command-tree-queries.ts'
import { isLeaf, operandTable } from '../../../src/domain/command-line/commands.ts'
import { type CommandFlag, flagsOf, formerNames } from '../../../src/domain/command-line/flags.ts'
import {
  type CommandLine,
  maySign,
  readCommandLine,
} from '../../../src/domain/command-line/read-command-line.ts'
import { AppError } from '../../../src/domain/errors.ts'
import { actionStatuses } from '../../../src/domain/swap-outcome.ts'

const leaves = Object.keys(operandTable)

/** What a reader makes of a line: a command with its operands and values, or why it does not run. */
type Outcome =
  | { does: 'run'; command: string; operands: readonly string[]; values: Record<string, unknown> }
  | { does: 'help' | 'version'; command: string }
  | { does: 'refuse' }

const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)]

/** Lets an option take any text: what a text must be is no matter of reading. */
function takeAnyText(option: Option): void {
  if (option.parseArg && !('gathers' in option.parseArg)) option.parseArg = undefined as never
  else if (option.parseArg)
    option.parseArg = ((text: string, before: string[] = []) => [...before, text]) as never
}

/** What commander makes of a line, with the commands and handlers of the program. */
async function byCommander(argv: readonly string[]): Promise<Outcome> {
  const program = { version: '1', io: { out: { write: () => undefined, paint: { level: 0 } } } } as never
  const root = await buildProgram(argv, program)
  let ran: Outcome = { does: 'refuse' }
  for (const command of all(root)) {
    command.options.forEach(takeAnyText)
    command.configureOutput({ writeOut: () => undefined, writeErr: () => undefined })
    if (!isLeaf(wordsTo(command).join(' '))) continue
    for (const one of command.registeredArguments) one.parseArg = undefined as never
    command.action(() => {
      ran = {
        does: 'run',
        command: wordsTo(command).join(' '),
        operands: command.args,
        values: valuesOf(command),
      }
    })
  }
  try {
    await root.parseAsync([...argv], { from: 'user' })
    return ran
  } catch (error) {
    if (error instanceof AppError) return { does: 'refuse' }
    if (!(error instanceof CommanderError)) throw error
    const { command } = error as { command?: Command }
    const does = /^commander\.(help|version)/.exec(error.code)?.[1] as 'help' | 'version' | undefined
    return does ? { does, command: does === 'help' ? wordsTo(command).join(' ') : '' } : { does: 'refuse' }
  }
}

/** What was typed for a command and the groups that it belongs to. */
function valuesOf(command: Command | null): Record<string, unknown> {
  if (!command) return {}
  const own = Object.entries(command.opts()).filter(([name]) => command.getOptionValueSource(name) === 'cli')
  return { ...valuesOf(command.parent), ...Object.fromEntries(own) }
}

/** What the reader makes of a line. */
function byReader(line: CommandLine): Outcome {
  if (line.asks) return { does: line.asks, command: line.asks === 'help' ? line.command : '' }
  if (line.fault !== undefined) return { does: 'refuse' }
  const values: Record<string, unknown> = {}
  for (const { flag, value } of line.flags) {
    const name = attributeOf(flag)
    if (flag.repeats) values[name] = [...((values[name] as string[]) ?? []), value]
    else values[name] = flag.name.startsWith('--no-') ? false : value
  }
  return { does: 'run', command: line.command, operands: line.operands, values }
}

const attributeOf = ({ name }: CommandFlag): string =>
  name.replace(/^--(no-)?/, '').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

/** Lines that the two read differently. */
async function differences(lines: readonly (readonly string[])[]): Promise<unknown[]> {
  const found: unknown[] = []
  for (const typed of lines) {
    const line = readCommandLine(typed)
    // The program shows a topic of the help itself.
    if (line.command === '' && line.operands[0] === 'help') continue
    const [reader, commander] = [byReader(line), await byCommander(line.argv)]
    if (JSON.stringify(sorted(reader)) !== JSON.stringify(sorted(commander)))
      found.push({ typed, reader, commander, fault: line.fault })
  }
  return found
}

const sorted = (outcome: Outcome): Outcome =>
  outcome.does === 'run'
    ? { ...outcome, values: Object.fromEntries(Object.entries(outcome.values).toSorted()) }
    : outcome

/** The operands that a command needs, and the flags that it must have. */
const operandsFor = (words: string): string[] =>
  operandTable[words as keyof typeof operandTable].flatMap(([usage]: readonly [string, string]) =>
    usage.startsWith('<') ? ['x'] : [],
  )
const neededBy = (words: string, but?: CommandFlag): string[] =>
  flagsOf(words).flatMap((flag) => (flag.isRequired && flag.name !== but?.name ? [flag.name, 'v'] : []))

/** Every way to type a flag of a command. */
function linesWith(words: string, flag: CommandFlag): string[][] {
  const { name, short, takes } = flag
  const before = words.split(' ')
  const operands = operandsFor(words)
  const needed = neededBy(words, flag)
  const line = (...typed: string[]) => [...before, ...operands, ...needed, ...typed]
  const values =
    takes === 'nothing' ? [] : ['v', 'a=b', '--json', '--', '-5', '-5x', '-', '', '--bogus', '-y', 'help']
  return [
    line(name),
    line(name, name),
    line(`${name}=`),
    line(`${name}=v`),
    line(`${name}=v=w`),
    line('--', name),
    line('--bogus', name, 'v'),
    line(name, '--help'),
    line(name, 'help'),
    [name, ...line()],
    [name, 'v', ...line()],
    [`${name}=v`, ...line(name, 'v')],
    [...before, name, 'v', ...operands, ...needed],
    [...before, name, ...operands, ...needed],
    [before[0]!, name, 'v', ...before.slice(1), ...operands, ...needed],
    ...values.flatMap((value) => [
      line(name, value),
      line(`${name}=${value}`),
      line(name, value, name, value),
    ]),
    ...(short
      ? [line(short), line(`${short}y`), line(`${short}h`), line(`${short}x`), line(`${short}=v`)]
      : []),
  ]
}

describe('a command line is read as commander reads it', () => {
  // Commander reads a flag alike for every command that has it; after two of them, each has one line here.
  const withAll = ({ name }: CommandFlag) =>
    leaves.filter((words) => flagsOf(words).some((flag) => flag.name === name)).slice(0, 2)
  test.each(leaves)('every flag of %s', async (words) => {
    const lines = flagsOf(words).flatMap((flag) => {
      const every = linesWith(words, flag)
      return withAll(flag).includes(words) ? every : every.slice(0, 1)
    })
    expect(await differences(lines)).toEqual([])
  })

  test('any words', async () => {
    const wordsFor = (words: string) => {
      const typed = flagsOf(words).flatMap(({ name, short }) => [
        name,
        `${name}=v`,
        ...(short ? [short] : []),
      ])
      const some = [
        'x',
        '',
        '-',
        '--',
        '-5',
        '-x',
        '-yh',
        '--bogus',
        '--bogus=v',
        'help',
        '--help',
        '-h',
        '-V',
        '--version',
      ]
      return fc
        .tuple(
          fc.array(fc.constantFrom(...typed, ...some, ...words.split(' ')), { maxLength: 2 }),
          fc.array(fc.oneof(fc.constantFrom(...typed), fc.constantFrom(...some)), { maxLength: 8 }),
        )
        .map(([front, back]) => [
          ...front,
          ...words.split(' '),
          ...operandsFor(words),
          ...neededBy(words),
          ...back,
        ])
    }
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...leaves).chain(wordsFor), async (typed) => {
        expect(await differences([typed])).toEqual([])
      }),
      { numRuns: 500 },
    )
  })

  test('groups, no command, and unknown ones', async () => {
    const groups = ['', 'wallet', 'wallet approvals', 'config', 'action']
    const ends = [
      '',
      'nosuch',
      '--help',
      '-h',
      'nosuch --help',
      '--json',
      '--nosuch',
      'help',
      'help nosuch',
      'list x',
      '--version',
    ]
    const lines = groups.flatMap((group) =>
      ends.map((end) => `${group} ${end}`.split(' ').filter((word) => word !== '')),
    )
    expect(
      await differences([
        ...lines,
        [''],
        ['wallet', ''],
        ['wallet approvals', 'list'],
        ['deposit', 'a', 'b'],
      ]),
    ).toEqual([])
  })
})

describe('the table', () => {
  test('has the commands of the program, and no flag twice for one command', async () => {
    const program = { version: '1', io: { out: { write: () => undefined } } } as never
    const tree = all(await buildProgram([], program, true))
    const named = tree.map((command) => wordsTo(command).join(' '))
    expect(leaves.filter((words) => !named.includes(words))).toEqual([])
    const ends = tree.filter(({ commands }) => commands.length === 0)
    expect(ends.map((command) => wordsTo(command).join(' ')).filter((words) => !isLeaf(words))).toEqual([])
    for (const words of ['', ...leaves]) {
      const names = flagsOf(words).map(({ name }) => name)
      expect([words, names.filter((name, at) => names.indexOf(name) !== at)]).toEqual([words, []])
    }
    for (const [former, name] of formerNames) {
      expect(leaves.some((words) => flagsOf(words).some((flag) => flag.name === (former as string)))).toBe(
        false,
      )
      expect(leaves.some((words) => flagsOf(words).some((flag) => flag.name === name))).toBe(true)
    }
  })

  test('shows every global flag in the help of every command, and --yes only where something is asked', () => {
    for (const words of leaves) {
      const hidden = flagsOf(words).filter(({ isHidden }) => isHidden)
      expect(hidden.map(({ name }) => name).filter((name) => name !== '--yes')).toEqual([])
    }
    const yes = leaves.filter((words) =>
      flagsOf(words).some(({ name, isHidden }) => name === '--yes' && !isHidden),
    )
    expect(yes).toContain('deposit')
    expect(yes).toContain('wallet remove')
    expect(yes).not.toContain('strategies list')
  })

  test('names the statuses of an action', () => {
    const status = flagsOf('action list').find(({ name }) => name === '--status')
    expect(status?.help).toContain(actionStatuses.join(', '))
  })
})

test('a renamed flag is read by its current name, but not behind --', () => {
  expect(readCommandLine(['deposit', 'x', '--max-assurance-loss=L1']).argv).toEqual([
    'deposit',
    'x',
    '--min-assurance=L1',
  ])
  expect(readCommandLine(['decode', '--', '--max-assurance-loss']).operands).toEqual(['--max-assurance-loss'])
})

test.each([
  ['help deposit', 'deposit --help'],
  ['deposit help --json', 'deposit --json --help'],
  ['help wallet new', 'wallet new --help'],
  ['help wallet nosuch', 'wallet nosuch --help'],
  ['deposit x --amount 5 help', 'deposit x --amount 5 help'],
  ['schema help', 'schema help'],
])('the word help stands for the flag: %s', (typed, read) => {
  expect(readCommandLine(typed.split(' ')).argv.join(' ')).toBe(read)
})

test.each([
  ['deposit x --amount 5', true],
  ['deposit x --amount 5 --dry-run', false],
  ['deposit --help', false],
  ['strategies list', false],
])('whether a line may sign: %s', (typed, may) => {
  expect(maySign(readCommandLine(typed.split(' ')))).toBe(may)
})
