import type { Address } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { callOf } from '../shared/contract-call.ts'
import { writes as abi } from './abi.ts'

type Vault = { chainId: number; vault: Address }

/** Deposits `assets` into a vault; the shares go to `receiver`. */
export const deposit = (ask: Vault & { assets: bigint; receiver: Address }): Transaction =>
  callOf(
    { chainId: ask.chainId, to: ask.vault },
    { abi, functionName: 'deposit', args: [ask.assets, ask.receiver] },
  )

/** Withdraws exactly `assets` from a vault, for as many shares as they cost. */
export const withdraw = (ask: Vault & { assets: bigint; receiver: Address; owner: Address }): Transaction =>
  callOf(
    { chainId: ask.chainId, to: ask.vault },
    { abi, functionName: 'withdraw', args: [ask.assets, ask.receiver, ask.owner] },
  )

/** Redeems exactly `shares` of a vault: the call that leaves no rest. */
export const redeem = (ask: Vault & { shares: bigint; receiver: Address; owner: Address }): Transaction =>
  callOf(
    { chainId: ask.chainId, to: ask.vault },
    { abi, functionName: 'redeem', args: [ask.shares, ask.receiver, ask.owner] },
  )
