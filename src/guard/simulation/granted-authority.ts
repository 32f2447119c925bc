import { toEventSelector } from 'viem/utils'
import { type Address, type Hex, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { Log } from '../../protocols/market-adapter.ts'

const throughPermit2 = toEventSelector(
  'event Approval(address indexed owner, address indexed token, address indexed spender, uint160 amount, uint48 expiration)',
)

const approval = toEventSelector(
  'event Approval(address indexed owner, address indexed spender, uint256 value)',
)

/** Events that grant authority over what the first indexed account owns; their first data word is the amount. */
const authorityEvents = new Map<Hex, string>([
  [approval, 'an allowance'],
  [
    toEventSelector('event ApprovalForAll(address indexed owner, address indexed operator, bool approved)'),
    'control over a whole collection',
  ],
  [throughPermit2, 'an allowance of Permit2'],
  [
    toEventSelector(
      'event Permit(address indexed owner, address indexed token, address indexed spender, uint160 amount, uint48 expiration, uint48 nonce)',
    ),
    'an allowance of Permit2',
  ],
  [
    toEventSelector(
      'event BorrowAllowanceDelegated(address indexed fromUser, address indexed toUser, address indexed asset, uint256 amount)',
    ),
    'the right to borrow',
  ],
])

const accountIn = (topic: Hex | undefined): Address => `0x${(topic ?? '').slice(-40)}`

/** Refuses a leg whose simulation grants authority over the wallet's assets, except its own allowances, also those at Permit2. */
export function refuseGrantedAuthority(
  logs: readonly Log[],
  wallet: Address,
  expected: readonly { token: Address; spender: Address; permit2?: Address }[],
): void {
  for (const { address, topics, data } of logs) {
    const [event, owner, other, third] = topics
    const power = event && authorityEvents.get(event)
    if (power === undefined || !sameAddress(accountIn(owner), wallet)) continue
    const isNothing = data !== '0x' && BigInt(data.slice(0, 66)) === 0n
    const isAsked = expected.some(({ token, spender, permit2 }) =>
      permit2
        ? event === throughPermit2 &&
          sameAddress(permit2, address) &&
          sameAddress(token, accountIn(other)) &&
          sameAddress(spender, accountIn(third))
        : event === approval &&
          topics.length === 3 &&
          sameAddress(token, address) &&
          sameAddress(spender, accountIn(other)),
    )
    if (isNothing || isAsked) continue
    throw new AppError(
      'POLICY_SIMULATION',
      `In the simulation ${accountIn(other)} gets ${power} at ${address}, which was not requested`,
      { details: { contract: address, topics } },
    )
  }
}

/** Refuses a leg whose simulation changes the wallet's code. */
export function refuseCodeChange(before: Hex, after: Hex, wallet: Address): void {
  if (before.toLowerCase() === after.toLowerCase()) return
  throw new AppError('POLICY_SIMULATION', `In the simulation, the code of the wallet ${wallet} changes`)
}
