import { parseAbi } from 'viem/utils'

import { strictDecode } from '../../calls/decode.ts'
import type { Address, Hex } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import type { Network } from '../../domain/network.ts'
import { type Token, tokenAt } from '../../domain/token.ts'
import type { Ground } from '../ground.ts'
import { contractName } from '../guard/contract-names.ts'

/** What the call of a transaction is for, as a sentence without its subject; `spender` may take something by it, and `null` is nobody. */
export type Deed =
  | { is: 'payment' | 'call'; does: string }
  | { is: 'approval'; does: string; spender: Address | null }

/** The call of a transaction, as it was read; nobody is called by what makes a contract. */
export type Call = { to: Address | null; input: Hex; value: bigint }

const payments = parseAbi([
  'function transfer(address to, uint256 amount) returns (bool)',
  'function approve(address spender, uint256 amount) returns (bool)',
])

/** What a transaction does, as far as its call alone says so. */
export function deedOf(
  { to, input, value }: Call,
  { chainId, native }: Network,
  catalog: Ground['catalog'] & { tokens: readonly Token[] },
): Deed {
  if (to === null) return { is: 'call', does: 'makes a contract' }
  const carried = formatAmount(value, native)
  if (input === '0x') return { is: 'payment', does: `sends ${carried} to ${to}` }
  const token = tokenAt(catalog.tokens, chainId, to)
  const call = token && strictDecode(payments, input)
  if (token && call) {
    const [who, units] = call.args
    const amount = formatAmount(units, token)
    return call.functionName === 'transfer'
      ? { is: 'payment', does: `sends ${amount} to ${who}` }
      : { is: 'approval', does: `lets ${who} take ${amount}`, spender: units === 0n ? null : who }
  }
  const name = contractName(catalog, chainId, to)
  return { is: 'call', does: `calls ${name === null ? to : `${name} (${to})`} with ${carried}` }
}
