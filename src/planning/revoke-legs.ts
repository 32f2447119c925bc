import { approve } from '../chain/erc20.ts'
import type { Address } from '../domain/address.ts'
import type { Token } from '../domain/token.ts'
import type { ProposedLeg } from './proposal.ts'

/** A token and the spender whose allowance is to be revoked. */
export type AllowanceRef = { token: Token; spender: Address }

/** Legs that set allowances to zero, one after the other; they need no service. */
export const revokeLegs = (wallet: Address, endings: readonly AllowanceRef[]): ProposedLeg[] =>
  endings.map(({ token, spender }) => {
    const { chainId, address } = token
    return {
      chainId,
      intent: { kind: 'revoke', wallet, token, spender },
      transactions: [approve({ chainId, token: address, spender, amount: 0n })],
    }
  })
