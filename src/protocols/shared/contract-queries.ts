import type { Abi } from 'viem'
import type { Query } from '../../chain/contract-query.ts'
import type { Address } from '../../domain/address.ts'

/** Makes the queries of one contract, each of a function and its arguments. */
export const queriesOf =
  (address: Address, abi: Abi) =>
  (functionName: string, ...args: readonly unknown[]): Query => ({ address, abi, functionName, args })
