import type { ServiceRefusals } from '../service-answers/service-refusals.ts'

/** CoW Protocol's refusals (`PriceEstimationError` and `OrderPostError` of `@cowprotocol/sdk-order-book` 4.1.0; docs.cow.fi). */
export const refusals: ServiceRefusals = {
  codeField: 'errorType',
  sentenceField: 'description',
  codes: {
    ExcessiveValidTo: ['request', 'rejects the order: its validity is too long'],
    Forbidden: ['wallet', 'refuses the wallet'],
    InsufficientAllowance: [
      'wallet',
      'rejects the order: the allowance of the wallet is below the amount sold',
    ],
    InsufficientBalance: ['wallet', 'rejects the order: the balance of the wallet is below the amount sold'],
    InsufficientLiquidity: ['no-route', 'has not enough liquidity'],
    InsufficientValidTo: ['request', 'rejects the order: its validity is too short'],
    NoLiquidity: ['no-route', 'has no liquidity'],
    QuoteNotVerified: ['wallet', 'cannot verify this swap for the wallet'],
    SellAmountDoesNotCoverFee: ['amount-low', 'refuses the amount: it does not cover the cost of a fill'],
    TokenTemporarilySuspended: ['no-route', 'does not trade one of the tokens now'],
    TooManyLimitOrders: ['wallet', 'rejects the order: the wallet has too many open orders'],
    TradingOutsideAllowedWindow: ['no-route', 'trades one of the tokens only at certain hours'],
    TransferSimulationFailed: ['wallet', 'rejects the order: the token cannot be moved'],
    UnsupportedOrderType: ['no-route', 'does not serve this kind of order'],
    UnsupportedToken: ['no-route', 'does not trade one of the tokens'],
    ZeroAmount: ['amount-low', 'refuses the amount: it is zero'],
  },
}
