import type { ServiceRefusals } from '../service-answers/service-refusals.ts'

/** 1inch's refusals: its codes are HTTP statuses, and the sentence says why (help.1inch.io, 1inch API troubleshooting). */
export const refusals: ServiceRefusals = {
  codeField: null,
  sentenceField: 'description',
  codes: {},
  sentences: [
    [/insufficient liquidity|cannot find (a )?path|no route/i, 'no-route', 'has not enough liquidity'],
    [
      /(unknown|unsupported|invalid) token|token .*not (found|supported)|cannot find token/i,
      'no-route',
      'does not know one of the tokens',
    ],
    [
      /not enough .*(balance|allowance)|insufficient (balance|funds|allowance)/i,
      'wallet',
      'finds that the balance or the allowance of the wallet is too low',
    ],
  ],
}
