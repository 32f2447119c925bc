import { parseAbi } from 'viem/utils'
import { type Call, contract, type Reading } from '../../chain/call.ts'
import { erc20 } from '../../chain/erc20.ts'
import { type Address, nativeAddress } from '../../domain/address.ts'
import type { Token } from '../../domain/token.ts'

/** The faults of what a contract answers about itself; none if it is the contract that the constants mean. */
export type ContractAssertion = Reading<string[]>

/** A contract must give this answer. `what` names it, such as "the asset of the vault"; `part` selects the compared part of the answer. */
export function mustAnswer(
  what: string,
  asked: Call,
  is: string | number | bigint,
  part: (answer: unknown) => unknown = (answer) => answer,
): ContractAssertion {
  const plain = (value: unknown) => String(value).toLowerCase()
  return {
    reads: [asked],
    parse: ([answer]) => {
      if (answer === undefined) return [`${what} is not returned by ${asked.address}`]
      const said = part(answer)
      return plain(said) === plain(is) ? [] : [`${what} is ${String(said)}, not ${String(is)}`]
    },
  }
}

/** A contract must answer this query, with any value: other contracts lack the function. */
export const mustRespond = (what: string, asked: Call): ContractAssertion => ({
  reads: [asked],
  parse: ([answer]) => (answer === undefined ? [`${what} is not returned by ${asked.address}`] : []),
})

/** A contract must not answer this query, except with the zero address: one that does is of another kind. */
export const mustNotRespond = (what: string, asked: Call): ContractAssertion => ({
  reads: [asked],
  parse: ([answer]) =>
    answer === undefined || answer === nativeAddress
      ? []
      : [`${what} returned by ${asked.address} is ${String(answer)}`],
})

/** Several contracts must give the same answer, with any value. */
export const mustAgree = (what: string, asked: readonly Call[]): ContractAssertion => ({
  reads: asked,
  parse: (said) => {
    const silent = asked.filter((_, at) => said[at] === undefined)
    if (silent.length > 0) return silent.map(({ address }) => `${what} is not returned by ${address}`)
    const all = [...new Set(said.map(String))]
    return all.length === 1 ? [] : [`${what} is returned as ${all.join(' and ')}`]
  },
})

const eip712Abi = parseAbi([
  'function eip712Domain() view returns (bytes1 fields, string name, string version, uint256 chainId, address verifyingContract, bytes32 salt, uint256[] extensions)',
])

/** A contract must state this name and version for its signatures (EIP-5267), joined by a comma. */
export const mustSignAs = (what: string, address: Address, name: string): ContractAssertion => ({
  reads: [contract(address, eip712Abi)('eip712Domain')],
  parse: ([domain]) =>
    Array.isArray(domain) && domain.slice(1, 3).join() === name
      ? []
      : [`the name of the ${what} is not returned by ${address}`],
})

/** A token must have the decimals of the catalogue. The native coin has no contract. */
export const hasDecimals = ({ address, decimals, symbol }: Token): ContractAssertion[] =>
  address === nativeAddress
    ? []
    : [mustAnswer(`the decimals of ${symbol}`, erc20.decimals(address), decimals)]
