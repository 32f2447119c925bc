import { categories } from '../categories.ts'

/*
 * Every command with its operands. The flags stand in `flags.ts`; what a command does stands in `src/commands`.
 */

/** An operand as the usage has it, `<must>`, `[may]` or `[several...]`, and its meaning. */
export type OperandRow = readonly [usage: string, help: string]

const anyAction =
  'action ID or its beginning, quote ID, idempotency key, transaction hash or Bitcoin deposit address'
const ownAction = 'action ID or its beginning, idempotency key or transaction hash'
const strategy = 'strategy ID or slug'
const endpoint = 'endpoint ID, as shown by webhooks list'
const wallet = 'address or keystore name'

/** The operands of every command that does something, in the order of the help. */
export const operandTable = {
  demo: [],
  'strategies list': [],
  'strategies show': [['<id>', strategy]],
  'strategies watch': [['[ids...]', 'strategy IDs or slugs; all without one']],
  'strategies analytics': [],
  'yield recommend': [['<asset>', `asset symbol, or a category: ${categories.join(', ')}`]],
  'networks list': [],
  'tokens list': [],
  history: [['<id>', strategy]],
  deposit: [['<id>', strategy]],
  withdraw: [['<id>', strategy]],
  'swap quote': [],
  'swap execute': [['[quote-id]', 'quote ID, as printed by swap quote, or its beginning']],
  'swap status': [
    ['<quote-id>', 'quote ID or action ID, its beginning, idempotency key or transaction hash'],
  ],
  'swap list': [],
  transfer: [],
  'action list': [],
  'action show': [['<id>', anyAction]],
  'action watch': [
    ['<id...>', 'action IDs or their beginnings, quote IDs, idempotency keys or transaction hashes'],
  ],
  'action resume': [['<id>', ownAction]],
  'action speed-up': [['<id>', ownAction]],
  'action cancel': [['<id>', ownAction]],
  'action abandon': [['<id>', anyAction]],
  'action submit': [['<plan>', 'plan file, or - for standard input']],
  'action replan': [['<id>', anyAction]],
  'action revoke': [['<id>', anyAction]],
  'action deliver': [['<id>', 'action ID or its beginning, idempotency key, or hash of a burn']],
  'action export': [['<id>', anyAction]],
  'action verify': [['<file>', 'file written by export, JSON or HTML; - reads standard input']],
  'action explain': [['<id>', anyAction]],
  decode: [['<data>', 'calldata, raw transaction or transaction hash; - reads it from standard input']],
  serve: [],
  'keys create': [],
  'keys list': [],
  'keys revoke': [['<id>', 'key ID or its beginning, as shown by keys list']],
  'fees show': [],
  'fees set': [],
  'webhooks add': [['<url>', 'URL that events are posted to; https://']],
  'webhooks list': [],
  'webhooks show': [['<id>', endpoint]],
  'webhooks remove': [['<id>', endpoint]],
  'webhooks rotate': [['<id>', endpoint]],
  'webhooks enable': [['<id>', endpoint]],
  'webhooks deliveries': [['<id>', endpoint]],
  'webhooks resend': [
    ['<id>', endpoint],
    ['<delivery>', 'delivery ID, as shown by webhooks deliveries'],
  ],
  'webhooks replay': [['<id>', endpoint]],
  'webhooks listen': [],
  'webhooks trigger': [['<event>', 'type of the event']],
  init: [['[name]', 'name of the profile']],
  doctor: [],
  'profile list': [],
  'profile show': [['[name]', '']],
  'profile use': [['<name>', '']],
  'profile set': [['<name>', '']],
  'profile remove': [['<name>', '']],
  config: [],
  'config list': [],
  completion: [['<shell>', 'shell to complete for']],
  'wallet show': [['[wallet]', wallet]],
  'wallet balances': [['[wallet]', wallet]],
  'wallet watch': [['[wallet]', wallet]],
  'wallet list': [],
  'wallet new': [['<name>', 'name of the keystore']],
  'wallet import': [['<name>', 'name of the keystore']],
  'wallet export': [['<name>', 'keystore name']],
  'wallet remove': [['<name>', 'keystore name']],
  'wallet use': [['[name]', 'keystore name']],
  'wallet remember': [['<name>', 'keystore name']],
  'wallet forget': [['<name>', 'keystore name']],
  'wallet approvals list': [['[wallet]', wallet]],
  'wallet approvals revoke': [],
  'policy check': [['<plan>', 'plan file made by --dry-run --json, or - for standard input']],
  'sandbox up': [],
  'sandbox down': [],
  'sandbox status': [],
  'sandbox reset': [],
  'sandbox fund': [['<address>', 'address or name of a wallet of this machine to fund']],
  'sandbox warp': [['<duration>', 'how far to move: 30s, 5m, 12h, 30d, 1y']],
  'sandbox pay-bitcoin': [
    ['<address>', 'address to pay'],
    ['<amount>', 'amount of BTC'],
  ],
  'sandbox fault': [['[kind...]', 'fault and its value, such as reorg 3; or clear']],
  schema: [['[command...]', 'command to describe, such as strategies list']],
  mcp: [],
} as const satisfies Record<string, readonly OperandRow[]>

/** A command that does something. */
export type LeafName = keyof typeof operandTable

/** A command with an output of its own; `config` alone is `config list`. */
export type PrintingName = Exclude<LeafName, 'config'>

/** Whether words name a command that does something. */
export const isLeaf = (words: string): words is LeafName => Object.hasOwn(operandTable, words)

const groups: ReadonlySet<string> = new Set(
  Object.keys(operandTable).flatMap((name) => {
    const words = name.split(' ')
    return words.map((_, at) => words.slice(0, at).join(' '))
  }),
)

/** Whether words name a group of commands; the program itself is `''`. */
export const isGroup = (words: string): boolean => groups.has(words)

/** Whether words name a command or a group of commands. */
export const isCommand = (words: string): boolean => isLeaf(words) || isGroup(words)
