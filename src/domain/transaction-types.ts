import type { Address, Hex } from './address.ts'

/** A transaction to sign. Lists of them are executed in order. `value` is in wei. */
export type Transaction = { to: Address; data: Hex; value: bigint; chainId: number }

/** A transaction's sender, target, calldata and value in wei; `to` is null if it creates a contract. */
export type TransactionCall = { from: Address; to: Address | null; input: Hex; value: bigint }

/** A payment through Permit2: its contract, and the expiry of the allowance in Unix seconds. */
export type Permit2Payment = { permit2: Address; until: bigint }
