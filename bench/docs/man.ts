import type { CommandSchema } from '../../src/cli/schema/schema-command.ts'
import { type Gathered, globalFlags, ownFlags, typed } from './gathered.ts'

/** The manual page, as `docs/man/sluice.1`: roff with the macros of man(7). */
export function manual(all: Gathered): string {
  const { version, description, groups, topics } = all
  const { environment, 'exit-codes': exitCodes, signing, formatting } = topics
  return `${[
    '.\\" Made by `npm run docs` off the commands themselves: change those, not this.',
    `.TH SLUICE 1 "" "sluice ${version}" "User Commands"`,
    '.SH NAME',
    text('sluice - yield and swaps from a terminal'),
    '.SH SYNOPSIS',
    '.B sluice',
    '.I command',
    '[options]',
    '.SH DESCRIPTION',
    text(description),
    '.PP',
    text(
      'Without a profile it runs on a sandbox: two local chains with real protocol contracts. Begin with: sluice demo',
    ),
    '.SH OPTIONS',
    'Every command takes these.',
    ...globalFlags(all).flatMap(flag),
    ...groups.flatMap(({ name, commands }) => [
      `.SH ${heading(`${name} COMMANDS`)}`,
      ...commands.flatMap(section),
    ]),
    ...(
      [
        ['SIGNING', signing],
        ['FORMATTING', formatting],
        ['ENVIRONMENT', environment],
        ['EXIT STATUS', exitCodes],
      ] as const
    ).flatMap(([title, topic]) => [
      `.SH ${title}`,
      text(topic!.intro),
      ...topic!.rows.flatMap(([name, meaning]) => tagged(name, meaning)),
      ...(topic!.outro ? ['.PP', text(topic!.outro)] : []),
    ]),
    '.SH SEE ALSO',
    text('sluice help TOPIC, sluice COMMAND --help, sluice schema COMMAND --json'),
  ].join('\n')}\n`
}

/** One command. */
const section = (one: CommandSchema): string[] => [
  `.SS ${escaped(one.usage)}`,
  text(one.description),
  ...one.arguments.flatMap(({ name, description }) => tagged(name, description)),
  ...ownFlags(one).flatMap(([, flags]) => flags.flatMap(flag)),
  ...(one.examples.length > 0
    ? ['.PP', 'Example:', '.PP', '.nf', ...one.examples.map((line) => text(`  $ ${line}`)), '.fi']
    : []),
]

const flag = (one: CommandSchema['flags'][number]): string[] =>
  tagged(typed(one), `${one.description}${one.default === null ? '' : ` (${one.default} by default)`}`)

const tagged = (name: string, meaning: string): string[] => ['.TP', `.B ${escaped(name)}`, text(meaning)]

const heading = (words: string): string => words.toUpperCase()

/** Escaped words: hyphens that can be copied, no roff escapes and no closing quotation marks. */
const escaped = (words: string): string =>
  words
    .replace(/\\/g, '\\e')
    .replace(/-/g, '\\-')
    .replace(/"/g, '\\(dq')
    .replace(/\s*\n\s*/g, ' ')

/** The same as a separate line, which must not start a macro. */
const text = (words: string): string => escaped(words).replace(/^(?=[.'])/, '\\&')
