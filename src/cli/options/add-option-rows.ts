import { type Command, Option } from 'commander'

/** An option: its flags, its description, and how its value is checked. */
export type OptionRow = readonly [flags: string, description: string, check?: (text: string) => unknown]

/** Adds options under a heading of the help. */
export function withOptions(command: Command, heading: string, rows: readonly OptionRow[]): Command {
  for (const [flags, description, check] of rows) {
    const option = new Option(flags, description).helpGroup(heading)
    command.addOption(check ? option.argParser(check) : option)
  }
  return command
}
