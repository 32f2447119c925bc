import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Address, sameAddress } from '../src/domain/address.ts'

/** A logo, the published list that names it, and the tokens of one issuer that bear it, by network. */
type Logo = { asset: string; logo: string; source: string; at: Readonly<Record<string, readonly Address[]>> }

/**
 * The logos of tokens for which the survey has none. A token of the same issuer on another network has the same
 * logo, a testnet token that of its mainnet asset, and a token without a logo that of its protocol.
 */
const logos: readonly Logo[] = JSON.parse(
  readFileSync(join(import.meta.dirname, 'catalog-logos.json'), 'utf8'),
)

/** The logo of a token; `null` if no list has one. */
export const logoOf = (network: string, token: Address): string | null =>
  logos.find(({ at }) => at[network]?.some((one) => sameAddress(one, token)))?.logo ?? null
