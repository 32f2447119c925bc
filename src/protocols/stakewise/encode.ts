import { type Address, nativeAddress } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { callOf } from '../shared/contract-call.ts'
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
    ? callOf({ chainId, to: vault, value: amount }, { abi: stakeCoin, args: [owner, nativeAddress] })
    : callOf({ chainId, to: vault }, { abi: stakeToken, args: [amount, owner, nativeAddress] })

/** Requests the exit of shares through the queue of a vault; their owner claims the proceeds. */
export const requestExit = ({ chainId, vault, owner, shares }: Vault & { shares: bigint }): Transaction =>
  callOf({ chainId, to: vault }, { abi: exits, args: [shares, owner] })
