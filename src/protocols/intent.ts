import type { Address } from '../domain/address.ts'
import type { Token } from '../domain/token.ts'
import type { StrategyEntry } from './catalog.ts'

/** What the service is paid by a transaction of its own after the action: `amount` to `to`, out of `of`, which is what is swapped or withdrawn. Its operator and its customer may each be paid one. */
export type ServiceFee = { to: Address; amount: bigint; of: bigint }

/**
 * What was asked for on one chain, in the words that the guard binds calldata to. Amounts are in the
 * smallest unit. `shares` of a withdrawal is the wallet's whole balance of the receipt token, read by us,
 * and stands for "max"; with it, `amount` is what is expected to come out.
 */
export type Intent =
  | {
      kind: 'deposit'
      wallet: Address
      strategy: StrategyEntry
      amount: bigint
      /** The least of the receipt that must come, by our own reading, where a deposit is an exchange at a price that moves. */
      least?: bigint
    }
  | {
      kind: 'withdraw'
      wallet: Address
      strategy: StrategyEntry
      amount: bigint
      shares?: bigint
      /** What a part costs in units of the receipt, read by us, where one leaves a market by giving that back. */
      units?: bigint
      /** In the asset, of what comes out. */
      fees?: readonly ServiceFee[]
      /** The least of the asset that must come out, by our own reading, where that is an exchange at a price that moves. */
      least?: bigint
    }
  | {
      /** Takes what queued withdrawals have set aside: `ids` are the wallet's own requests that can be claimed, read by us, and `amount` is what they pay at least. */
      kind: 'claim'
      wallet: Address
      strategy: StrategyEntry
      amount: bigint
      ids: readonly string[]
      /** The requests were let pass: their shares come back, `amount` of the receipt at least, and nothing of the asset. */
      takesBack?: true
    }
  | {
      kind: 'swap'
      wallet: Address
      provider: string
      tokenIn: Token
      tokenOut: Token
      /** Exact input: spends exactly `amountIn`, brings at least `amountOut`. Exact output: spends at most `amountIn`, brings exactly `amountOut`. */
      exact: 'in' | 'out'
      amountIn: bigint
      amountOut: bigint
      recipient: Address
      /** How fast a bridge is to be, where that was said. */
      speed?: 'fast' | 'standard'
      /** Unix seconds after which the swap must not execute. */
      deadline: number
      /** In `tokenIn`, and a part of `amountIn`: the swap itself spends the rest. */
      fees?: readonly ServiceFee[]
    }
  | {
      kind: 'transfer'
      wallet: Address
      token: Token
      recipient: Address
      amount: bigint
      /** Where this is itself a fee that is left over: the others that are, paid after it and beside `amount`. */
      fees?: readonly ServiceFee[]
    }
  /** Takes an allowance back. */
  | { kind: 'revoke'; wallet: Address; token: Token; spender: Address }

/** The tokens of an intent. */
export const intentTokens = (intent: Intent): Token[] => {
  if (intent.kind === 'swap') return [intent.tokenIn, intent.tokenOut]
  return 'strategy' in intent ? [intent.strategy.asset] : [intent.token]
}
