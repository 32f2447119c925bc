import type { Command } from 'commander'
import type { CommandContext } from '../cli/program-context-types.ts'

/** One top-level command: its summary for the help, and how to load it. */
export type CommandEntry = {
  name: string
  summary: string
  group: (typeof helpGroups)[number]
  load: () => Promise<(program: CommandContext) => Command>
}

/** The headings of the help, in order. */
export const helpGroups = ['Start', 'Look', 'Move', 'Follow', 'Serve', 'Set up'] as const

/** Every command, in the order that help lists them. */
export const commands: readonly CommandEntry[] = [
  {
    group: 'Start',
    name: 'demo',
    summary: 'guided tour on the sandbox',
    load: async () => (await import('./demo/demo.ts')).demo,
  },
  {
    group: 'Look',
    name: 'strategies',
    summary: 'list strategies, show one, totals',
    load: async () => (await import('./strategies/strategies.ts')).strategies,
  },
  {
    group: 'Look',
    name: 'yield',
    summary: 'recommend the best strategy for an asset',
    load: async () => (await import('./yield-recommend.ts')).yieldCommand,
  },
  {
    group: 'Look',
    name: 'networks',
    summary: 'list networks, and the variables that set their RPCs',
    load: async () => (await import('./networks.ts')).networks,
  },
  {
    group: 'Look',
    name: 'tokens',
    summary: 'list tokens with their symbols and addresses',
    load: async () => (await import('./tokens.ts')).tokens,
  },
  {
    group: 'Look',
    name: 'history',
    summary: 'history of a wallet in a strategy',
    load: async () => (await import('./history.ts')).history,
  },
  {
    group: 'Move',
    name: 'deposit',
    summary: 'deposit an asset into a strategy',
    load: async () => (await import('./deposit.ts')).deposit,
  },
  {
    group: 'Move',
    name: 'withdraw',
    summary: 'withdraw an asset from a strategy',
    load: async () => (await import('./withdraw.ts')).withdraw,
  },
  {
    group: 'Move',
    name: 'swap',
    summary: 'quote and execute swaps, on one chain and across',
    load: async () => (await import('./swap/swap.ts')).swap,
  },
  {
    group: 'Move',
    name: 'transfer',
    summary: 'send a token to an address',
    load: async () => (await import('./transfer.ts')).transfer,
  },
  {
    group: 'Follow',
    name: 'action',
    summary: 'show, watch, resume and explain actions',
    load: async () => (await import('./action/action.ts')).actionCommand,
  },
  {
    group: 'Follow',
    name: 'decode',
    summary: 'show what calldata, a raw transaction or a hash does',
    load: async () => (await import('./decode.ts')).decode,
  },
  {
    group: 'Serve',
    name: 'serve',
    summary: 'serve the API over HTTP',
    load: async () => (await import('./serve.ts')).serve,
  },
  {
    group: 'Serve',
    name: 'keys',
    summary: 'API keys of sluice serve',
    load: async () => (await import('./customer-api-keys.ts')).keys,
  },
  {
    group: 'Serve',
    name: 'fees',
    summary: 'fees, and who collects them',
    load: async () => (await import('./fees.ts')).fees,
  },
  {
    group: 'Serve',
    name: 'webhooks',
    summary: 'events: endpoints, deliveries, and a listener',
    load: async () => (await import('./webhooks/webhooks.ts')).webhooks,
  },
  {
    group: 'Set up',
    name: 'init',
    summary: 'set up a profile, interactively',
    load: async () => (await import('./init/init.ts')).init,
  },
  {
    group: 'Set up',
    name: 'doctor',
    summary: 'check your setup',
    load: async () => (await import('./doctor.ts')).doctor,
  },
  {
    group: 'Set up',
    name: 'profile',
    summary: 'where commands run: sandbox, your RPCs, or a deployment',
    load: async () => (await import('./profile/profile.ts')).profile,
  },
  {
    group: 'Set up',
    name: 'config',
    summary: 'effective settings and where each comes from',
    load: async () => (await import('./config.ts')).config,
  },
  {
    group: 'Set up',
    name: 'completion',
    summary: 'completion for bash, zsh, fish and PowerShell',
    load: async () => (await import('./completion.ts')).completion,
  },
  {
    group: 'Set up',
    name: 'wallet',
    summary: 'positions and balances; encrypted keystores',
    load: async () => (await import('./wallet/wallet.ts')).wallet,
  },
  {
    group: 'Set up',
    name: 'policy',
    summary: 'check a plan against the policy',
    load: async () => (await import('./policy.ts')).policy,
  },
  {
    group: 'Set up',
    name: 'sandbox',
    summary: 'local chains with real protocol contracts',
    load: async () => (await import('./sandbox/sandbox.ts')).sandbox,
  },
  {
    group: 'Set up',
    name: 'schema',
    summary: 'machine-readable description of each command',
    load: async () => (await import('./schema.ts')).schema,
  },
  {
    group: 'Set up',
    name: 'mcp',
    summary: 'MCP server with read and plan tools; never signs',
    load: async () => (await import('./mcp.ts')).mcp,
  },
]
