import type { Read } from '../../chain/contract-reading.ts'
import type { Address } from '../../domain/address.ts'
import type { StrategyEntry } from '../catalog-types.ts'
import { erc4626Abi } from '../erc4626/abi.ts'
import type { MarketState, ProtocolMarket } from '../market.ts'
import { readAmount } from '../shared/amount-reads.ts'
import { says } from '../shared/contract-assertions.ts'
import { vaultReadings, vaultSteps } from '../shared/erc4626-vault.ts'
import { compounded } from '../shared/rate-units.ts'
import { resolverAbi } from './abi.ts'
import type { FluidConstants } from './constants.ts'
import { withdrawLimited } from './encode.ts'

/** The fields of `getFTokenDetails` that are used here. */
type Details = {
  asset: Address
  rewardsRate: bigint
  supplyRate: bigint
  liquidityUserSupplyData: { withdrawable: bigint }
}

/**
 * A lending vault of Fluid: ERC-4626, but a partial withdrawal limits the shares that it burns. Its resolver states the rate, rounded down to
 * 0.01 %, and what can be withdrawn now; without its answer, or at a rate of zero, the growth of the share price is the rate.
 */
export const fluid = (entry: StrategyEntry, { vault, resolver }: FluidConstants): ProtocolMarket => {
  const { chainId, asset } = entry
  const details: Read = {
    address: resolver,
    abi: resolverAbi,
    functionName: 'getFTokenDetails',
    args: [vault],
  }
  const { state, contractAssertions: claims, ...readings } = vaultReadings(entry, { vault })
  return {
    entry,
    ...readings,
    contractAssertions: [
      ...claims,
      says(
        'the asset of the vault by the resolver',
        details,
        asset.address,
        (answer) => (answer as Details).asset,
      ),
    ],
    state: {
      reads: [...state.reads, { ...details, refused: null }],
      parse: (answers) => ({
        ...state.parse(answers.slice(0, -1)),
        ...statedBy(answers.at(-1) as Details | null),
      }),
    },
    units: (amount) =>
      readAmount({ address: vault, abi: erc4626Abi, functionName: 'previewWithdraw', args: [amount] }),
    ...vaultSteps(entry, vault),
    withdraw: ({ amount, owner, units = 0n }) => ({
      transaction: withdrawLimited({ chainId, vault, amount, maxShares: units, owner }),
    }),
  }
}

/** The rate and the liquidity by the resolver; nothing of what it does not say. */
function statedBy(details: Details | null): Partial<MarketState> {
  if (!details) return {}
  const { supplyRate, rewardsRate, liquidityUserSupplyData } = details
  const apr = Number(supplyRate) / 1e4 + Number(rewardsRate) / 1e14
  return {
    liquidity: liquidityUserSupplyData.withdrawable,
    ...(apr > 0 && { apr, apy: compounded(apr) }),
  }
}
