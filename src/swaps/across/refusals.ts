import type { ServiceRefusals } from '../service-answers/service-refusals.ts'

/**
 * Across' refusals (across-protocol/frontend, api/_errors.ts: `AcrossErrorCode`). The codes with a point are of version 1, of which the
 * documentation names one (docs.across.to/api-reference/v1/transfers/orderid/get).
 */
export const refusals: ServiceRefusals = {
  codeField: 'code',
  sentenceField: 'message',
  codes: {
    AMOUNT_TOO_HIGH: ['amount-high', 'refuses the amount: it is above the current limit'],
    AMOUNT_TOO_LOW: ['amount-low', 'refuses the amount: it is too low'],
    ROUTE_NOT_ENABLED: ['no-route', 'has no route: it does not serve this pair'],
    SWAP_LIQUIDITY_INSUFFICIENT: ['no-route', 'has not enough liquidity'],
    SWAP_QUOTE_UNAVAILABLE: ['no-route', 'has no route'],
    UNEXPECTED_ERROR: ['fault', 'has a fault of its own'],
    UPSTREAM_GATEWAY_TIMEOUT: ['fault', 'did not answer in time'],
    UPSTREAM_HTTP_ERROR: ['fault', 'got no answer from another service'],
    UPSTREAM_RPC_ERROR: ['fault', 'got no answer from its node'],
    'request.unsupported_param': ['request', 'does not know a field of the request'],
  },
}
