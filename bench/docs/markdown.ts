import type { CommandSchema } from '../../src/cli/schema/schema-command.ts'
import { shapesOf } from '../../src/cli/views/command-schema-view.ts'
import { type Gathered, globalFlags, ownFlags, typed } from './gathered.ts'

/** The command reference, as `docs/commands.md`. */
export function markdown(all: Gathered): string {
  const { groups, topics, description } = all
  return `${[
    '# Commands',
    '',
    '<!-- Made by `npm run docs` off the commands themselves: change those, not this. -->',
    '',
    description,
    'For programs the same is `sluice schema COMMAND --json`, with the JSON Schema of what is printed.',
    '',
    ...groups.map(
      ({ name, commands }) =>
        `- **${name}**: ${commands.map(({ command }) => `[${command}](#${anchor(command)})`).join(', ')}`,
    ),
    '',
    '## Flags of every command',
    '',
    ...flagTable(globalFlags(all)),
    ...groups.flatMap(({ name, commands }) => ['', `## ${name}`, ...commands.flatMap(section)]),
    ...Object.entries(topics).flatMap(([name, { intro, rows, outro }]) => [
      '',
      `## ${name[0]!.toUpperCase()}${name.slice(1).replace('-', ' ')}`,
      '',
      intro.replace(/\n/g, ' '),
      '',
      '| | |',
      '|---|---|',
      ...rows.map(([what, meaning]) => `| ${code(what)} | ${cell(meaning)} |`),
      ...(outro ? ['', outro.replace(/\n/g, ' ')] : []),
    ]),
  ].join('\n')}\n`
}

const anchor = (command: string): string => `sluice-${command.replace(/ /g, '-')}`

/** One command. */
function section(one: CommandSchema): string[] {
  const { command, description, usage, signs, output, exitCodes, examples } = one
  const prints = [
    ['', shapesOf(output.success)],
    [' with `--dry-run`', shapesOf(output.plan)],
    [' a line', shapesOf(output.line)],
  ] as const
  return [
    '',
    `### sluice ${command}`,
    '',
    description,
    '',
    '```',
    usage,
    ...examples.map((example) => `$ ${example}`),
    '```',
    ...(one.arguments.length > 0
      ? [
          '',
          '| argument | what |',
          '|---|---|',
          ...one.arguments.map(
            ({ name, description, choices, required, repeatable }) =>
              `| ${code(`${name}${repeatable ? '...' : ''}`)} | ${cell(description)}${choices ? `: ${cell(choices.join(', '))}` : ''}${required ? '' : ' (may be left out)'} |`,
          ),
        ]
      : []),
    ...ownFlags(one)
      .filter(([, flags]) => flags.length > 0)
      .flatMap(([group, flags]) => ['', ...flagTable(flags, group === 'Options' ? 'flag' : group)]),
    '',
    ...prints.flatMap(([when, shapes]) =>
      shapes.map((fields) => `- \`--json\`${when}: ${fields.split(', ').map(code).join(', ')}`),
    ),
    `- Signs: ${signs ? (output.plan ? 'yes; never with `--dry-run`' : 'yes') : 'never'}.`,
    `- Can end with ${exitCodes.map((row) => row.code).join(', ')}.`,
  ]
}

const flagTable = (flags: CommandSchema['flags'], title = 'flag'): string[] => [
  `| ${title} | what |`,
  '|---|---|',
  ...flags.map(
    (flag) =>
      `| ${code(typed(flag))} | ${cell(flag.description)}${flag.default === null ? '' : ` (${code(flag.default)} by default)`}${flag.required ? ' (needed)' : ''}${flag.repeatable ? ' (more than once)' : ''} |`,
  ),
]

/** Escapes text so that it neither ends a table cell nor opens a tag. */
const cell = (text: string): string => text.replace(/\|/g, '\\|').replace(/</g, '&lt;')
const code = (text: string): string => `\`${text.replace(/\|/g, '\\|')}\``
