import type { Stream } from '../cli/terminal/io.ts'
import { fields } from '../cli/terminal/table.ts'
import { exits } from '../domain/exit-codes.ts'

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
      'Below 20 nothing of this operation was ever signed. From 20 to 29 at least one transaction was signed: go on with the same\noperation (sluice action resume ID, or the same --idempotency-key), never with a new one.',
    rows: Object.entries(exits),
    outro:
      'With --json a failure is {"error":{"code","message","details","hint","retryable"}}, and the exit code is the same.',
  },
  environment: {
    summary: 'the variables that are read',
    intro:
      'A flag counts more than a variable, a variable more than a profile, a profile more than what is built in.',
    rows: [
      ['SLUICE_PROFILE', 'the profile that answers: sandbox, engine, remote, or one of your own'],
      ['SLUICE_BASE_URL', 'where a deployment of the service is; with no profile named, it is asked'],
      ['SLUICE_LEGACY_BASE_URL', 'where its older pages are, if that is another host'],
      ['SLUICE_API_KEY', 'the key of the deployment; goes only to these two'],
      [
        'SLUICE_RPC_<NETWORK>',
        'RPC URLs of a network, separated by commas: SLUICE_RPC_BASE, SLUICE_RPC_BASE_SEPOLIA',
      ],
      [
        'SLUICE_PRICES_URL',
        'who is asked for USD prices that the chains do not say, such as https://coins.llama.fi; unset, nobody',
      ],
      ['SLUICE_PRIVATE_KEY', 'a key that signs; read once, and passed on to nobody but the signer'],
      ['SLUICE_PASSWORD', 'the password of the keystore'],
      [
        'SLUICE_SIGNER_URL',
        'what --signer-url says, where no list of processes shows it: for a URL with a token',
      ],
      [
        'SLUICE_LEDGER_SPECULOS',
        'for developers: --ledger speaks to the emulator Speculos at this URL of this machine, not to USB',
      ],
      ['SLUICE_HOME', 'one directory for configuration, data and cache'],
      ['XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_CACHE_HOME', 'where these are otherwise'],
      ['SLUICE_ANVIL', 'the anvil that the sandbox runs, where it is not found by itself'],
      ['NO_COLOR', 'no colour, whatever the terminal can'],
    ],
    outro: 'What is set now, and whether it works: sluice doctor',
  },
  signing: {
    summary: 'who signs, what is checked before, and what is sent once',
    intro:
      'What a service proposes is only signed when it does what was asked and nothing else. A key is never an argument.',
    rows: [
      [
        '--wallet NAME',
        'an encrypted keystore; password by prompt, --password-file, SLUICE_PASSWORD or the keychain (sluice wallet remember NAME)',
      ],
      ['--key-file PATH', 'a file of mode 0600 that holds the key'],
      ['SLUICE_PRIVATE_KEY', 'the key itself; in the sandbox, with nobody named, a funded account signs'],
      ['--ledger', "a Ledger on USB, its Ethereum app open, with the key at m/44'/60'/0'/0/0"],
      [
        '--ledger PATH',
        "another key of it: \"m/44'/60'/1'/0/0\" as Ledger Live counts, \"m/44'/60'/0'/1\" as it did before",
      ],
      [
        'on the Ledger',
        'blind signing on; the hash that it shows stands on stderr. Linux: libusb-1.0-0 and udev rules',
      ],
      [
        '--signer-url URL',
        'web3signer, Frame, a bridge to another device, by https or on this machine: asked to sign, never to send',
      ],
      ['SLUICE_SIGNER_URL', 'the same from the environment, for a URL with a token in it'],
      ['--wallet 0x...', 'with either of them: the account that it has to be'],
      ['--dry-run', 'builds, checks and tries it, prints the plan, signs nothing'],
      [
        '--idempotency-key K',
        'the same key with the same request is the same operation for ever, by the journal under SLUICE_HOME. A runner that begins with an empty disk pins --nonce N, or submits a plan',
      ],
      [
        'several machines',
        'the journal knows what this machine signed; the chain is not searched for what others did with the wallet. A transaction that this journal did not sign and that used the nonce of a step stops the action: exit 23, its hash where a node names it, then action replan after a yes',
      ],
      [
        'an older journal',
        'where the wallet has sent more than the journal knows, as after a backup was restored, an unfinished action goes on only after a yes, or with --allow-duplicate',
      ],
      ['--policy FILE', 'what may be signed at all; sluice policy check PLAN'],
      ['--assert LIST', "what must come of it: --assert 'USDC>=-100,aUSDC>=99.9'"],
    ],
    outro:
      'Each step is written down before it is sent. After a crash: sluice action list, then sluice action resume ID. What is left\nto decide: sluice action explain ID',
  },
  formatting: {
    summary: 'text, JSON, CSV, fields, amounts and rates',
    intro:
      'stdout is the answer and nothing else; progress, notices and questions go to stderr. In a pipe there is no colour and nothing is cut.',
    rows: [
      ['--json', 'exactly one JSON document and a newline, in success and in failure'],
      ['--csv', 'a list as CSV'],
      ['--fields a,b,c', 'which columns or fields, and in which order'],
      ['--quiet, --debug', 'no notices; every HTTP and RPC call on stderr, secrets left out'],
      ['--raw', 'of a deployment: the body as it came'],
      [
        'amounts',
        '--amount 100.5 or 100.5USDC in units of the token, --amount-raw 100500000 in the smallest unit; a list on a terminal shows six decimals, ~0.012345 where there are more, and <0.000001',
      ],
      ['rates', 'in JSON a fraction a year: 0.0525 is 5.25 %; typed with its unit: --slippage 0.5% or 50bps'],
      ['times', 'ISO 8601 in UTC; durations typed as 30s, 5m, 1h30m, 40d'],
      ['networks, tokens', 'a name or a chain id; a symbol or an address'],
    ],
  },
}

/** A topic as text. */
export const topicText = ({ intro, rows, outro }: Topic, to: Stream): string =>
  [intro, '', fields(rows, to), ...(outro ? ['', outro] : [])].join('\n')
