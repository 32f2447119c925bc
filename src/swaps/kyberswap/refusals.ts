import type { ServiceRefusals } from '../service-answers/service-refusals.ts'

/** KyberSwap's refusals (docs.kyberswap.com, EVM swaps; KyberNetwork/kyberswap-skills, error-handling, for the observed ones). */
export const refusals: ServiceRefusals = {
  codeField: 'code',
  sentenceField: 'message',
  sentences: [
    // 4227 is any failed simulation of the call; its sentence says why.
    [/return amount is not enough/i, 'expired', 'no longer has the price that it quoted'],
    [
      /insufficient funds|TRANSFER_FROM_FAILED|exceeds (balance|allowance)|insufficient (balance|allowance)/i,
      'wallet',
      'simulates that the wallet cannot pay: its balance or its allowance is too low',
    ],
  ],
  codes: {
    4005: ['amount-high', 'returns no route: the service fee is higher than the amount'],
    4007: ['amount-high', 'returns no route: the service fee is higher than the output'],
    4008: ['no-route', 'has no route'],
    4009: ['no-route', 'has no route for so large an amount'],
    4010: ['no-route', 'has no pools for this pair'],
    4011: ['no-route', 'does not know one of the tokens'],
    4222: ['expired', 'no longer has the price that it quoted'],
  },
}
