import type { Command } from 'commander'
import { parsePriceImpact } from '../../domain/price-impact-share.ts'
import { parseAssertions } from '../../guard/policy/user-assertions.ts'
import { type OptionRow, withOptions } from './add-option-rows.ts'
import {
  address,
  eachValidatedBy,
  exactAllowance,
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
  revokeOnFailure?: boolean
  idempotencyKey?: string
  allowContract?: string[]
  allowToken?: string[]
  policy?: string
  trustFirstUse?: boolean
  exactAllowance?: string
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

/** Adds the signer and execution options; a plan already has its nonce. */
export const withSigning = (command: Command, { isPlanned = false } = {}): Command => {
  withExecution(withSigner(command), { isNew: true, isPlanned })
  withOptions(command, 'Execution:', [
    ['--dry-run', 'check, simulate and print the plan; sign nothing'],
    [
      '--idempotency-key <key>',
      'never pay twice for the same key: 8-128 characters, letters, digits, . _ : - (needs the journal of this machine)',
      validatedBy(idempotencyKey),
    ],
    ['--revoke-on-failure', 'revoke allowances if the action fails'],
    [
      '--allow-duplicate',
      'allow a possible duplicate payment: without a terminal, sign without an idempotency key or a pinned nonce',
    ],
  ])
  return withOptions(command, 'Safety:', [
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
    [
      '--exact-allowance <how>',
      'what to do with an approval above the needed amount: refuse or rewrite',
      validatedBy(exactAllowance),
    ],
    ['--trust-first-use', 'trust the code of contracts used for the first time'],
    [
      '--min-assurance [level]',
      'lowest assurance level to accept: L2 without this flag, L1 without a level',
      validatedBy(minAssuranceOf),
    ],
  ])
}
