import type { Option } from 'commander'
import { type Address, EvmAddress, splitNetworkPrefix } from '../../domain/address.ts'
import { amountHelp, parseAmount, parseRawAmount } from '../../domain/amount.ts'
import { canAnyoneSpendFrom, chainOfBitcoinAddress } from '../../domain/bitcoin.ts'
import type { FlagName } from '../../domain/command-line/flags.ts'
import { AppError } from '../../domain/errors.ts'
import type { Network } from '../../domain/networks.ts'
import { shortPercent } from '../../domain/price-impact-share.ts'
import { parseSlippage } from '../../domain/slippage.ts'
import { type ActionStatus, actionStatuses } from '../../domain/swap-outcome.ts'
import {
  type Advice,
  advice,
  eachAdvice,
  ownHelp,
  sameWith,
  sameWithout,
} from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { Unit } from '../../domain/token.ts'
import { type AssuranceLevel, assuranceLevels } from '../../guard/assurance.ts'
import { maxFeeIn } from '../../guard/user-limits-and-exemptions.ts'
import { serviceFeeIn } from '../../protocols/service-fees-of-intent.ts'

/** Makes an option parser that validates the value when the command line is read and keeps the text. */
export const validatedBy =
  (read: (text: string) => unknown) =>
  (text: string): string => {
    read(text)
    return text
  }

/** The same for an option that can be repeated, marked by `gathers`. */
export const eachValidatedBy = (read: (text: string) => unknown) =>
  Object.assign(
    (text: string, before: string[] = []): string[] => {
      read(text)
      return [...before, text]
    },
    { gathers: true },
  )

/** Whether a flag gathers the values of all the times that it is given. */
export const repeatable = ({ variadic, parseArg }: Option): boolean =>
  variadic || (parseArg !== undefined && 'gathers' in parseArg)

/** Parses --confirmations: a number of blocks, `safe` or `finalized`. */
export function parseDepth(text: string | undefined): number | 'safe' | 'finalized' | undefined {
  if (text === undefined) return undefined
  if (text === 'safe' || text === 'finalized') return text
  if (/^[1-9][0-9]{0,3}$/.test(text)) return Number(text)
  throw new AppError(
    'USAGE',
    `--confirmations must be a number of blocks, safe or finalized, not "${sanitizeText(text)}"`,
    {
      next: sameWith({ '--confirmations': '3' }),
    },
  )
}

/** Parses --nonce: N or NETWORK=N. `example` is a network for the hint. */
export function nonceOf(text: string, example = 'NETWORK'): { network: string | undefined; nonce: number } {
  const [, network, nonce] = /^(?:([^=]+)=)?(0|[1-9][0-9]{0,14})$/.exec(text) ?? []
  if (nonce !== undefined) return { network, nonce: Number(nonce) }
  throw new AppError('USAGE', `--nonce must be a number or NETWORK=number, not "${sanitizeText(text)}"`, {
    next: advice`Give a number alone, or one for a network, such as ${example}=7: ${ownHelp}`,
  })
}

/** Parses the maximum service fee, with its unit, into basis points. */
export function serviceFee(text: string): number {
  const most = serviceFeeIn(text)
  if (most !== undefined) return most
  throw new AppError(
    'USAGE',
    `--max-service-fee must be a share in whole basis points, not "${sanitizeText(text)}"`,
    { next: advice`In basis points or percent, such as 100bps or 1%: ${ownHelp}` },
  )
}

/** Parses --min-assurance; L2 without the flag, L1 without a level. */
export function minAssuranceOf(text: string | true | undefined): AssuranceLevel {
  if (text === undefined) return 'L2'
  if (text === true) return 'L1'
  const level = assuranceLevels.find((one) => one === text.toUpperCase())
  if (level) return level
  throw new AppError('USAGE', `Unknown assurance level "${sanitizeText(text)}"`, {
    next: advice`One of ${assuranceLevels.join(', ')}: ${ownHelp}`,
  })
}

/** Parses --max-fee, in gwei, into wei. */
export function maxFee(text: string): bigint {
  const most = maxFeeIn(text)
  if (most !== undefined) return most
  throw new AppError('USAGE', `--max-fee must be an amount in gwei, not "${sanitizeText(text)}"`, {
    next: advice`In gwei, such as 30: ${ownHelp}`,
  })
}

/** Reads basis points: a whole number from 0 to 10000. */
export function bpsOf(text: string, flag: FlagName): number {
  if (/^[0-9]{1,5}$/.test(text) && Number(text) <= 10_000) return Number(text)
  throw new AppError('USAGE', `${flag} must be a number of basis points, not "${sanitizeText(text)}"`, {
    next: advice`Use 0 to 10000; a basis point is 0.01%: ${ownHelp}`,
  })
}

/** Parses an idempotency key. */
export function idempotencyKey(text: string | undefined): string | undefined {
  if (text === undefined || /^[A-Za-z0-9._:-]{8,128}$/.test(text)) return text
  throw new AppError('USAGE', 'An idempotency key must be 8-128 characters: letters, digits, . _ : -', {
    next: advice`Use the name of the job and its date, joined by hyphens: ${sameWith({ '--idempotency-key': 'KEY' })}`,
  })
}

/** Parses an address, which may name `on`, its network, before a colon. A private key is refused without being repeated. */
export function address(text: string, what: string, on?: Pick<Network, 'name' | 'chainId'>): Address {
  if (/^(0x)?[0-9a-fA-F]{64}$/.test(text))
    throw new AppError('INSECURE_KEY_SOURCE', 'A private key is not accepted as an argument')
  const { network, address } = splitNetworkPrefix(text)
  const parsed = EvmAddress.safeParse(address)
  if (parsed.success) {
    if (network === undefined || network === on?.name || network === String(on?.chainId)) return parsed.data
    throw new AppError(
      'USAGE',
      on
        ? `${what} is an address on ${network}, but this command sends to ${on.name}`
        : `${what} has a network before the address: "${network}:"`,
      { next: `If the address is right, use it alone: ${parsed.data}` },
    )
  }
  throw new AppError('USAGE', `${what} must be an address, not "${text}"`, {
    next: 'An address is 0x and 40 hex digits; check the checksum (upper and lower case).',
  })
}

/** Checks the form of an address with or without a network; the network is compared when it is known. */
export const addressOnAnyNetwork = (text: string, what: string): Address =>
  address(splitNetworkPrefix(text).address, what)

/** Parses the address of a refund: on Bitcoin, or on an EVM chain. */
export function refundAddress(text: string, what = '--refund'): string {
  if (chainOfBitcoinAddress(text)) return text
  if (!/^(bc|tb|bcrt)1|^[123mn][1-9A-HJ-NP-Za-km-z]{24,40}$/i.test(text)) return address(text, what)
  if (canAnyoneSpendFrom(text))
    throw new AppError('USAGE', `${what} is an address from which anyone can spend: "${text}"`, {
      next: 'Use an address of a wallet of yours.',
    })
  throw new AppError('USAGE', `${what} is no Bitcoin address: the checksum of "${text}" is wrong`, {
    next: 'Copy the address again, with all of its characters.',
  })
}

const oneAmount = advice`For the amount in units of the token: ${sameWithout('--amount-raw')}. For the amount in the smallest unit: ${sameWithout('--amount')}`

/** USAGE if an amount is given in two ways. */
export function refuseTwoAmounts({ amount, amountRaw }: { amount?: string; amountRaw?: string }): void {
  if (amount !== undefined && amountRaw !== undefined)
    throw new AppError('USAGE', '--amount and --amount-raw cannot be combined', { next: oneAmount })
}

/** Parses an amount: `--amount` in units of the token, or `--amount-raw` in its smallest unit. */
export function amountOf(
  { amount, amountRaw }: { amount?: string; amountRaw?: string },
  unit: Unit,
  next: Advice = amountHelp(unit, 'share'),
): bigint {
  if ((amount === undefined) === (amountRaw === undefined))
    throw new AppError(
      'USAGE',
      amount === undefined ? 'No amount given' : '--amount and --amount-raw cannot be combined',
      { next: amount === undefined ? next : oneAmount },
    )
  return amount === undefined ? parseRawAmount(amountRaw!) : parseAmount(amount, unit, '--amount', 'share')
}

const slippageHelp = advice`With its unit, such as 0.5% or 50bps: ${ownHelp}`

/** Parses slippage with its unit, `0.5%` or `50bps`, into a fraction. */
export function slippage(text: string): number {
  const fraction = parseSlippage(text)
  if (fraction === undefined) {
    const readings = [
      ['%', 100],
      ['bps', 10_000],
    ] as const
    const fits = readings.filter(([, parts]) => Number(text) / parts >= 0.0001 && Number(text) / parts <= 0.5)
    const meant = fits.map(([unit, parts]) => {
      const share = Number(text) / parts
      return advice`If you mean ${shortPercent(share)}: ${sameWith({ '--slippage': `${Number(text)}${unit}` })}`
    })
    throw new AppError('USAGE', `Slippage "${text}" needs a unit`, {
      next: meant.length > 0 ? eachAdvice(meant) : slippageHelp,
    })
  }
  if (fraction >= 0.0001 && fraction <= 0.5) return fraction
  throw new AppError('USAGE', `Slippage must be from 0.01% to 50%, not ${text}`, {
    next: slippageHelp,
  })
}

/** Parses a whole number from 1 on, such as a page number or a page size. */
export function wholeNumber(text: string, what: string, most = 1_000_000): number {
  if (/^[1-9][0-9]{0,8}$/.test(text) && Number(text) <= most) return Number(text)
  throw new AppError('USAGE', `${what} must be a whole number from 1 to ${most}, not "${text}"`)
}

/** Parses --status in any case. */
export function statusOf(text: string): ActionStatus {
  const status = actionStatuses.find((one) => one === text.toUpperCase())
  if (status !== undefined) return status
  throw new AppError('USAGE', `Unknown status "${sanitizeText(text)}"`, {
    next: advice`One of ${actionStatuses.join(', ')}: ${ownHelp}`,
  })
}
