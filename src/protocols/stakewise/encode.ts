import { encodeFunctionData } from 'viem/utils'
import { type Address, nativeAddress } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction.ts'
import { exits, stakeCoin, stakeToken } from './abi.ts'

type Vault = { chainId: number; vault: Address; owner: Address }

/** Stakes an amount of the native coin, or of a token through an allowance, without a referrer; the shares are the owner's. */
export const depositStake = ({
  chainId,
  vault,
  owner,
  asset,
  amount,
}: Vault & { asset: Address; amount: bigint }): Transaction =>
  asset === nativeAddress
    ? {
        to: vault,
        data: encodeFunctionData({ abi: stakeCoin, args: [owner, nativeAddress] }),
        value: amount,
        chainId,
      }
    : {
        to: vault,
        data: encodeFunctionData({ abi: stakeToken, args: [amount, owner, nativeAddress] }),
        value: 0n,
        chainId,
      }

/** Requests the exit of shares through the queue of a vault; their owner claims the proceeds. */
export const requestExit = ({ chainId, vault, owner, shares }: Vault & { shares: bigint }): Transaction => ({
  to: vault,
  data: encodeFunctionData({ abi: exits, args: [shares, owner] }),
  value: 0n,
  chainId,
})
