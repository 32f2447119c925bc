import type { ServiceRefusals } from '../service-answers/service-refusals.ts'

/** The refusals of CCTP's attestation service (developers.circle.com, CCTP API): its codes are HTTP statuses. */
export const refusals: ServiceRefusals = {
  codeField: null,
  sentenceField: 'error',
  codes: {},
  statuses: {
    400: ['no-route', 'does not serve this route'],
    404: ['no-route', 'does not serve this route'],
    // A caller above 35 requests a second is blocked for five minutes.
    429: ['limit', 'limits requests'],
  },
}
