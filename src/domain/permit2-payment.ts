import type { Address } from './address.ts'

/** How a contract is paid that takes tokens through Permit2: by which one, and until when it may, in Unix seconds. */
export type Permit2Payment = { permit2: Address; until: bigint }
