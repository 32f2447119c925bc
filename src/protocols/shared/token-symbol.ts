import { hexToString, parseAbi } from 'viem/utils'
import { type Call, contract, type Reading } from '../../chain/call.ts'
import { erc20Abi } from '../../chain/erc20.ts'
import type { Address, Hex } from '../../domain/address.ts'

/** Old tokens return their symbol as bytes32. */
const oldAbi = parseAbi(['function symbol() view returns (bytes32)'])

/** The longest accepted symbol. */
const longest = 64

/** The symbol of a token by its contract; `undefined` without a valid one. */
export function symbolSaid(address: Address): Reading<string | undefined> {
  const ask = (abi: Call['abi']): Call => contract(address, abi)('symbol')
  return {
    reads: [ask(erc20Abi), ask(oldAbi)],
    parse: ([text, word]) => {
      const said = text ?? (word === undefined ? undefined : hexToString(word as Hex, { size: 32 }))
      const symbol = said === undefined ? '' : String(said).trim()
      return symbol === '' || symbol.length > longest ? undefined : symbol
    },
  }
}
