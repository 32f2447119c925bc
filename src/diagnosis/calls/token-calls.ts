import { parseAbi } from 'viem/utils'
import { erc20Writes } from '../../chain/erc20.ts'
import { unlimitedThreshold } from '../../chain/standing-allowance.ts'
import type { Address } from '../../domain/address.ts'
import { type Teller, teller, type Words } from '../../protocols/call-description.ts'

/** Further functions of tokens (EIP-20, EIP-2612, ERC-677, and `@openzeppelin/contracts`). */
const others = parseAbi([
  'function transferFrom(address from, address to, uint256 amount) returns (bool)',
  'function increaseAllowance(address spender, uint256 amount) returns (bool)',
  'function decreaseAllowance(address spender, uint256 amount) returns (bool)',
  'function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
  'function transferAndCall(address to, uint256 value, bytes data) returns (bool)',
])

/** The wrapped native coin (WETH9). */
const wrapping = parseAbi(['function deposit() payable', 'function withdraw(uint256 wad)'])

/** An allowance in words: one that no balance can exhaust is unlimited. */
export const allowed = (say: Pick<Words, 'amount' | 'token'>, token: Address, units: bigint): string =>
  units >= unlimitedThreshold ? `an unlimited amount of ${say.token(token)}` : say.amount(token, units)

/** What calls of a token of the catalogue do. */
export const tokenTellers: readonly Teller[] = [
  teller(erc20Writes, 'transfer', 'transfer', ([to, units], say) => ({
    text: `sends ${say.amount(say.call.to, units)} to ${to}`,
    gives: [{ token: say.call.to, units }],
    holders: [to],
  })),
  teller(erc20Writes, 'approve', 'approve', ([spender, units], say) => ({
    text:
      units === 0n
        ? `revokes the allowance of ${spender} for ${say.token(say.call.to)}`
        : `allows ${spender} to spend ${allowed(say, say.call.to, units)}`,
  })),
  teller(others, 'transferFrom', 'transfer', ([from, to, units], say) => ({
    text: `sends ${say.amount(say.call.to, units)} of ${from} to ${to}`,
    gives: say.forWhom(from) === '' ? [{ token: say.call.to, units }] : [],
    holders: [from, to],
  })),
  teller(others, 'increaseAllowance', 'approve', ([spender, units], say) => ({
    text: `allows ${spender} to spend ${allowed(say, say.call.to, units)} more than before`,
  })),
  teller(others, 'decreaseAllowance', 'approve', ([spender, units], say) => ({
    text: `lowers the allowance of ${spender} by ${allowed(say, say.call.to, units)}`,
  })),
  teller(others, 'permit', 'approve', ([owner, spender, units], say) => ({
    text: `allows ${spender} to spend ${allowed(say, say.call.to, units)} of ${owner}, by a signature`,
    holders: [owner],
  })),
  teller(others, 'transferAndCall', 'transfer', ([to, units, data], say) => ({
    text: `sends ${say.amount(say.call.to, units)} to ${to} and calls it`,
    gives: [{ token: say.call.to, units }],
    holders: [to],
    ...(data !== '0x' && { unread: [`the data for ${to}`] }),
  })),
]

/** What calls of the wrapped coin do, beyond those of any token. */
export const wrappedCoinTellers: readonly Teller[] = [
  teller(wrapping, 'deposit', 'other', (_, say) => ({
    text: `wraps ${say.coin(say.call.value)} into ${say.token(say.call.to)}`,
  })),
  teller(wrapping, 'withdraw', 'other', ([units], say) => ({
    text: `unwraps ${say.amount(say.call.to, units)} into the coin`,
    gives: [{ token: say.call.to, units }],
    paysCoinTo: 'caller',
  })),
]
