import type { ServiceRefusals } from '../service-answers/service-refusals.ts'

/** 1Click's refusals: it has no codes, and the sentence says why (docs.near-intents.org, 1Click API). */
export const refusals: ServiceRefusals = {
  codeField: null,
  sentenceField: 'message',
  codes: {},
  sentences: [
    [/amount.* (low|small|minimum)|below .*minimum/i, 'amount-low', 'refuses the amount'],
    [/amount.* (high|large|maximum)/i, 'amount-high', 'refuses the amount'],
    [/no (quotes?|liquidity|route|solver)|failed to get quote/i, 'no-route', 'has no quote'],
    [
      /token(in|out)?\b.* (not|un)|(unknown|unsupported|invalid) (token|asset)/i,
      'no-route',
      'does not serve one of the tokens',
    ],
    [
      /(recipient|refundTo|address).* (not valid|invalid)|invalid (recipient|refund|address)|sanction|blocked|blacklist/i,
      'wallet',
      'does not accept the recipient or the refund address',
    ],
  ],
}
