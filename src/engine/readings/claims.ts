import type { Abi } from 'viem'

import { erc20Abi } from '../../calls/erc20.ts'
import { type Address, nativeAddress } from '../../domain/address.ts'
import type { Token } from '../../domain/token.ts'
import type { Reading } from '../reading.ts'

/** What is wrong with what a contract says of itself; nothing, where it is the one that the constants mean. */
export type Claim = Reading<string[]>

/** A contract must say this of itself. `what` names it, such as "the asset of the vault". */
export function says(
  what: string,
  {
    address,
    abi,
    functionName,
    args,
  }: { address: Address; abi: Abi; functionName: string; args?: unknown[] },
  is: string | number | bigint,
  part: (answer: unknown) => unknown = (answer) => answer,
): Claim {
  const plain = (value: unknown) => String(value).toLowerCase()
  return {
    reads: [{ address, abi, functionName, ...(args && { args }) }],
    parse: ([answer]) => {
      if (answer === undefined) return [`${what} is not said by ${address}`]
      const said = part(answer)
      return plain(said) === plain(is) ? [] : [`${what} is ${String(said)}, and not ${String(is)}`]
    },
  }
}

/** A token has the decimals that are known of it. The native coin is no contract. */
export const hasDecimals = ({ address, decimals, symbol }: Token): Claim[] =>
  address === nativeAddress
    ? []
    : [says(`the decimals of ${symbol}`, { address, abi: erc20Abi, functionName: 'decimals' }, decimals)]
