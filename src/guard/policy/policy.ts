import { createHash } from 'node:crypto'
import { closeSync, fstatSync, lstatSync, openSync, readFileSync, type Stats } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod'
import { EvmAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { misfit } from '../../domain/schema-mismatch.ts'
import { listing, shellPath } from '../../domain/shell-quoting.ts'
import { assuranceLevels } from '../assurance.ts'

const refused = (path: string, why: string, cause?: unknown): AppError =>
  new AppError('CONFIG_INVALID', `The policy ${path} is not used: ${why}`, {
    cause,
    details: { policy: path },
    hint: `Nobody but you may write it: chmod go-w ${shellPath(path)}`,
  })

function checkOwner(path: string, { uid, mode }: Stats, withMode: boolean): void {
  const mine = process.getuid?.()
  // Without user ids nothing can be said about owners.
  if (mine === undefined) return
  if (uid !== mine) throw refused(path, 'it belongs to another user')
  if (withMode && (mode & 0o022) !== 0)
    throw refused(path, `others can change it (mode ${(mode & 0o777).toString(8)})`)
}

/**
 * Reads a file that is the user's own and that nobody else can write; a link counts only when it is the user's own, too.
 * Anything else is CONFIG_INVALID. A file that is not there is `undefined` where it `mayBeMissing`.
 */
export function readOwnFile(path: string, mayBeMissing: boolean, maxBytes = 1 << 20): string | undefined {
  let file: number | undefined
  try {
    checkOwner(path, lstatSync(path), false)
    file = openSync(path, 'r')
    const stats = fstatSync(file)
    if (!stats.isFile()) throw refused(path, 'it is not a file')
    checkOwner(path, stats, true)
    if (stats.size > maxBytes) throw refused(path, 'it is too large')
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof AppError) throw error
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw refused(path, 'it cannot be read', error)
    if (mayBeMissing && file === undefined && !isThere(path)) return undefined
    throw new AppError('CONFIG_INVALID', `There is no policy ${path}`, {
      cause: error,
      details: { policy: path },
      hint: listing(path),
    })
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** Whether there is something at a path, and be it a link into nothing. */
const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

const decimal = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,59})(\.[0-9]{1,30})?$/, 'expected an amount such as "1000" or "0.5"')
/** `{"sandbox-one:USDC": "1000"}`: a token of a network, by symbol or address, and units of it. */
const perToken = z.record(
  z.string().regex(/^[a-z0-9-]+:[A-Za-z0-9.]+$/, 'expected NETWORK:SYMBOL or NETWORK:ADDRESS'),
  decimal,
)
const address = z.string().refine((text) => EvmAddress.safeParse(text).success, 'expected an address')
const clock = '([01][0-9]|2[0-3]):[0-5][0-9]'

/** What a team allows its operators and jobs; every rule is optional, and what is not known is refused. */
export const Policy = z.strictObject({
  /** The most that one operation may move of a token, and all operations of a wallet together in 24 hours. */
  perTransaction: perToken.optional(),
  perDay: perToken.optional(),
  maxSlippage: z
    .string()
    .regex(/^[0-9]+(\.[0-9]+)?(%|bps)$/, 'expected "0.5%" or "50bps"')
    .optional(),
  /** The most that a swap or a position may bring less than at its spot price. Without --max-price-impact it is 3 % at most. */
  maxPriceImpact: z
    .string()
    .regex(/^[0-9]+(\.[0-9]+)?(%|bps)$/, 'expected "5%" or "500bps"')
    .optional(),
  /** The most that the service may charge of what is swapped or withdrawn, in basis points. Without --max-service-fee it is 100 at most. */
  maxServiceFeeBps: z.int().min(0).max(10_000).optional(),
  /** In gwei. */
  maxFeePerGas: decimal.optional(),
  /** In units of the native coin, for all that one leg can cost. */
  maxTotalFee: decimal.optional(),
  /** Who may be paid beside the wallet itself, the collector of a fee among them. */
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
  /** Whether a contract may not be able to take more already than an operation needs. */
  refuseStandingAllowance: z.boolean().optional(),
  simulation: z.enum(['required', 'optional']).optional(),
  minAssurance: z.enum(assuranceLevels).optional(),
  /** How many RPC endpoints of the network must show the same in the simulation. */
  minEndpoints: z.int().min(1).max(2).optional(),
})
export type Policy = z.output<typeof Policy>

/** A policy as it was read, with the hash of the file's bytes. One that is `named` stands for an operation in the place of that of the machine. */
export type LoadedPolicy = { sha256: string; policy: Policy; named?: true }

/** A policy from the bytes of its file. What cannot be understood to the last key is CONFIG_INVALID: a limit with a typing error must not be no limit. */
export function parsePolicy(text: string, path: string): LoadedPolicy {
  const hint = `Mend the file: ${path}`
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (cause) {
    throw new AppError('CONFIG_INVALID', `The policy ${path} is not JSON`, {
      cause,
      hint,
      details: { policy: path },
    })
  }
  const parsed = Policy.safeParse(json)
  if (!parsed.success)
    throw new AppError(
      'CONFIG_INVALID',
      `The policy ${path} cannot be used: ${misfit(parsed.error)} (its rules: sluice policy check --help)`,
      {
        hint,
        details: { policy: path },
      },
    )
  return { sha256: createHash('sha256').update(text).digest('hex'), policy: parsed.data }
}

/** The policy that holds: the one that was named, or else the one in the config directory, if there is one. */
export function readPolicy(named: string | undefined, usual: string): LoadedPolicy | null {
  // The policy of the machine is that of the machine, also where it is named.
  const path = named === undefined || resolve(named) === resolve(usual) ? usual : named
  const text = readOwnFile(path, named === undefined)
  if (text === undefined) return null
  return { ...parsePolicy(text, path), ...(path !== usual && { named: true as const }) }
}
