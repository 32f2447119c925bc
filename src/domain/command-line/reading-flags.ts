import { apyBases } from '../apy-basis.ts'
import { categories } from '../categories.ts'
import type { FlagGroup } from './flag-rows.ts'

/** The flags of the commands that read. */
export const readingFlags = [
  {
    of: ['policy check'],
    flags: [
      ['--policy <file>', 'policy file (default: policy.json in the config directory)'],
      ['--max-service-fee <share>', 'maximum service fee if the policy sets none (default: 1%)'],
      ['--trust-first-use', 'treat the code of contracts used for the first time as trusted'],
    ],
  },
  {
    of: ['wallet watch'],
    flags: [
      ['--when <conditions>', "conditions, separated by commas, such as 'health<1.2'", { isRequired: true }],
    ],
  },
  {
    of: ['decode'],
    flags: [
      [
        '--to <address>',
        'the contract that is called, for calldata; without it, what the call does is not certain',
      ],
      ['--network <network>', 'name or chain id; for calldata, and to choose one network for a hash'],
      ['--value <wei>', 'the coin that the call carries, for calldata, in wei'],
      ['--from <address>', 'the sender, for calldata'],
    ],
  },
  {
    of: ['action explain'],
    flags: [['--confirmations <depth>', 'finality: a number of blocks, safe or finalized']],
  },
  {
    of: ['action export'],
    flags: [
      ['--out <file>', 'write to this file, readable only by you'],
      ['--html', 'write an offline HTML page with the evidence embedded'],
    ],
  },
  {
    of: ['action watch'],
    flags: [
      [
        '--interval <duration>',
        'how often to poll; a remote service that announces changes is read when it does, and every minute',
        { default: '2s' },
      ],
    ],
  },
  {
    of: ['action list'],
    flags: [
      ['--status <status>', 'only this status: INITIAL, PENDING, SUCCESS, FAILED, REFUNDED'],
      ['--wallet <wallet>', 'only this wallet (address or keystore name)'],
      ['--page <n>', 'page number (without --page and --limit: all)'],
      ['--limit <n>', 'rows per page, at most 100 (default with --page: 20)'],
    ],
  },
  {
    of: ['tokens list', 'wallet balances', 'wallet approvals list'],
    flags: [['--network <network>', 'only this network']],
  },
  { of: ['tokens list'], flags: [['--asset <symbol>', 'only tokens of this symbol or address']] },
  {
    of: ['strategies watch'],
    flags: [
      [
        '--when <conditions>',
        "conditions, separated by commas, such as 'apy<3%, paused'",
        { isRequired: true },
      ],
    ],
  },
  {
    of: ['swap list'],
    flags: [
      ['--from <network>', 'origin network'],
      ['--to <network>', 'destination network'],
      ['--provider <name>', 'only this provider'],
    ],
  },
  {
    of: ['swap status'],
    flags: [
      ['--btc-tx <hash>', 'hash of the Bitcoin deposit, for routes from Bitcoin'],
      ['--watch', 'wait until final; the exit code gives the outcome; with --json, each change is a line'],
      [
        '--interval <duration>',
        'polling interval of --watch; a remote service that announces changes is read when it does, and every minute',
        { default: '2s' },
      ],
    ],
  },
  {
    of: ['swap quote'],
    flags: [
      ['--wallet <name>', 'keystore or address of the payer, whose balance is compared with the quote'],
      [
        '--compare [names]',
        'list the quotes of all providers, or of those named (separated by commas), the best first',
      ],
    ],
  },
  {
    of: ['history'],
    flags: [
      ['--address <wallet>', 'address or keystore name (default: your own wallet)'],
      ['--wallet <wallet>', 'the same as --address'],
    ],
  },
  {
    of: ['yield recommend'],
    flags: [
      ['--wallet <wallet>', 'address or keystore name of the signer'],
      ['--amount <amount>', 'amount, in units of the asset'],
      ['--action <action>', 'action to recommend for', { default: 'lend', choices: ['lend', 'withdraw'] }],
      ['--from <network>', 'network of the funds'],
      ['--to <network>', 'network of the strategy'],
    ],
  },
  {
    of: ['strategies show'],
    flags: [
      ['--wallet <wallet>', 'address or keystore name'],
      ['--plot', 'plot the rate history'],
    ],
  },
  { of: ['strategies list'], flags: [['--protocol <name>', 'only this protocol']] },
  {
    of: ['strategies list', 'strategies watch'],
    flags: [
      ['--network <network>', 'only this network (name or chain id)'],
      ['--asset <symbol>', 'only this asset'],
    ],
  },
  {
    of: ['strategies watch', 'wallet watch'],
    flags: [
      ['--once', 'exit with 15 when the first condition is met'],
      ['--no-wait', 'check once: exit with 15 if a condition was newly met, else 0 (for cron)'],
      ['--name <name>', 'keep the states of this watch apart from those of others', { default: 'default' }],
      ['--interval <duration>', 'polling interval', { default: '1m' }],
    ],
  },
  {
    of: ['strategies list'],
    flags: [
      ['--category <category>', 'only this category', { choices: categories }],
      ['--min-apy <rate>', 'minimum APY, such as 3%'],
      ['--apy-basis <basis>', 'only rates paid now, or only 7-day growth', { choices: apyBases }],
      [
        '--paused <which>',
        'whether to list paused strategies',
        { default: 'include', choices: ['include', 'only', 'exclude'] },
      ],
      ['--sort <by>', 'order', { default: 'apy', choices: ['apy', 'tvl', 'name'] }],
    ],
  },
  {
    of: ['strategies list', 'history', 'swap list'],
    flags: [['--limit <n>', 'rows per page, at most 100', { default: '10' }]],
  },
  { of: ['strategies list', 'history'], flags: [['--all', 'print all pages']] },
  {
    of: ['strategies list'],
    flags: [
      ['--watch', 'poll, and show what changed'],
      ['--interval <duration>', 'polling interval of --watch', { default: '15s' }],
    ],
  },
  {
    of: ['strategies list', 'history', 'swap list', 'webhooks list', 'webhooks deliveries'],
    flags: [['--page <n>', 'page number', { default: '1' }]],
  },
  {
    of: [
      'strategies list',
      'strategies show',
      'strategies analytics',
      'yield recommend',
      'history',
      'swap quote',
      'swap status',
      'swap list',
      'action show',
      'wallet show',
    ],
    flags: [['--raw', 'print the service response unchanged (remote profiles)']],
  },
] as const satisfies readonly FlagGroup[]
