import { deposit, redeem, withdraw } from '../../calls/erc4626.ts'
import type { Address } from '../../domain/address.ts'
import type { StrategyEntry } from '../../domain/catalog.ts'
import type { Market } from '../markets/market.ts'

/** How one gets into a tokenized vault and out of it by EIP-4626; a vault that is left otherwise has steps of its own for that. */
export const vaultSteps = (
  { chainId, asset }: StrategyEntry,
  vault: Address,
): Pick<Market, 'deposit' | 'withdraw' | 'withdrawAll'> => ({
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
})
