import type { FlagGroup } from './flag-rows.ts'

const webhooks = [
  'webhooks add',
  'webhooks list',
  'webhooks show',
  'webhooks remove',
  'webhooks rotate',
  'webhooks enable',
  'webhooks deliveries',
  'webhooks resend',
  'webhooks replay',
  'webhooks listen',
  'webhooks trigger',
] as const

/** The flags of the commands that set up, serve and run the sandbox. */
export const administrationFlags = [
  {
    of: ['sandbox pay-bitcoin'],
    flags: [
      ['--memo <text>', 'text of an OP_RETURN output'],
      ['--replace <hash>', 'replace this payment, which must not be in a block yet (RBF)'],
    ],
  },
  {
    of: ['sandbox fund'],
    flags: [
      ['--token <symbol>', 'only this token'],
      ['--amount <amount>', 'amount of the token'],
    ],
  },
  {
    of: ['sandbox fault'],
    flags: [
      ['--network <network>', 'only on this network'],
      ['--method <method>', 'only for calls of this JSON-RPC method'],
      ['--times <n>', 'clear the fault after N times'],
      ['--reason <text>', 'revert reason of the contract'],
    ],
  },
  {
    of: ['wallet import'],
    flags: [
      ['--key-file <path>', 'file with a raw key, mode 0600; - reads standard input'],
      ['--keystore <path>', 'keystore file from cast, geth or another wallet; - reads standard input'],
    ],
  },
  {
    of: ['wallet new', 'wallet import', 'wallet remember'],
    flags: [['--password-file <path>', 'file with the password, mode 0600; - reads standard input']],
  },
  {
    of: ['wallet new', 'wallet import'],
    flags: [['--keychain', 'save the password in the desktop keychain']],
  },
  {
    of: ['config', 'config list'],
    flags: [['--show-origin', 'show where each setting comes from: a flag, a variable, a profile or a file']],
  },
  {
    of: ['init', 'profile set'],
    flags: [
      ['--kind <kind>', 'engine or remote'],
      ['--base-url <url>', 'base URL of the service'],
      ['--legacy-base-url <url>', 'base URL of the legacy endpoints (`none` clears it)'],
      ['--api-key-file <path>', 'file with the API key, or - for standard input'],
      [
        '--from-env',
        'save the values of SLUICE_BASE_URL, SLUICE_LEGACY_BASE_URL, SLUICE_API_KEY and SLUICE_RPC_*',
      ],
      ['--prices-url <url>', 'price API for USD prices that no chain provides (`none` clears it)'],
      [
        '--database <url>',
        'database of sluice serve: a SQLite file, or postgres://USER@HOST/NAME without a password (`none` clears it)',
      ],
      ['--keychain', 'store the API key and RPC URLs in the desktop keychain from now on'],
      ['--no-keychain', 'store the API key and RPC URLs in a file of mode 0600 again'],
    ],
  },
  {
    of: ['init'],
    flags: [
      ['--use', 'use this profile from now on (default if no profile is in use yet and this one works)'],
    ],
  },
  {
    of: webhooks,
    flags: [
      ['--database <url>', 'database of sluice serve (default: in the data directory)'],
      ['--customer <name>', 'customer (default: the only one with an API key)'],
    ],
  },
  {
    of: ['webhooks listen'],
    flags: [
      ['--forward-to <url>', 'URL that events are posted to'],
      [
        '--secret-file <file>',
        'sign with the secret (whsec_...) of this file, - for standard input (default: a new one for each run)',
      ],
      ['--types <types>', 'events to receive, separated by commas (default: all)'],
      [
        '--consumer <name>',
        'name under which the position is kept; the next run continues from there',
        { default: 'cli' },
      ],
      ['--since <time>', 'go back to this time first: ISO 8601, or how long ago, such as 2h'],
      ['--interval <duration>', 'time between polls', { default: '5s' }],
    ],
  },
  {
    of: ['webhooks replay'],
    flags: [
      [
        '--since <time>',
        'time in ISO 8601, or how long ago: 2h; events are kept for 30 days',
        { isRequired: true },
      ],
    ],
  },
  {
    of: ['webhooks deliveries'],
    flags: [
      [
        '--state <state>',
        'only deliveries in this state; dead ones were given up',
        { choices: ['pending', 'delivered', 'dead'] },
      ],
    ],
  },
  {
    of: ['webhooks add'],
    flags: [
      ['--types <types>', 'events to send, separated by commas (default: all)'],
      ['--thin', 'send events without their data'],
      ['--apy-line <rate>', 'tell when the APY of a strategy crosses this line: 3%'],
      [
        '--liquidity-line <usd>',
        'tell when what can be withdrawn from a strategy now crosses this line, in USD',
      ],
      ['--allow-http', 'allow a URL on this machine; the server needs the same option'],
    ],
  },
  {
    of: ['fees show', 'fees set'],
    flags: [
      [
        '--database <url>',
        'database of sluice serve (a SQLite file, or postgres://USER@HOST/NAME without a password); its operator fees are read or changed',
      ],
    ],
  },
  {
    of: ['fees set'],
    flags: [
      ['--swap-fee-bps <n>', "operator's swap fee on the input amount, in basis points"],
      ['--performance-fee-bps <n>', "operator's performance fee on withdrawn profit, in basis points"],
      ['--max-markup-bps <n>', 'highest markup a customer may set, in basis points'],
      ['--operator-collector <address|none>', "address that collects the operator's fees"],
      ['--markup-bps <n>', "customer's markup on top of both, in basis points"],
      ['--collector <address|none>', "address that collects the customer's markup"],
    ],
  },
  {
    of: ['fees show'],
    flags: [['--operator', 'show the operator fees of sluice serve and the log of changes']],
  },
  {
    of: ['keys create', 'keys list', 'keys revoke'],
    flags: [
      [
        '--database <url>',
        'database of sluice serve: a SQLite file, or postgres://USER@HOST/NAME without a password',
      ],
    ],
  },
  {
    of: ['keys create'],
    flags: [
      [
        '--customer <name>',
        'customer the key belongs to; customers are isolated from each other',
        { isRequired: true },
      ],
      ['--testnet', 'let this key see testnets'],
      ['--markup-bps <n>', "customer's markup, in basis points"],
      ['--strategies <slugs>', 'strategies enabled for the customer, for all its keys: a,b,c, or all'],
    ],
  },
  {
    of: ['serve'],
    flags: [
      ['--port <port>', 'port to listen on; 0 picks a free port', { default: '8080' }],
      ['--host <host>', 'address to listen on; anything but loopback needs TLS', { default: '127.0.0.1' }],
      [
        '--database <url>',
        'SQLite file, or postgres://USER@HOST/NAME without a password, for keys, quotes and actions (default: SLUICE_DATABASE_URL, the profile, or a file in the data directory)',
      ],
      ['--tls-cert <file>', 'TLS certificate, PEM'],
      ['--tls-key <file>', 'private key of the certificate, PEM'],
      ['--behind-proxy', 'trust a TLS-terminating proxy on a private address'],
      ['--allow-http', 'let webhooks go to this machine, also over http://, for development'],
      [
        '--open [customer]',
        'write a file that opens the page without an API key, as this customer (default: the only one with a key, else "local"); on loopback only',
      ],
      [
        '--drain <duration>',
        'time to keep answering after a stop, while /readyz is 503: as long as the load balancer takes to notice',
      ],
      ['--check', 'check the database and the networks, then exit'],
    ],
  },
  {
    of: ['webhooks list', 'webhooks deliveries'],
    flags: [['--limit <n>', 'rows per page, at most 100', { default: '50' }]],
  },
] as const satisfies readonly FlagGroup[]
