import type { ServiceRefusals } from '../service-answers/service-refusals.ts'

/** THORChain's refusals of a quote: its code is that of gRPC, and the sentence says why (thornode, x/thorchain/querier_quotes.go). */
export const refusals: ServiceRefusals = {
  codeField: 'code',
  sentenceField: 'message',
  codes: {},
  sentences: [
    [/halted|paused/i, 'maintenance', 'does not trade now'],
    [
      /not enough|too (low|small)|(less|lower) than|below|dust|min swap|outbound fee|insufficient (amount|fee)/i,
      'amount-low',
      'refuses the amount: it is too low',
    ],
    [
      /pool.*(not|doesn't)|no pool|invalid (asset|symbol)|bad (from|to) asset|not available/i,
      'no-route',
      'has no pool for this token',
    ],
    [/(bad|invalid) (destination|refund|address)/i, 'wallet', 'does not accept the address of the recipient'],
  ],
}
