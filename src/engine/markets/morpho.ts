import { deposit, redeem, withdraw } from '../../calls/erc4626.ts'
import { metaMorphoAbi } from '../../calls/morpho.ts'
import type { MorphoConstants, StrategyEntry } from '../../domain/catalog.ts'
import { says } from '../readings/claims.ts'
import { morphoRate } from '../readings/morpho-rate.ts'
import { vaultReadings } from '../readings/vault.ts'
import type { Market } from './market.ts'

/** A vault of Morpho: an ERC-4626 vault that lends on markets whose rates are known, and so is its own. */
export const morpho = (entry: StrategyEntry, constants: MorphoConstants): Market => {
  const { chainId, asset } = entry
  const { vault } = constants
  const read = vaultReadings(entry, { vault })
  return {
    entry,
    ...read,
    claims: [
      ...read.claims,
      says(
        'the Morpho of the vault',
        { address: vault, abi: metaMorphoAbi, functionName: 'MORPHO' },
        constants.morpho,
      ),
    ],
    rate: () => morphoRate(constants),
    deposit: ({ amount, owner }) => ({
      transaction: deposit({ chainId, vault, assets: amount, receiver: owner }),
      needs: { token: asset.address, spender: vault, amount },
    }),
    withdraw: ({ amount, owner }) => ({
      transaction: withdraw({ chainId, vault, assets: amount, receiver: owner, owner }),
    }),
    withdrawAll: ({ owner, shares }) => ({
      transaction: redeem({ chainId, vault, shares, receiver: owner, owner }),
    }),
  }
}
