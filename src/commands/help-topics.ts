import { exitCodes } from '../cli/schema/exit-codes.ts'
import type { Stream } from '../cli/terminal/io-types.ts'
import { fieldTable } from '../cli/terminal/table.ts'
import { wrapWords } from '../cli/terminal/text-wrap.ts'
import {
  keyedServices,
  keyVariable,
  publicServiceNames,
  publicServices,
  serviceVariable,
} from '../protocols/public-services.ts'

/** Something that is not about one command: `sluice help NAME`. */
export type Topic = {
  summary: string
  intro: string
  rows: readonly (readonly [name: string, meaning: string])[]
  outro?: string
}

/** Every topic, in the order that help lists them. */
export const topics: Readonly<Record<string, Topic>> = {
  'exit-codes': {
    summary: 'what each exit code means',
    intro:
      'Below 20, no transaction of the action was signed. From 20 to 29, at least one was or may have been signed: resume the same action (sluice action resume ID, or the same --idempotency-key) and never start a new one.',
    rows: Object.entries(exitCodes),
    outro:
      'The payment of a swap from Bitcoin is signed in another wallet and counts as well: until it is delivered (0) or known to be unpaid after its deadline (4), the swap ends with 20 or more, and sluice swap status ID --watch follows it. With --json, a failure prints {"error":{"code","message","details","hint","next","retryable"}} with the same exit code.',
  },
  environment: {
    summary: 'environment variables',
    intro:
      'Flags override variables, variables override the profile, and the profile overrides the defaults.',
    rows: [
      ['SLUICE_PROFILE', 'profile to use: sandbox, engine, remote, or one of your own'],
      ['SLUICE_BASE_URL', 'base URL of a deployment of the service; used if no profile is named'],
      ['SLUICE_LEGACY_BASE_URL', 'base URL of its legacy endpoints, if they are on another host'],
      ['SLUICE_API_KEY', 'API key of the deployment; sent only to these two URLs'],
      [
        'SLUICE_RPC_<NETWORK>',
        'RPC URLs of a network, comma-separated: SLUICE_RPC_BASE, SLUICE_RPC_BASE_SEPOLIA',
      ],
      [
        'SLUICE_RPC_<NETWORK>_HEADERS',
        'headers for the RPC of a network, one a line: Authorization: Bearer TOKEN; read once and sent only to that RPC',
      ],
      [
        'SLUICE_PRICES_URL',
        'price API for USD prices that no chain provides, such as https://coins.llama.fi (default: none)',
      ],
      [
        'SLUICE_SWAP_PROVIDERS',
        'swap providers that the engine asks for quotes, comma-separated: uniswap-v3,cctp (default: all)',
      ],
      ...publicServiceNames.map((name): [string, string] => [
        serviceVariable(name),
        `URL of the service of ${publicServices[name].about} (default: ${publicServices[name].base})`,
      ]),
      ...keyedServices.map((name): [string, string] => [
        keyVariable(name),
        `API key of ${publicServices[name].about}; read once and sent only to its service (default: none)`,
      ]),
      [
        'SLUICE_AVENIA_FILE',
        'file with your account at Avenia, for swaps of USDC and BRLA; mode 0600 (default: none)',
      ],
      ['SLUICE_ONEINCH_FILE', 'file with your API key for 1inch, mode 0600 (default: none)'],
      ['SLUICE_QUOTE_DEADLINE', 'seconds that a swap provider may take for a quote (default: 4)'],
      [
        'SLUICE_DATABASE_URL',
        'database of serve, keys and fees: a SQLite file, or postgres://USER:PASSWORD@HOST/NAME?sslmode=verify-full; read once and hidden',
      ],
      [
        'SLUICE_DATABASE_PASSWORD_FILE',
        'file of mode 0600 with the password of that database, read with each connection (default: PGPASSFILE, then ~/.pgpass)',
      ],
      ['SLUICE_PRIVATE_KEY', 'private key to sign with; read once and passed only to the signing process'],
      ['SLUICE_PASSWORD', 'password of the keystore'],
      ['SLUICE_SIGNER_URL', 'same as --signer-url, but hidden from the process list; for a URL with a token'],
      [
        'SLUICE_LEDGER_SPECULOS',
        'for developers: --ledger uses the Speculos emulator at this local URL instead of USB',
      ],
      ['SLUICE_HOME', 'directory for configuration, data and cache'],
      [
        'XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_CACHE_HOME',
        'directories for configuration, data and cache if SLUICE_HOME is not set',
      ],
      ['SLUICE_ANVIL', 'path of the anvil binary for the sandbox, if it is not on the PATH'],
      ['NO_COLOR', 'print without colour'],
    ],
    outro: 'To check the current settings: sluice doctor',
  },
  signing: {
    summary: 'signers, checks before signing, and protection against double sends',
    intro:
      'A transaction from the service is signed only if it does what you asked and nothing else. A key is never an argument.',
    rows: [
      [
        '--wallet NAME',
        'encrypted keystore. The password comes from a prompt, --password-file, SLUICE_PASSWORD or the keychain (sluice wallet remember NAME)',
      ],
      ['--key-file PATH', 'file with the private key, mode 0600'],
      [
        'SLUICE_PRIVATE_KEY',
        'the private key itself. In the sandbox, a funded account signs if no signer is named',
      ],
      ['--ledger', "Ledger on USB with the Ethereum app open; derivation path m/44'/60'/0'/0/0"],
      [
        '--ledger PATH',
        "another derivation path: \"m/44'/60'/1'/0/0\" (Ledger Live) or \"m/44'/60'/0'/1\" (legacy)",
      ],
      [
        'on the Ledger',
        'enable blind signing; compare the hash on the device with the one on stderr. Linux needs libusb-1.0-0 and udev rules',
      ],
      [
        '--signer-url URL',
        'remote signer, over https or on this machine: web3signer, Frame, or a bridge to another device. It signs and never sends',
      ],
      ['SLUICE_SIGNER_URL', 'the same, from the environment; for a URL with a token'],
      ['--wallet 0x...', 'with --ledger or --signer-url: the account that must sign'],
      ['--dry-run', 'build, check and simulate the transactions, print the plan, sign nothing'],
      [
        '--idempotency-key K',
        'repeating a request with the same key resumes it or returns its result; it never pays twice. This needs the journal under SLUICE_HOME. A CI runner with an empty disk needs --nonce N or a submitted plan',
      ],
      [
        'several machines',
        'the journal knows only what this machine signed; the chain is not searched for transactions from other machines. If another transaction used the nonce of a step, the action stops with exit 23 and, if a node knows it, the transaction hash. `action replan` continues after your confirmation',
      ],
      [
        'an older journal',
        'if the wallet has sent more transactions than the journal knows, for example after restoring a backup, an unfinished action resumes only after your confirmation or with --allow-duplicate',
      ],
      ['--policy FILE', 'limits on what may be signed; to test a plan: sluice policy check PLAN'],
      ['--assert LIST', "required balance changes: --assert 'USDC>=-100,aUSDC>=99.9'"],
    ],
    outro:
      'Each transaction is journaled before it is sent. After a crash: sluice action list, then sluice action resume ID.\nTo decide what to do next: sluice action explain ID',
  },
  formatting: {
    summary: 'text, JSON, CSV, fields, amounts and rates',
    intro:
      'stdout contains only the result; progress, notices and prompts go to stderr. In a pipe, output has no colour and is never truncated.',
    rows: [
      ['--json', 'exactly one JSON document and a newline, on success and on failure'],
      [
        '--csv',
        'a list, or the table of one thing, as CSV: numbers without signs for people; an amount, its token and its decimals are three columns',
      ],
      [
        '--fields a,b,c',
        'columns or fields to print, in this order; a field of the JSON, a title of the table or a column of the CSV, in any case',
      ],
      [
        '--jq EXPR',
        'the result of a jq 1.8 expression on the JSON, without --json: text without quotes, null as an empty line, anything else as JSON; for a stream, of each document. Errors go to stderr. A wrong expression is refused before anything is requested or signed',
      ],
      [
        '--template TEXT',
        'the same by a template of Go: {{.a.b}}, {{range}}, {{if}}, {{else}}, {{with}}, {{break}}, {{continue}}, {{end}}, $variables, pipes, (parentheses), {{- and -}}. There is no define, template or block',
      ],
      [
        'functions',
        'of templates: tablerow A B (tabs in a pipe), tablerender, timeago TIME, timefmt "2006-01-02" TIME (UTC), join ", " LIST, pluck "NAME" LIST, truncate 20 TEXT, color "green+b" TEXT and autocolor (both only on a terminal), hyperlink URL TEXT, printf (%v %s %q %d %f %t %x), print, println, len, index, slice, eq, ne, lt, le, gt, ge, and, or, not, contains, hasPrefix, hasSuffix, regexMatch, html, urlquery',
      ],
      ['--quiet, --debug', 'print no notices; trace every HTTP and RPC call on stderr, without secrets'],
      ['--raw', 'print the response body of a deployment unchanged'],
      [
        'amounts',
        '--amount 100.5 or 100.5USDC in units of the token, --amount-raw 100500000 in the smallest unit. Lists on a terminal show six decimals: ~0.012345 is rounded, <0.000001 is smaller than that',
      ],
      [
        'rates',
        'in JSON a fraction per year: 0.0525 is 5.25%; on the command line with a unit: --slippage 0.5% or 50bps',
      ],
      ['times', 'ISO 8601 in UTC; durations such as 30s, 5m, 1h30m, 40d'],
      ['networks, tokens', 'a name or a chain id; a symbol or an address'],
    ],
  },
}

export const topicText = ({ intro, rows, outro }: Topic, to: Stream): string =>
  [prose(intro, to), '', fieldTable(rows, to), ...(outro ? ['', prose(outro, to)] : [])].join('\n')

/** Sentences, wrapped between words on a terminal; the commands in them are read, not pasted. */
const prose = (text: string, { isTerminal, columns }: Stream): string =>
  text
    .split('\n')
    .flatMap((line) => wrapWords(line, isTerminal ? Math.max(20, columns) : Number.POSITIVE_INFINITY))
    .join('\n')
