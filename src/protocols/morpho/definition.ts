import { bindErc4626 } from '../erc4626/binding.ts'
import { vaultProtocol } from '../erc4626/vault-protocol.ts'
import type { Protocol } from '../protocol.ts'
import type { MorphoConstants } from './constants.ts'
import { morpho as market } from './market.ts'

/** The vaults of Morpho. */
export const morpho: Protocol<MorphoConstants> = {
  grade: { grade: 'A', by: '@morpho-org/morpho-blue-bundlers 1.1.2' },
  description: (symbol) =>
    `A vault that lends ${symbol} in the markets of Morpho that its curator chooses. A share is worth more as borrowers pay.`,
  rateConvention: () => 'the rate a second of its markets, compounded continuously over 365 days',
  ...vaultProtocol(bindErc4626),
  market,
}
