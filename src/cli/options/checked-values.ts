import type { Option } from 'commander'
import { AppError } from '../../domain/errors.ts'
import { plain } from '../../domain/text.ts'
import { type AssuranceLevel, assuranceLevels } from '../../guard/assurance.ts'
import { parseGwei, type Terms } from '../../guard/terms.ts'
import { serviceFeeIn } from '../../protocols/intent-fees.ts'

/** Makes an option parser that validates the value when the command line is read and keeps the text. */
export const checked =
  (read: (text: string) => unknown) =>
  (text: string): string => {
    read(text)
    return text
  }

/** The same for an option that can be repeated, marked by `gathers`. */
export const eachChecked = (read: (text: string) => unknown) =>
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
export function depthOf(text: string | undefined): number | 'safe' | 'finalized' | undefined {
  if (text === undefined) return undefined
  if (text === 'safe' || text === 'finalized') return text
  if (/^[1-9][0-9]{0,3}$/.test(text)) return Number(text)
  throw new AppError(
    'USAGE',
    `--confirmations must be a number of blocks, safe or finalized, not "${plain(text)}"`,
    {
      hint: '--confirmations 3',
    },
  )
}

/** Parses --nonce: N or NETWORK=N. `example` is a network for the hint. */
export function nonceOf(text: string, example = 'NETWORK'): { network: string | undefined; nonce: number } {
  const [, network, nonce] = /^(?:([^=]+)=)?(0|[1-9][0-9]{0,14})$/.exec(text) ?? []
  if (nonce !== undefined) return { network, nonce: Number(nonce) }
  throw new AppError('USAGE', `--nonce must be a number or NETWORK=number, not "${plain(text)}"`, {
    hint: `--nonce 7, or --nonce ${example}=7`,
  })
}

/** Parses the maximum service fee, with its unit, into basis points. */
export function serviceFee(text: string): number {
  const most = serviceFeeIn(text)
  if (most !== undefined) return most
  throw new AppError(
    'USAGE',
    `--max-service-fee must be a share in whole basis points, not "${plain(text)}"`,
    { hint: '--max-service-fee 1% or --max-service-fee 100bps' },
  )
}

/** Parses --exact-allowance: refuse or rewrite an approval above the needed amount. */
export function exactAllowance(text: string | undefined): Terms['exactAllowance'] {
  if (text === undefined || text === 'refuse') return 'refuse'
  if (text === 'rewrite') return 'rewrite'
  throw new AppError('USAGE', `--exact-allowance must be refuse or rewrite, not "${plain(text)}"`, {
    hint: '--exact-allowance rewrite',
  })
}

/** Parses --min-assurance; L2 without the flag, L1 without a level. */
export function lowest(text: string | true | undefined): AssuranceLevel {
  if (text === undefined) return 'L2'
  if (text === true) return 'L1'
  const level = assuranceLevels.find((one) => one === text.toUpperCase())
  if (level) return level
  throw new AppError('USAGE', `Unknown assurance level "${plain(text)}"`, {
    hint: `--min-assurance ${assuranceLevels.join(', ')}`,
  })
}

/** Parses --max-fee, in gwei, into wei. */
export function maxFee(text: string): bigint {
  if (/^(0|[1-9][0-9]{0,11})(\.[0-9]{1,9})?$/.test(text) && parseGwei(text) > 0n) return parseGwei(text)
  throw new AppError('USAGE', `--max-fee must be an amount in gwei, not "${plain(text)}"`, {
    hint: '--max-fee 30',
  })
}

/** Reads basis points: a whole number from 0 to 10000. */
export function bpsOf(text: string, flag: string): number {
  if (/^[0-9]{1,5}$/.test(text) && Number(text) <= 10_000) return Number(text)
  throw new AppError('USAGE', `"${plain(text)}" is not a number of basis points`, {
    hint: `Use 0 to 10000; a basis point is 0.01 %: ${flag} 10`,
  })
}
