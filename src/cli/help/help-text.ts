import type { Command, Help } from 'commander'

/**
 * The help of a command before it is fitted to a width; `sections` are its arguments, options and
 * commands under their headings.
 */
export type HelpParts = {
  usage: string
  about: string
  sections: readonly Section[]
  after: string
}
type Section = readonly [heading: string, items: readonly (readonly [term: string, text: string])[]]

/** The narrowest column, in letters, that a text is broken for; a narrower one is left to the terminal. */
const narrowest = 24

/** The parts of the help of a command, as commander would show them. */
export function helpParts(command: Command, helper: Help = command.createHelp()): HelpParts {
  const options = helper.visibleOptions(command)
  const subs = helper.visibleCommands(command)
  const headed: Section[] = [
    [
      'Arguments:',
      helper
        .visibleArguments(command)
        .map((one) => [helper.argumentTerm(one), helper.argumentDescription(one)]),
    ],
    ...grouped(command.options, options, (one) => one.helpGroupHeading ?? 'Options:').map(
      ([heading, some]): Section => [
        heading,
        some.map((one) => [helper.optionTerm(one), helper.optionDescription(one)]),
      ],
    ),
    ...grouped(command.commands, subs, (one) => one.helpGroup() || 'Commands:').map(
      ([heading, some]): Section => [
        heading,
        some.map((one) => [helper.subcommandTerm(one), helper.subcommandDescription(one)]),
      ],
    ),
  ]
  const after: string[] = []
  ;(command as Command & NodeJS.EventEmitter).emit('afterHelp', {
    error: false,
    command,
    write: (text: string) => void after.push(text),
  })
  return {
    usage: helper.commandUsage(command),
    about: helper.commandDescription(command),
    sections: headed.filter(([, items]) => items.length > 0),
    after: after.join(''),
  }
}

/** Those that are shown under their headings, which come in the order in which all of them name them. */
function grouped<item>(
  all: readonly item[],
  shown: readonly item[],
  headingOf: (one: item) => string,
): [string, item[]][] {
  const found = new Map<string, item[]>(all.map((one) => [headingOf(one), []]))
  for (const one of shown) {
    const under = found.get(headingOf(one))
    if (under) under.push(one)
    else found.set(headingOf(one), [one])
  }
  return [...found]
}

/** The help in lines of at most `width` characters, without the text after it. */
export function helpText({ usage, about, sections }: HelpParts, width: number): string {
  const column = Math.max(0, ...sections.flatMap(([, items]) => items.map(([term]) => term.length)))
  const line = (term: string, text: string): string => {
    if (text === '') return `  ${term}`
    const shown = /\n[^\S\r\n]/.test(text) ? text : brokenAt(text, width - column - 4)
    return `  ${term.padEnd(column)}  ${shown.replaceAll('\n', `\n${' '.repeat(column + 4)}`)}`
  }
  return [
    `Usage: ${usage}`,
    '',
    ...(about === '' ? [] : [brokenAt(about, width), '']),
    ...sections.flatMap(([heading, items]) => [
      heading,
      ...items.map(([term, text]) => line(term, text)),
      '',
    ]),
  ].join('\n')
}

/** A term and its text in a terminal of 80 columns, for the text after a help: `width` is that of the longest term. */
export const termLine = (term: string, text: string, width: number): string =>
  `  ${term.padEnd(width)}  ${brokenAt(text, 76 - width).replaceAll('\n', `\n${' '.repeat(width + 4)}`)}`

/** Breaks a text into lines of at most `width` letters; a column that is too narrow for words leaves it whole. */
function brokenAt(text: string, width: number): string {
  if (width < narrowest) return text
  return text
    .split(/\r?\n/)
    .map((line) => {
      const lines: string[] = []
      for (const word of line.match(/\s*\S+/g) ?? ['']) {
        const last = lines.at(-1)
        if (last !== undefined && last.length + word.length <= width) lines[lines.length - 1] = last + word
        else lines.push(last === undefined ? word : word.trimStart())
      }
      return lines.join('\n')
    })
    .join('\n')
}
