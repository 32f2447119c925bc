import type { Address, Hex } from './address.ts'

/** One transaction, ready to sign. Arrays of these are executed in order. `value` is in wei. */
export type Transaction = { to: Address; data: Hex; value: bigint; chainId: number }
