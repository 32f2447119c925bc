import { deposit, redeem, withdraw } from '../../calls/erc4626.ts'
import type { Erc4626Constants, StrategyEntry } from '../../domain/catalog.ts'
import { vaultReadings } from '../readings/vault.ts'
import type { Market } from './market.ts'

/** Any ERC-4626 vault: assets go in for shares, and all of it comes out by giving all shares back. */
export const erc4626 = (entry: StrategyEntry, constants: Erc4626Constants): Market => {
  const { chainId, asset } = entry
  const { vault } = constants
  return {
    entry,
    ...vaultReadings(entry, constants),
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
