import type { ErrorRow } from './error-row.ts'
import { serviceErrors } from './service-errors.ts'

/** Every failure the program can name, one row a code. The first 28 are the service's own (interface specification, Errors). */
export const errorTable = {
  ...serviceErrors,

  // Also raised by a service; the specification leaves these names open.
  UNAUTHORIZED: { status: 401, exit: 3, hint: 'Set the API key in SLUICE_API_KEY.' },
  VALIDATION_ERROR: {
    status: 422,
    exit: 2,
    hint: 'Mend what is named; every flag is told by: sluice --help',
  },
  INVALID_ADDRESS: { status: 400, exit: 4, hint: 'An address is 0x and 40 hex digits.' },
  STRATEGY_NOT_FOUND: { status: 404, exit: 4, hint: 'sluice strategies list' },
  STRATEGY_PAUSED: { status: 400, exit: 10, hint: 'sluice strategies list --paused exclude' },
  STRATEGY_CAP_REACHED: {
    status: 400,
    exit: 10,
    hint: 'Deposit less, or choose another: sluice strategies list',
  },
  INSUFFICIENT_LIQUIDITY: {
    status: 400,
    exit: 10,
    hint: 'Withdraw less now, and the rest when others repay.',
  },
  NOTHING_CLAIMABLE: { status: 400, exit: 10, hint: 'sluice wallet show' },
  WITHDRAWAL_PENDING: {
    status: 400,
    exit: 10,
    hint: 'If all of it may wait from the beginning: --restart-cooldown',
  },
  ACTION_NOT_FOUND: { status: 404, exit: 4, hint: 'sluice action list' },
  NOT_FOUND: { status: 404, exit: 4 },
  BAD_REQUEST: { status: 400, exit: 4 },
  METHOD_NOT_ALLOWED: { status: 405, exit: 4 },
  REQUEST_TIMEOUT: { status: 408, exit: 4, retryable: true, hint: 'Try again.' },
  BODY_TOO_LARGE: { status: 413, exit: 4 },
  URL_TOO_LONG: { status: 414, exit: 4 },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, exit: 4 },
  HEADERS_TOO_LARGE: { status: 431, exit: 4 },
  SERVICE_UNAVAILABLE: { status: 503, exit: 6, retryable: true, hint: 'Try again.' },

  // What was typed, and what is set.
  USAGE: { exit: 2, hint: 'sluice --help' },
  CONFIG_INVALID: { exit: 2 },
  UNKNOWN_NETWORK: {
    exit: 2,
    hint: 'A network is a name or a chain id. See those that are served: sluice strategies list',
  },
  UNKNOWN_TOKEN: { exit: 2, hint: 'Name the token by its address, or see: sluice sandbox status' },
  AMBIGUOUS_TOKEN: { exit: 2, hint: 'Name the token by its address.' },
  INVALID_AMOUNT: { exit: 2, hint: 'An amount is in units of the token, such as 100.5 or 100.5USDC.' },
  KEY_REQUIRED: { exit: 2, hint: 'sluice wallet new NAME, --key-file PATH, or --ledger' },
  INSECURE_KEY_SOURCE: {
    exit: 2,
    hint: 'Put the key into a file of mode 0600 and use --key-file, or: sluice wallet import NAME',
  },
  PROMPT_NEEDED: { exit: 2, hint: 'Say it with a flag; --yes answers the question.' },
  IDEMPOTENCY_KEY_REQUIRED: {
    exit: 2,
    hint: 'Add --idempotency-key KEY, the same one for every try of this job.',
  },

  // The service or a chain cannot be used.
  SERVICE_UNREACHABLE: {
    exit: 6,
    retryable: true,
    hint: 'Try again, or see where SLUICE_BASE_URL points. In the sandbox: sluice sandbox status',
  },
  SERVICE_BAD_RESPONSE: { exit: 6, retryable: true },
  WRITE_UNCONFIRMED: { exit: 6, hint: 'It was taken. See what is set now: sluice fees show' },
  RPC_UNREACHABLE: {
    exit: 7,
    retryable: true,
    hint: 'Try again, or name another RPC in SLUICE_RPC_<NETWORK>. In the sandbox: sluice sandbox status',
  },
  RPC_INCONSISTENT: { exit: 7, retryable: true },
  RPC_ERROR: { exit: 7 },
  HISTORY_UNREAD: {
    exit: 7,
    retryable: true,
    hint: 'Ask again: what was read so far is kept, and it goes on from there.',
  },
  CHAIN_ID_MISMATCH: { exit: 7 },
  SANDBOX_UNAVAILABLE: { exit: 7, hint: 'sluice sandbox status' },
  ANVIL_NOT_FOUND: {
    exit: 7,
    hint: 'Install Foundry (https://getfoundry.sh) so that `anvil` is on the PATH, or set SLUICE_ANVIL to its path.',
  },

  // The guard and the policy.
  POLICY_SHAPE: { exit: 8 },
  POLICY_CHAIN: { exit: 8 },
  POLICY_ALLOWANCE: { exit: 8, hint: 'To have it made exact: --exact-allowance rewrite' },
  POLICY_SPENDER: { exit: 8 },
  POLICY_CONTRACT_NOT_ALLOWED: { exit: 8, hint: 'If you know this contract: --allow-contract ADDR' },
  POLICY_DECODE: { exit: 8 },
  POLICY_RECIPIENT: { exit: 8 },
  POLICY_AMOUNT: { exit: 8 },
  POLICY_MIN_OUT: {
    exit: 8,
    hint: 'Ask for a new quote, let it slip more (--slippage 1%), or say what is enough: --accept-min-out AMOUNT',
  },
  POLICY_VALUE: { exit: 8 },
  POLICY_AUTHORITY: { exit: 8 },
  POLICY_TOKEN_METADATA: { exit: 8 },
  POLICY_QUOTE_DRIFT: { exit: 8, hint: 'Ask for a new quote.' },
  POLICY_SIMULATION: { exit: 8 },
  POLICY_TAMPER: { exit: 8, hint: 'Make a new plan: --dry-run --json' },
  POLICY_CONTRACT_CHANGED: { exit: 8 },
  POLICY_STANDING_ALLOWANCE: { exit: 8, hint: 'sluice wallet approvals list' },
  POLICY_ASSURANCE: { exit: 8, hint: 'If you know what you do: --max-assurance-loss, or --trust-first-use' },
  POLICY_LIMIT: { exit: 8 },
  POLICY_SERVICE_FEE: { exit: 8, hint: 'If you accept it: --max-service-fee 2%' },
  POLICY_FEE_CAP: { exit: 8, hint: 'Wait for a quieter market, or allow more: --max-fee GWEI' },

  // Before signing.
  DECLINED: { exit: 9 },
  INSUFFICIENT_FUNDS: { status: 400, exit: 10, hint: 'sluice wallet show' },
  SIMULATION_REVERTED: { exit: 10 },
  FOREIGN_PENDING: { exit: 10, hint: 'Wait until the other transaction of this wallet is mined.' },
  NONCE_GAP: { exit: 10 },
  OPERATION_UNFINISHED: { exit: 10, hint: 'sluice action list --status PENDING' },
  DONE_ELSEWHERE: {
    exit: 10,
    hint: 'Look at what is on the chain: sluice action explain HASH. To do it again all the same: --allow-duplicate',
  },
  WALLET_BUSY: { exit: 11, retryable: true, hint: 'sluice action list' },
  STATE_UNUSABLE: {
    exit: 12,
    hint: 'Check free space and permissions of the data directory, or set SLUICE_HOME.',
  },
  STATE_NEWER_SCHEMA: { exit: 12, hint: 'A newer sluice wrote this journal. Update this one.' },
  KEY_SOURCE: { exit: 13, hint: 'sluice wallet list' },
  WRONG_PASSWORD: { exit: 13, hint: 'sluice wallet list' },
  IDEMPOTENCY_KEY_REUSED: { exit: 14, hint: 'Use a new key for a new request.' },

  // After signing.
  PENDING: { exit: 20, retryable: true },
  PARTIAL: { exit: 21 },
  REVERTED: { exit: 22 },
  ACTION_FAILED: { exit: 22 },
  SUPERSEDED: { exit: 23 },
  NONCE_USED: { exit: 23, hint: 'See what used it; without --nonce the next free one is taken.' },
  CANCELLED: { exit: 24 },
  REFUNDED: { exit: 25 },
  JOURNAL_UNREADABLE: {
    exit: 26,
    hint: 'Keep the file as it is, and see on the chain what this wallet sent before you sign anything again.',
  },

  INTERRUPTED: { exit: 130 },
  DEMO_FAILED: { exit: 1, hint: 'sluice sandbox reset --yes, then sluice demo' },
  EVIDENCE_CHANGED: { exit: 2, hint: 'Ask for the file again, from whoever made it.' },
  EVIDENCE_REFUTED: { exit: 4 },
  BUG: { exit: 1, hint: 'Run it again with --debug and report what it prints.' },
} as const satisfies Record<string, ErrorRow>
