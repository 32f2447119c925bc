import type { Command } from 'commander'
import { parsePriceImpact } from '../../domain/price-impact-share.ts'
import { parseAssertions } from '../../guard/policy/user-assertions.ts'
import { type OptionRow, withOptions } from './add-option-rows.ts'
import {
  address,
  eachValidatedBy,
  idempotencyKey,
  maxFee,
  minAssuranceOf,
  serviceFee,
  validatedBy,
} from './option-values.ts'
import { type ExecutionOptions, withExecution } from './sending-and-waiting-options.ts'

/** The options of every command that signs, as commander reads them. */
export type SigningOptions = ExecutionOptions & {
  wallet?: string
  keyFile?: string
  passwordFile?: string
  ledger?: string | true
  signerUrl?: string
  dryRun?: boolean
  allowDuplicate?: boolean
  idempotencyKey?: string
  allowContract?: string[]
  allowToken?: string[]
  policy?: string
  trustFirstUse?: boolean
  minAssurance?: string | true
  assert?: string[]
  maxFee?: string
  maxServiceFee?: string
  slippage?: string
  maxPriceImpact?: string
}

/** Adds the signer options. */
export const withSigner = (command: Command): Command =>
  withOptions(command, 'Signer:', [
    ['--wallet <name>', 'keystore that signs: its name, or the path of a cast or geth keystore'],
    ['--key-file <path>', 'file with a private key, mode 0600'],
    ['--password-file <path>', 'file with the password, mode 0600; - reads standard input'],
    ['--ledger [derivation]', "Ledger on USB, with its derivation path (default: m/44'/60'/0'/0/0)"],
    ['--signer-url <url>', 'remote signer over JSON-RPC: web3signer, Frame'],
  ])

const ofExchanges = ['--max-service-fee', '--max-price-impact']

/** What a command signs, with the options that would change nothing there. */
const without = {
  /** A deposit, a withdrawal or a swap. */
  exchange: [],
  /** A plan of any action already has its nonce. */
  plan: ['--nonce'],
  revocation: ofExchanges,
  /** One transaction that approves nothing. */
  transfer: [...ofExchanges, '--pipeline'],
  /** A delivery mints only tokens of the catalogue. */
  delivery: [...ofExchanges, '--pipeline', '--allow-token'],
} as const satisfies Record<string, readonly string[]>

/** Adds the signer, execution and safety options that change something for what the command signs. */
export const withSigning = (command: Command, signs: keyof typeof without): Command => {
  const omitted: readonly string[] = without[signs]
  const some = (rows: readonly OptionRow[]) =>
    rows.filter(([flags]) => !omitted.includes(flags.split(' ')[0]!))
  withExecution(withSigner(command), { isNew: true, some })
  withOptions(
    command,
    'Execution:',
    some([
      ['--dry-run', 'check, simulate and print the plan; sign nothing'],
      [
        '--idempotency-key <key>',
        'never pay twice for the same key: 8-128 characters, letters, digits, . _ : - (needs the journal of this machine)',
        validatedBy(idempotencyKey),
      ],
      [
        '--allow-duplicate',
        'allow a possible duplicate payment: without a terminal, sign without an idempotency key or a pinned nonce',
      ],
    ]),
  )
  return withOptions(
    command,
    'Safety:',
    some([
      ...(['contract', 'token'] as const).map(
        (what): OptionRow => [
          `--allow-${what} <address>`,
          `trust this ${what} for this action`,
          eachValidatedBy((text) => address(text, `--allow-${what}`)),
        ],
      ),
      ['--policy <file>', 'policy to apply (default: policy.json in the config directory)'],
      [
        '--assert <conditions>',
        "required balance changes: 'USDC>=-100,aUSDC>=99.9'",
        eachValidatedBy(parseAssertions),
      ],
      ['--max-fee <gwei>', 'maximum gas price, in gwei', validatedBy(maxFee)],
      [
        '--max-service-fee <share>',
        'maximum service fee, as a share of the amount swapped or withdrawn (default: 1%)',
        validatedBy(serviceFee),
      ],
      [
        '--max-price-impact <share>',
        'maximum price impact, against the spot price (default: 3%)',
        validatedBy(parsePriceImpact),
      ],
      ['--trust-first-use', 'trust the code of contracts used for the first time'],
      [
        '--min-assurance [level]',
        'lowest assurance level to accept: L2 without this flag, L1 without a level',
        validatedBy(minAssuranceOf),
      ],
    ]),
  )
}
