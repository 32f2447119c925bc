import type { Address, Hex } from '../domain/address.ts'
import type { Token } from '../domain/token.ts'
import type { StrategyEntry } from './catalog-types.ts'

/**
 * A fee of the service: `amount` to `to`, out of `of`, the amount that is swapped or withdrawn. The operator and the customer may each take
 * one. It is paid by a transaction of its own after the action, or where `isInside` by the call of the swap itself.
 */
export type ServiceFee = { to: Address; amount: bigint; of: bigint; isInside?: true }

/**
 * An action that was asked for on one chain; the guard checks calldata against it. Amounts are in the smallest unit. `shares` of a withdrawal means
 * "max": the wallet's whole balance of the receipt token, read by us; with it, `amount` is the expected payout.
 */
export type Intent =
  | {
      kind: 'deposit'
      wallet: Address
      strategy: StrategyEntry
      amount: bigint
      /** The least of the receipt that must come, by our own reading, for a deposit at a moving price. */
      least?: bigint
    }
  | {
      kind: 'withdraw'
      wallet: Address
      strategy: StrategyEntry
      amount: bigint
      shares?: bigint
      /** The cost of a part in units of the receipt, read by us, for markets whose withdrawals name those. */
      units?: bigint
      /** Fees in the asset, out of the payout. */
      fees?: readonly ServiceFee[]
      /** The least of the asset that must come out, by our own reading, for a withdrawal at a moving price. */
      least?: bigint
    }
  | {
      /** Claims queued withdrawals: `ids` are the wallet's claimable requests, read by us, and `amount` is their least payout. */
      kind: 'claim'
      wallet: Address
      strategy: StrategyEntry
      amount: bigint
      ids: readonly string[]
      /** The requests are overdue: their shares come back, at least `amount` of the receipt, and nothing of the asset. */
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
      /** The speed of a bridge, if one was asked for. */
      speed?: 'fast' | 'standard'
      /** Unix seconds after which the swap must not execute. */
      deadline: number
      /** Fees in `tokenIn`, part of `amountIn`: the swap spends the rest. */
      fees?: readonly ServiceFee[]
    }
  | {
      kind: 'transfer'
      wallet: Address
      token: Token
      recipient: Address
      amount: bigint
      /** For a fee that was left unpaid: the other unpaid fees, paid after it in addition to `amount`. */
      fees?: readonly ServiceFee[]
    }
  /** Revokes an allowance. */
  | { kind: 'revoke'; wallet: Address; token: Token; spender: Address }
  | {
      /**
       * Delivers a transfer of CCTP that the transaction `burn` sent on `chainFrom`, and spends nothing: the bridge mints `amount` of the token to
       * `recipient`, both as the burn fixed them. `message` is the message of the burn, by the event of the bridge there.
       */
      kind: 'deliver'
      wallet: Address
      chainFrom: number
      burn: Hex
      message: Hex
      token: Token
      recipient: Address
      amount: bigint
    }

export const intentTokens = (intent: Intent): Token[] => {
  if (intent.kind === 'swap') return [intent.tokenIn, intent.tokenOut]
  return 'strategy' in intent ? [intent.strategy.asset] : [intent.token]
}

/** An intent of one kind, or of some. */
export type IntentOf<kind extends Intent['kind']> = Extract<Intent, { kind: kind }>

/** The intent of a deposit or a withdrawal. */
export type MarketIntent = IntentOf<'deposit' | 'withdraw'>

/** The intent of a delivery. */
export type DeliverIntent = IntentOf<'deliver'>

export type SwapIntent = IntentOf<'swap'>
