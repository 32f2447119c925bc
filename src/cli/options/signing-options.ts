import { type Command, Option } from 'commander'
import { type Address, EvmAddress } from '../../domain/address.ts'
import { amountExample, parseAmount, parseRawAmount } from '../../domain/amount.ts'
import { chainOfBitcoinAddress } from '../../domain/bitcoin.ts'
import { AppError } from '../../domain/errors.ts'
import { priceImpact, slippageIn } from '../../domain/slippage.ts'
import type { Unit } from '../../domain/unit.ts'
import { parseAssertions } from '../../guard/policy/assertions.ts'
import { checked, eachChecked, exactAllowance, lowest, maxFee, serviceFee } from './checked-values.ts'
import { type ExecutionOptions, withExecution } from './execution-options.ts'

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

/** Parses an idempotency key. */
export function idempotencyKey(text: string | undefined): string | undefined {
  if (text === undefined || /^[A-Za-z0-9._:-]{8,128}$/.test(text)) return text
  throw new AppError('USAGE', 'An idempotency key must be 8-128 characters: letters, digits, . _ : -', {
    hint: 'For example: --idempotency-key deposit-2026-11-21',
  })
}

/** Parses an address. A private key is refused without being repeated. */
export function address(text: string, what: string): Address {
  if (/^(0x)?[0-9a-fA-F]{64}$/.test(text))
    throw new AppError('INSECURE_KEY_SOURCE', 'A private key is not accepted as an argument')
  const parsed = EvmAddress.safeParse(text)
  if (parsed.success) return parsed.data
  throw new AppError('USAGE', `${what} must be an address, not "${text}"`, {
    hint: 'An address is 0x and 40 hex digits; check the checksum (upper and lower case).',
  })
}

/** Parses the address of a refund: on Bitcoin, or on an EVM chain. */
export function refundAddress(text: string, what = '--refund'): string {
  if (chainOfBitcoinAddress(text)) return text
  if (!/^(bc|tb|bcrt)1|^[123mn][1-9A-HJ-NP-Za-km-z]{24,40}$/i.test(text)) return address(text, what)
  throw new AppError('USAGE', `${what} is no Bitcoin address: the checksum of "${text}" is wrong`, {
    hint: 'Copy the address again, with all of its characters.',
  })
}

/** Parses an amount: `--amount` in units of the token, or `--amount-raw` in its smallest unit. */
export function amountOf(
  { amount, amountRaw }: { amount?: string; amountRaw?: string },
  unit: Unit,
  hint = amountExample(unit),
): bigint {
  if ((amount === undefined) === (amountRaw === undefined))
    throw new AppError(
      'USAGE',
      amount === undefined ? 'No amount given' : '--amount and --amount-raw cannot be combined',
      { hint },
    )
  return amount === undefined ? parseRawAmount(amountRaw!) : parseAmount(amount, unit)
}

/** Parses slippage with its unit, `0.5%` or `50bps`, into a fraction. */
export function slippage(text: string): number {
  const fraction = slippageIn(text)
  if (fraction === undefined) {
    const readings = [
      ['%', 100],
      ['bps', 10_000],
    ] as const
    const fits = readings.filter(([, parts]) => Number(text) / parts >= 0.0001 && Number(text) / parts <= 0.5)
    throw new AppError('USAGE', `Slippage "${text}" needs a unit`, {
      hint:
        fits.length > 0
          ? fits.length === 2
            ? `--slippage ${Number(text)}% or --slippage ${Number(text)}bps`
            : `--slippage ${Number(text)}${fits[0]![0]}, which is ${fits[0]![0] === '%' ? `${Number(text) * 100}bps` : `${Number(text) / 100}%`}`
          : '--slippage 0.5% or --slippage 50bps',
    })
  }
  if (fraction >= 0.0001 && fraction <= 0.5) return fraction
  throw new AppError('USAGE', `Slippage must be from 0.01% to 50%, not ${text}`, {
    hint: '--slippage 0.5% or --slippage 50bps',
  })
}
