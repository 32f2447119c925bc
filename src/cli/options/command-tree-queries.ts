import type { Command, Option } from 'commander'

/*
 * What is read off commander's tree of commands. It stands apart from the schemas of their output, which are many and
 * which no list, help or completion needs.
 */

/** The words of a command; none for the program itself. */
export const wordsTo = (command: Command | null | undefined): string[] =>
  command?.parent ? [...wordsTo(command.parent), command.name()] : []

/** The words of a command as one text, such as `strategies list`; the name of the program for the program itself. */
export const wordsOf = (command: Command): string => wordsTo(command).join(' ') || command.name()

/** Every command that does something, in the order of the help: groups are only their commands. */
export const leavesOf = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf)

/** Whether a command can sign: it has signer options, or it is the demo. */
export const signs = (command: Command): boolean =>
  wordsOf(command) === 'demo' ||
  command.options.some(({ helpGroupHeading }) => helpGroupHeading === 'Signer:')

/** The placeholder of a flag's value in its usage. */
export const placeholderOf = ({ flags }: Option): string => /[<[]([^>\]]+)[>\]]/.exec(flags)?.[1] ?? ''

/** The example commands in a help text. */
export const examplesOf = (command: Command): string[] => {
  const said: string[] = []
  // Commander emits `afterHelp` to the functions that add text after the help; its types leave that out.
  const told = command as unknown as { emit: (event: string, how: object) => unknown }
  told.emit('afterHelp', { error: false, command, write: (text: string) => void said.push(text) })
  return said
    .join('')
    .split('\n')
    .flatMap((line) => /^\s*\$ (.+)$/.exec(line)?.[1] ?? [])
}
