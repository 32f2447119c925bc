import type { Address } from '../domain/address.ts'

/** The account that signs by default in the sandbox: the second of the public phrase of local development nodes, whose key is nobody's secret. */
export const sandboxAccountAddress: Address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
