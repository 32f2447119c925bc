import type { Option } from 'commander'
import { AppError } from '../../domain/errors.ts'
import { plain } from '../../domain/text.ts'
import { type AssuranceLevel, assuranceLevels } from '../../guard/assurance.ts'
import { parseGwei, type Terms } from '../../guard/terms.ts'
import { serviceFeeIn } from '../../protocols/intent-fees.ts'

/** Makes a parser of an option that tries its value when the line is read, before anybody is asked for anything; the text stays as it was typed. */
export const checked =
  (read: (text: string) => unknown) =>
  (text: string): string => {
    read(text)
    return text
  }

/** The same for an option that may stand several times, which its description tells by `gathers`. */
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

/** How deep is deep, from what was typed. */
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

/** A nonce that was typed, with the name of its network where one stood before it; `example` is a network for the hint. */
export function nonceOf(text: string, example = 'NETWORK'): { network: string | undefined; nonce: number } {
  const [, network, nonce] = /^(?:([^=]+)=)?(0|[1-9][0-9]{0,14})$/.exec(text) ?? []
  if (nonce !== undefined) return { network, nonce: Number(nonce) }
  throw new AppError('USAGE', `--nonce must be a number or NETWORK=number, not "${plain(text)}"`, {
    hint: `--nonce 7, or --nonce ${example}=7`,
  })
}

/** What the service may charge at most, in basis points, from what was typed with its unit. */
export function serviceFee(text: string): number {
  const most = serviceFeeIn(text)
  if (most !== undefined) return most
  throw new AppError(
    'USAGE',
    `--max-service-fee must be a share in whole basis points, not "${plain(text)}"`,
    { hint: '--max-service-fee 1% or --max-service-fee 100bps' },
  )
}

/** What is done with an approval of more than is needed, from what was typed. */
export function exactAllowance(text: string | undefined): Terms['exactAllowance'] {
  if (text === undefined || text === 'refuse') return 'refuse'
  if (text === 'rewrite') return 'rewrite'
  throw new AppError('USAGE', `--exact-allowance must be refuse or rewrite, not "${plain(text)}"`, {
    hint: '--exact-allowance rewrite',
  })
}

/** The lowest assurance that is accepted, from what was typed; no word is L1. */
export function lowest(text: string | true | undefined): AssuranceLevel {
  if (text === undefined) return 'L2'
  if (text === true) return 'L1'
  const level = assuranceLevels.find((one) => one === text.toUpperCase())
  if (level) return level
  throw new AppError('USAGE', `Unknown assurance level "${plain(text)}"`, {
    hint: `--min-assurance ${assuranceLevels.join(', ')}`,
  })
}

/** What a unit of gas may cost at most, from what was typed in gwei, in wei. */
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
