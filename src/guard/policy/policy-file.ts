import { createHash } from 'node:crypto'
import { existsSync, lstatSync } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod'
import { EvmAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { schemaMismatchText } from '../../domain/schema-mismatch-text.ts'
import { advice, sluice } from '../../domain/text/next-step.ts'
import { listFileCommand, shellPath } from '../../domain/text/shell-quoting.ts'
import { type OwnedFileFault, readOwnedFile } from '../../store/read-owned-file.ts'
import { assuranceLevels } from '../assurance.ts'

const decimal = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,59})(\.[0-9]{1,30})?$/, 'expected an amount such as "1000" or "0.5"')

/** `{"sandbox-one:USDC": "1000"}`: a token of a network, by symbol or address, and an amount. */
const perToken = z.record(
  z.string().regex(/^[a-z0-9-]+:[A-Za-z0-9.]+$/, 'expected NETWORK:SYMBOL or NETWORK:ADDRESS'),
  decimal,
)

const address = z.string().refine((text) => EvmAddress.safeParse(text).success, 'expected an address')

const clock = '([01][0-9]|2[0-3]):[0-5][0-9]'

/** A team's policy for its operators and jobs. Every rule is optional; unknown keys are refused. */
export const Policy = z.strictObject({
  /** The most that one operation may move of a token, and all operations of a wallet in 24 hours. */
  perTransaction: perToken.optional(),
  perDay: perToken.optional(),
  maxSlippage: z
    .string()
    .regex(/^[0-9]+(\.[0-9]+)?(%|bps)$/, 'expected "0.5%" or "50bps"')
    .optional(),
  /** The largest price impact of a swap or position. Without --max-price-impact it is at most 3 %. */
  maxPriceImpact: z
    .string()
    .regex(/^[0-9]+(\.[0-9]+)?(%|bps)$/, 'expected "5%" or "500bps"')
    .optional(),
  /** The service's fee limit on what is swapped or withdrawn, in basis points. Without --max-service-fee it is at most 100. */
  maxServiceFeeBps: z.int().min(0).max(10_000).optional(),
  /** In gwei. */
  maxFeePerGas: decimal.optional(),
  /** In units of the native coin, for the total cost of one leg. */
  maxTotalFee: decimal.optional(),
  /** The permitted recipients beside the wallet itself, fee collectors included. */
  receivers: z.array(address).optional(),
  strategies: z.array(z.string().min(1)).optional(),
  contracts: z.array(address).optional(),
  /** UTC: `08:00-18:00`; a range over midnight is allowed. */
  hours: z
    .string()
    .regex(new RegExp(`^${clock}-${clock}$`), 'expected hours in UTC such as "08:00-18:00"')
    .optional(),
  /** In seconds. */
  maxQuoteAge: z.int().min(1).max(86_400).optional(),
  /** Whether standing allowances beyond the need are refused. */
  refuseStandingAllowance: z.boolean().optional(),
  simulation: z.enum(['required', 'optional']).optional(),
  minAssurance: z.enum(assuranceLevels).optional(),
  /** How many RPC endpoints of the network must agree on the simulation. */
  minEndpoints: z.int().min(1).max(2).optional(),
})

export type Policy = z.output<typeof Policy>

/**
 * A policy with the hash of its file. One that is `named` replaces the machine's policy for an operation. `path` is where it was read; the
 * policy in a journal has none.
 */
export type LoadedPolicy = { sha256: string; policy: Policy; path?: string; named?: true }

/** Parses a policy file. CONFIG_INVALID for any unknown key: a mistyped limit must not mean no limit. */
export function parsePolicy(text: string, path: string): LoadedPolicy {
  const next = `Fix the file: ${path}`
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (cause) {
    throw new AppError('CONFIG_INVALID', `The policy ${path} is not JSON`, {
      cause,
      next,
      details: { policy: path },
    })
  }
  const parsed = Policy.safeParse(json)
  if (!parsed.success)
    throw new AppError(
      'CONFIG_INVALID',
      `The policy ${path} cannot be used: ${schemaMismatchText(parsed.error, Object.keys(Policy.shape))}`,
      {
        next: advice`${next}. For its rules: ${sluice('policy check', { '--help': true })}`,
        details: { policy: path },
      },
    )
  return { sha256: createHash('sha256').update(text).digest('hex'), policy: parsed.data, path }
}

/** Why a policy file is not used; one that others can write could be made to allow anything. */
function refused(path: string, fault: OwnedFileFault): AppError {
  const why =
    fault.is === 'shared'
      ? `others can change it (mode ${fault.mode})`
      : fault.is === 'not-text'
        ? fault.why
        : {
            foreign: 'it belongs to another user',
            special: 'it is not a file',
            'too-large': 'it is too large',
            unreadable: 'it cannot be read',
          }[fault.is]
  return new AppError('CONFIG_INVALID', `The policy ${path} is not used: ${why}`, {
    ...(fault.is === 'unreadable' && { cause: fault.cause }),
    details: { policy: path },
    next:
      fault.is === 'not-text'
        ? 'Save it as UTF-8 text.'
        : `Make it writable only by its owner: chmod go-w ${shellPath(path)}`,
  })
}

/** The applicable policy: the named one, or the one in the config directory if it exists. */
export function readPolicy(named: string | undefined, usual: string): LoadedPolicy | null {
  // Naming the machine's own policy does not make it another one.
  const path = named === undefined || resolve(named) === resolve(usual) ? usual : named
  const text = readOwnedFile(path, {
    forbiddenMode: 0o022,
    maxBytes: 1 << 20,
    refused: (fault) => refused(path, fault),
  })
  if (text !== undefined)
    return { ...parsePolicy(text, path), ...(path !== usual && { named: true as const }) }
  // A dangling link is no missing policy.
  if (named === undefined && !lstatSync(path, { throwIfNoEntry: false })) return null
  throw missing(path)
}

const missing = (path: string): AppError =>
  new AppError('CONFIG_INVALID', `There is no policy ${path}`, {
    details: { policy: path },
    next: listFileCommand(path),
  })

/** Refuses a named policy that does not exist. It is not read yet: a pipe can be read only once. */
export function refuseMissingPolicy(path: string): void {
  if (!existsSync(path)) throw missing(path)
}
