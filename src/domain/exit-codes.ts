/** Exit codes of `sluice`. Below 20 nothing was ever signed; from 20 to 29 go on with the same operation, never a new one. */
export const exits = {
  0: 'done; for something watched, it succeeded',
  1: 'a bug, before anything was signed',
  2: 'what was typed: flag, amount, address, unit; a key or a prompt needed and not there',
  3: 'API key missing or invalid',
  4: 'the service said no: not found, expired, no route',
  5: 'rate limited for longer than the time left',
  6: 'service unreachable, too slow, nonsense, or a 5xx',
  7: 'chain fault before signing: RPC down, inconsistent, wrong chain id',
  8: 'refused by the guard or a policy',
  9: 'declined by the person or on the device',
  10: 'would fail: insufficient funds, simulation reverted, strategy paused',
  11: 'wallet busy: another live process holds it',
  12: 'local state unusable for signing: disk full, permissions, newer schema',
  13: 'key source: permissions, wrong password, locked device, wrong address',
  14: 'idempotency key reused with other parameters',
  20: 'signed, not final yet; it can go on',
  21: 'partly done, the rest not signed',
  22: 'reverted, or the action ended in failure',
  23: 'our nonce was used by a transaction that this journal did not sign; of a nonce that was pinned, maybe by an earlier run of the same job',
  24: 'cancelled by our own cancel transaction',
  25: 'ended in a refund, or failed on the destination',
  26: 'journal unreadable: may have signed; never goes on by itself',
  130: 'interrupted before anything was signed',
} as const

/** One of the exit codes above. */
export type Exit = keyof typeof exits
