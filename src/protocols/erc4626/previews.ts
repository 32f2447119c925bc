import type { Address } from '../../domain/address.ts'
import { type Cost, type Pays, paysBy, readOf } from '../protocol.ts'
import { erc4626Abi } from './abi.ts'

/** The shares that an exact amount of the asset costs when it is withdrawn. */
export const previewWithdraw =
  (vault: Address) =>
  (amount: bigint): Cost => ({
    read: readOf({ address: vault, abi: erc4626Abi, functionName: 'previewWithdraw', args: [amount] }),
    unitsOf: (shares) => shares,
  })

/** The shares that a deposit brings, after the fee of a vault that takes one. */
export const previewDeposit = (vault: Address, amount: bigint): Cost => ({
  read: readOf({ address: vault, abi: erc4626Abi, functionName: 'previewDeposit', args: [amount] }),
  unitsOf: (shares) => shares,
})

/** What shares pay. A vault that does not preview that can be left for no less than its price: without its fees, if it has any. */
export const previewRedeem = (vault: Address, units: bigint): Pays => ({
  ...paysBy(
    ['previewRedeem', 'convertToAssets'].map((functionName) => ({
      address: vault,
      abi: erc4626Abi,
      functionName,
      args: [units],
    })),
    ([assets, worth]) => assets ?? worth,
  ),
  insteadOf: ([assets]) =>
    assets === undefined ? 'the vault does not say beforehand what it pays' : undefined,
})
