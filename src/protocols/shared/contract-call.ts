import type { Abi, ContractFunctionName } from 'viem'
import { type EncodeFunctionDataParameters, encodeFunctionData } from 'viem/utils'
import type { Address } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction-types.ts'

/** The transaction that calls a function of a contract. */
export const callOf = <
  const abi extends Abi | readonly unknown[],
  name extends ContractFunctionName<abi> | undefined = undefined,
>(
  { chainId, to, value = 0n }: { chainId: number; to: Address; value?: bigint },
  call: EncodeFunctionDataParameters<abi, name>,
): Transaction => ({ to, data: encodeFunctionData(call), value, chainId })
