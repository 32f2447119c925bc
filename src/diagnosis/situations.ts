/**
 * All situations of `action explain`: when each applies, and what to do. The type of a situation is a name of this list, so that none can be
 * without a row; `docs/recovery.md` is generated from it. `next` names the usual command: the verdict of an action names its own.
 */
export const situations = {
  NOTHING_SIGNED: { when: 'nothing of the action is signed', next: '`sluice action resume ID`' },
  DROPPED: {
    when: 'the action was closed before anything was signed, or a newer plan replaced it',
    next: 'make the request again',
  },
  SIGNED_NOT_SENT: {
    when: 'a transaction is signed, and no node accepted it yet',
    next: '`sluice action resume ID`',
  },
  SENT_NOT_SEEN: {
    when: 'a transaction was sent, and no node that answers knows it',
    next: '`sluice action resume ID`',
  },
  WAITING: {
    when: 'a transaction is pending with a fee that is high enough',
    next: '`sluice action resume ID`',
  },
  FEE_TOO_LOW: {
    when: 'a transaction is pending, and its fee is below what blocks take now',
    next: '`sluice action speed-up ID`',
  },
  REFUSED: { when: 'the nodes refuse a signed transaction for good', next: 'the command in `next`' },
  BEHIND_ANOTHER: {
    when: 'a transaction with an earlier nonce must be mined first',
    next: '`sluice action resume ID` with the ID of the other action',
  },
  DEADLINE_PASSED: {
    when: 'the deadline in a pending transaction has passed, so that it would revert',
    next: '`sluice action cancel ID`',
  },
  CANCELLING: { when: 'a no-op transaction that cancels is pending', next: '`sluice action resume ID`' },
  MINED_NOT_FINAL: {
    when: 'the transaction is in a block that is not deep enough yet',
    next: '`sluice action resume ID`',
  },
  MINED_UNNOTICED: {
    when: 'a transaction is final, and the journal has not recorded this',
    next: '`sluice action resume ID`',
  },
  REORGED: {
    when: 'a reorganisation removed a transaction from its block',
    next: '`sluice action resume ID`',
  },
  REOPENED: {
    when: 'a reorganisation removed a transaction that had counted as final',
    next: '`sluice action resume ID`',
  },
  PARTLY_DONE: {
    when: 'some steps are done, and the rest is not signed',
    next: '`sluice action resume ID`, or `abandon ID` if the rest can never be done',
  },
  QUOTE_EXPIRED: { when: 'the quote of the unsigned steps has expired', next: '`sluice action replan ID`' },
  REVERTED_PRICE: {
    when: 'the transaction reverted because the price moved beyond the slippage',
    next: '`sluice action revoke ID` if an allowance is left',
  },
  REVERTED_DEADLINE: {
    when: 'the transaction was mined after its deadline and reverted',
    next: '`sluice action revoke ID` if an allowance is left',
  },
  REVERTED_PAUSED: {
    when: 'the transaction reverted because the market is paused',
    next: '`sluice action revoke ID` if an allowance is left',
  },
  REVERTED_GAS: {
    when: 'the transaction used all its gas and reverted',
    next: '`sluice action revoke ID` if an allowance is left',
  },
  REVERTED: {
    when: 'the transaction reverted for another reason',
    next: '`sluice action revoke ID` if an allowance is left',
  },
  FAILED: {
    when: 'the action ended without success, for example because another chain contradicts it',
    next: '`sluice action export ID`',
  },
  SUPERSEDED: {
    when: 'another transaction used the nonce',
    next: 'look at that transaction first, then `sluice action replan ID`',
  },
  NONCE_TAKEN_NOT_FINAL: {
    when: 'another transaction used the nonce, in a block that is not final yet',
    next: '`sluice action resume ID`',
  },
  CANCELLED: { when: 'the no-op transaction was mined instead', next: 'make the request again' },
  GIVEN_UP: { when: 'a person closed the action', next: '`sluice action revoke ID` if an allowance is left' },
  DONE: {
    when: 'every step succeeded',
    next: 'nothing; a queued withdrawal is claimed when it is ready',
  },
  BRIDGE_WAITING: {
    when: 'the transfer is on its way, within the usual time, or how far it is cannot be read',
    next: '`sluice action resume ID`',
  },
  BRIDGE_STUCK: {
    when: 'the transfer takes longer than the usual maximum',
    next: '`sluice action deliver ID` if the bridge attested it; else `sluice action export ID` for the operator of the bridge',
  },
  BRIDGE_UNDELIVERED: {
    when: 'the transfer is attested and not delivered yet',
    next: '`sluice action resume ID`',
  },
  BRIDGE_DELIVERED: {
    when: 'the transfer arrived, and the rest is not done or not recorded',
    next: '`sluice action resume ID`',
  },
  BRIDGE_SHORT: {
    when: 'less arrived than was agreed',
    next: '`sluice action export ID` for the operator of the bridge',
  },
  BRIDGE_EXPIRED: {
    when: 'no relayer paid out in time; the bridge pays the deposit back',
    next: '`sluice action resume ID`',
  },
  ORDER_OPEN: { when: 'an order is open and not filled', next: '`sluice action resume ID`' },
  ORDER_UNFILLED: {
    when: 'an order was not filled: nothing was swapped',
    next: '`sluice action resume ID`, then `sluice action revoke ID`',
  },
  BRIDGE_REFUNDED: {
    when: 'the transfer was paid back; the verdict names the transaction',
    next: '`sluice action resume ID`, or nothing if it is recorded',
  },
  RAMP_WAITING: {
    when: 'the desk has received the transfer and not paid yet',
    next: '`sluice action resume ID`',
  },
  RAMP_STUCK: {
    when: 'the desk takes longer than the usual maximum',
    next: '`sluice action export ID` for the operator of the desk',
  },
  CHAIN_SILENT: {
    when: 'no node of a chain answers',
    next: '`sluice action explain ID`, once the node answers or another one is set',
  },
  WRONG_CHAIN: {
    when: 'a node belongs to another chain',
    next: 'set a node of that chain, then `sluice action explain ID`',
  },
  QUOTE_OPEN: { when: 'a quote for which nothing was signed here', next: 'the command in `next`' },
  QUOTE_DEAD: { when: 'a quote that cannot be used any more', next: 'a new quote' },
  FOREIGN: { when: 'a transaction that no action of this machine sent', next: 'nothing' },
  JOURNAL_DAMAGED: {
    when: 'the journal was changed after it was written',
    next: 'check on chain what the wallet sent',
  },
} as const satisfies Record<string, { when: string; next: string }>

/** A situation of `action explain`, one word. */
export type Situation = keyof typeof situations
