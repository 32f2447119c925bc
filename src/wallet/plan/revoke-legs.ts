import { approve } from '../../calls/erc20.ts'
import type { Address } from '../../domain/address.ts'
import type { Token } from '../../domain/token.ts'
import type { ProposedLeg } from './proposal.ts'

/** An allowance that is to end. */
export type Ending = { token: Token; spender: Address }

/** Approvals of nothing, one after the other: they need no service. */
export const revokeLegs = (wallet: Address, endings: readonly Ending[]): ProposedLeg[] =>
  endings.map(({ token, spender }) => {
    const { chainId, address } = token
    return {
      chainId,
      intent: { kind: 'revoke', wallet, token, spender },
      transactions: [approve({ chainId, token: address, spender, amount: 0n })],
    }
  })
