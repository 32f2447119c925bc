import { type Command, Option } from 'commander'
import { priceImpact } from '../../domain/slippage.ts'
import { parseAssertions } from '../../guard/policy/assertions.ts'
import { type ExecutionOptions, withExecution } from './execution-options.ts'
import {
  address,
  checked,
  eachChecked,
  exactAllowance,
  idempotencyKey,
  lowest,
  maxFee,
  serviceFee,
} from './option-values.ts'

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
  command
    .addOption(
      new Option(
        '--wallet <name>',
        'keystore that signs: its name, or the path of a cast or geth keystore',
      ).helpGroup('Signer:'),
    )
    .addOption(new Option('--key-file <path>', 'file with a private key, mode 0600').helpGroup('Signer:'))
    .addOption(new Option('--password-file <path>', 'file with the password, mode 0600').helpGroup('Signer:'))
    .addOption(
      new Option(
        '--ledger [derivation]',
        "Ledger on USB, with its derivation path (default: m/44'/60'/0'/0/0)",
      ).helpGroup('Signer:'),
    )
    .addOption(
      new Option('--signer-url <url>', 'remote signer over JSON-RPC: web3signer, Frame').helpGroup('Signer:'),
    )

/** Adds the signer and execution options; a plan already has its nonce. */
export const withSigning = (command: Command, { isPlanned = false } = {}): Command =>
  withExecution(withSigner(command), { isNew: true, isPlanned })
    .addOption(
      new Option('--dry-run', 'check, simulate and print the plan; sign nothing').helpGroup('Execution:'),
    )
    .addOption(
      new Option(
        '--idempotency-key <key>',
        'never pay twice for the same key: 8-128 characters, letters, digits, . _ : - (needs the journal of this machine)',
      )
        .argParser(checked(idempotencyKey))
        .helpGroup('Execution:'),
    )
    .addOption(
      new Option('--revoke-on-failure', 'revoke allowances if the action fails').helpGroup('Execution:'),
    )
    .addOption(
      new Option(
        '--allow-duplicate',
        'allow a possible duplicate payment: without a terminal, sign without an idempotency key or a pinned nonce',
      ).helpGroup('Execution:'),
    )
    .addOption(
      new Option('--allow-contract <address>', 'trust this contract for this action')
        .argParser(eachChecked((text) => address(text, '--allow-contract')))
        .helpGroup('Safety:'),
    )
    .addOption(
      new Option('--allow-token <address>', 'trust this token for this action')
        .argParser(eachChecked((text) => address(text, '--allow-token')))
        .helpGroup('Safety:'),
    )
    .addOption(
      new Option(
        '--policy <file>',
        'policy to apply (default: policy.json in the config directory)',
      ).helpGroup('Safety:'),
    )
    .addOption(
      new Option('--assert <conditions>', "required balance changes: 'USDC>=-100,aUSDC>=99.9'")
        .argParser(eachChecked(parseAssertions))
        .helpGroup('Safety:'),
    )
    .addOption(
      new Option('--max-fee <gwei>', 'maximum gas price, in gwei')
        .argParser(checked(maxFee))
        .helpGroup('Safety:'),
    )
    .addOption(
      new Option(
        '--max-service-fee <share>',
        'maximum service fee, as a share of the amount swapped or withdrawn (default: 1%)',
      )
        .argParser(checked(serviceFee))
        .helpGroup('Safety:'),
    )
    .addOption(
      new Option('--max-price-impact <share>', 'maximum price impact, against the spot price (default: 3%)')
        .argParser(checked(priceImpact))
        .helpGroup('Safety:'),
    )
    .addOption(
      new Option(
        '--exact-allowance <how>',
        'what to do with an approval above the needed amount: refuse or rewrite',
      )
        .argParser(checked(exactAllowance))
        .helpGroup('Safety:'),
    )
    .addOption(
      new Option('--trust-first-use', 'trust the code of contracts used for the first time').helpGroup(
        'Safety:',
      ),
    )
    .addOption(
      new Option(
        '--min-assurance [level]',
        'lowest assurance level to accept: L2 without this flag, L1 without a level',
      )
        .argParser(checked(lowest))
        .helpGroup('Safety:'),
    )
