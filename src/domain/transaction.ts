import type { Address, Hex } from './address.ts'

/** One transaction, ready to sign. Arrays of these are executed in order. `value` is in wei. */
export type Transaction = { to: Address; data: Hex; value: bigint; chainId: number }

/** Who sent a transaction, what it calls, and with what; `to` is null where it makes a contract. */
export type TransactionCall = { from: Address; to: Address | null; input: Hex; value: bigint }

/** How a contract is paid that takes tokens through Permit2: by which one, and until when it may, in Unix seconds. */
export type Permit2Payment = { permit2: Address; until: bigint }
