import { erc20Abi } from '../../chain/erc20.ts'
import type { Read, Reading } from '../../chain/reading.ts'
import { nativeAddress } from '../../domain/address.ts'
import type { Token } from '../../domain/token.ts'

/** What is wrong with what a contract says of itself; nothing, where it is the one that the constants mean. */
export type Claim = Reading<string[]>

/** A contract must say this of itself. `what` names it, such as "the asset of the vault"; `part` is what of its answer counts. */
export function says(
  what: string,
  asked: Read,
  is: string | number | bigint,
  part: (answer: unknown) => unknown = (answer) => answer,
): Claim {
  const plain = (value: unknown) => String(value).toLowerCase()
  return {
    reads: [asked],
    parse: ([answer]) => {
      if (answer === undefined) return [`${what} is not said by ${asked.address}`]
      const said = part(answer)
      return plain(said) === plain(is) ? [] : [`${what} is ${String(said)}, and not ${String(is)}`]
    },
  }
}

/** A contract must answer this, whatever it says: what stands elsewhere does not know the question. */
export const answers = (what: string, asked: Read): Claim => ({
  reads: [asked],
  parse: ([answer]) => (answer === undefined ? [`${what} is not said by ${asked.address}`] : []),
})

/** A contract must not answer this, or with the zero address: what does is another one, or of another kind. */
export const silent = (what: string, asked: Read): Claim => ({
  reads: [asked],
  parse: ([answer]) =>
    answer === undefined || answer === nativeAddress
      ? []
      : [`${what} is said by ${asked.address}: ${String(answer)}`],
})

/** Several contracts must say the same of something, whatever it is. */
export const agree = (what: string, asked: readonly Read[]): Claim => ({
  reads: asked,
  parse: (said) => {
    const silent = asked.filter((_, at) => said[at] === undefined)
    if (silent.length > 0) return silent.map(({ address }) => `${what} is not said by ${address}`)
    const all = [...new Set(said.map(String))]
    return all.length === 1 ? [] : [`${what} is said to be ${all.join(' and ')}`]
  },
})

/** A token has the decimals that are known of it. The native coin is no contract. */
export const hasDecimals = ({ address, decimals, symbol }: Token): Claim[] =>
  address === nativeAddress
    ? []
    : [says(`the decimals of ${symbol}`, { address, abi: erc20Abi, functionName: 'decimals' }, decimals)]
