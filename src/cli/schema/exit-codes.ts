import type { Exit } from '../../domain/error-table.ts'

/** Exit codes of `sluice`. Below 20 nothing was ever signed; from 20 to 29 go on with the same operation, never a new one. */
export const exitCodes = {
  0: 'success; for a watched action, it succeeded',
  1: 'a bug, before anything was signed',
  2: 'usage error: bad flag, amount, address or unit; missing key; prompt needed without a terminal',
  3: 'API key missing or invalid',
  4: 'rejected by the service: not found, expired, no route',
  5: 'rate limited beyond the time limit',
  6: 'service unreachable, timed out, invalid response, or HTTP 5xx',
  7: 'chain error before signing: RPC down, inconsistent, or wrong chain ID',
  8: 'refused by the guard or a policy',
  9: 'declined by the user or on the device',
  10: 'would fail: insufficient funds, simulation reverted, strategy paused',
  11: 'wallet busy: another process is using it',
  12: 'this machine cannot do it: disk full, permissions, newer schema, program not installed',
  13: 'key error: file permissions, wrong password, locked device, wrong address',
  14: 'idempotency key reused with other parameters',
  15: 'a watched condition is met',
  20: 'signed, not final yet; resume it',
  21: 'partly done; the remaining steps are unsigned',
  22: 'reverted, or the action failed',
  23: 'nonce used by another transaction (if pinned, possibly an earlier run of this job)',
  24: 'cancelled by its own cancel transaction',
  25: 'refunded, or failed on the destination network',
  26: 'journal unreadable: transactions may have been signed; needs you',
  130: 'interrupted before anything was signed',
} as const satisfies Record<Exit, string>

const always: readonly Exit[] = [0, 1, 2, 12, 130]

const service: readonly Exit[] = [...always, 3, 4, 5, 6, 7, 10, 13, 26]

/**
 * The dependencies of commands and the exit codes of each: `asked` confirms, `watches` ends with a condition, `follows` reports a final
 * state, `ends` ends as its action does.
 */
const ends = {
  settings: [...always, 7, 9, 13],
  sandbox: [...always, 7, 9],
  service,
  asked: [...service, 9],
  guard: [...service, 8],
  watches: [...service, 15],
  follows: [...service, 20, 22, 25],
  ends: [...service, 9, 20, 21, 22, 23, 24, 25],
  signer: Object.keys(exitCodes).map((code) => Number(code) as Exit),
} satisfies Record<string, readonly Exit[]>

/** The dependency of a command that decides its exit codes. */
export type Standing = keyof typeof ends

/** The exit codes of a command, in order, with their meanings. */
export const endsOf = (standing: Standing): { code: Exit; meaning: string }[] =>
  [...ends[standing]].sort((a, b) => a - b).map((code) => ({ code, meaning: exitCodes[code] }))
