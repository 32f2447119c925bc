import type { ServiceRefusals } from '../service-answers/service-refusals.ts'

/** LI.FI's refusals (docs.li.fi/api-reference/error-codes; `ErrorCode` of `@lifi/types` 18.4.0). */
export const refusals: ServiceRefusals = {
  codeField: 'code',
  sentenceField: 'message',
  codes: {
    1001: ['fault', 'failed to make the transaction'],
    1002: ['no-route', 'has no quote'],
    1003: ['no-route', 'does not know one of the tokens or networks'],
    1005: ['limit', 'limits requests'],
    1006: ['fault', 'has a fault of its own'],
    1007: ['amount-low', 'has no route within the slippage'],
    1008: ['fault', 'got no answer from an exchange or a bridge'],
    1009: ['fault', 'did not answer in time'],
    1010: ['key', 'does not accept the API key'],
    1012: ['fault', 'got no answer from its node'],
  },
  statuses: { 404: ['no-route', 'has no quote'] },
}
