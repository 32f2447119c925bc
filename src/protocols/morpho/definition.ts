import { contract } from '../../chain/call.ts'
import type { StrategyEntry } from '../catalog-types.ts'
import { checkErc4626Calldata } from '../erc4626/calldata-check.ts'
import { vaultProtocol } from '../erc4626/vault-protocol-parts.ts'
import type { ProtocolMarket } from '../market-adapter.ts'
import type { Protocol } from '../protocol.ts'
import { mustAnswer } from '../shared/contract-assertions.ts'
import { vaultReadings, vaultSteps } from '../shared/erc4626-vault.ts'
import { metaMorphoAbi } from './abi.ts'
import type { MorphoConstants } from './constants-schema.ts'
import { morphoRate } from './rate.ts'

/** A vault of Morpho: an ERC-4626 vault whose rate follows from those of the markets that it lends on. */
const market = (entry: StrategyEntry, constants: MorphoConstants): ProtocolMarket => {
  const { vault, morpho: lender } = constants
  const read = vaultReadings(entry, { vault })
  const asked = contract(vault, metaMorphoAbi)('MORPHO')
  return {
    entry,
    ...read,
    contractAssertions: [...read.contractAssertions, mustAnswer('the Morpho of the vault', asked, lender)],
    rate: (at) => morphoRate(constants, at),
    ...vaultSteps(entry, vault),
  }
}

/** The vaults of Morpho. */
export const morpho: Protocol<MorphoConstants> = {
  grade: { grade: 'A', by: '@morpho-org/morpho-blue-bundlers 1.1.2' },
  description: (symbol) =>
    `A vault that lends ${symbol} in the markets of Morpho that its curator chooses. The value of a share grows as borrowers pay interest.`,
  rateConvention: () => 'the rate per second of its markets, compounded continuously over 365 days',
  ...vaultProtocol(checkErc4626Calldata),
  market,
}
