import type { LeafName } from './commands.ts'
import type { FlagRow } from './flag-rows.ts'
import { signing } from './signing-flags.ts'

/** The flags that every command takes, before or after its name. */
export const globalFlags = [
  ['--profile <name>', 'profile to use'],
  ['--json', 'print one JSON document'],
  ['--csv', 'print a list as CSV'],
  ['--fields <names>', 'columns or JSON fields to print, in this order: a,b,c'],
  ['--jq <expr>', 'filter the JSON with a jq expression'],
  ['--template <text>', 'format the JSON with a Go template'],
  ['--quiet', 'print no notices'],
  ['--debug', 'trace HTTP and RPC calls on stderr, without secrets'],
  ['--no-color', 'print without colour'],
  ['--no-input', 'never prompt; fail where an answer is needed'],
  ['-y, --yes', 'answer yes to every question'],
  ['--timeout <duration>', 'longest time of the whole command: 30s, 5m (default for reads: 30s)'],
] as const satisfies readonly FlagRow[]

/** The commands that ask before they sign, remove or replace something. Every command takes `--yes`; the help of these shows it. */
export const asking: readonly LeafName[] = [
  ...signing,
  'action abandon',
  'init',
  'keys revoke',
  'profile remove',
  'sandbox reset',
  'wallet remove',
  'webhooks remove',
  'webhooks rotate',
]
