import { type Address, sameAddress } from '../../domain/address.ts'
import type { Token } from '../../domain/token.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import { contractsOn } from '../swap-contracts.ts'
import { type AveniaConstants, aveniaContracts } from './constants-schema.ts'

/** The partner's constants on a chain; `undefined` without it. */
export const aveniaOn = (catalog: Pick<Catalog, 'swaps'>, chainId: number): AveniaConstants | undefined =>
  contractsOn(catalog, aveniaContracts, chainId)

/** The partner's name for a ramp token; `undefined` for other tokens. */
export const currencyOf = ({ usdc, brla }: AveniaConstants, token: Address): 'USDC' | 'BRLA' | undefined =>
  sameAddress(token, usdc) ? 'USDC' : sameAddress(token, brla) ? 'BRLA' : undefined

/** Whether a swap is USDC to BRLA or the reverse, on the partner's chain. */
export function isRamp(
  here: AveniaConstants,
  tokens: readonly Pick<Token, 'chainId' | 'address'>[],
): boolean {
  const currencies = tokens.map(({ address }) => currencyOf(here, address))
  return (
    tokens.every(({ chainId }) => chainId === here.chainId) &&
    currencies.includes('USDC') &&
    currencies.includes('BRLA')
  )
}
