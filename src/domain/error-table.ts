import type { Exit } from './exit-codes.ts'

/** What one error code means: its HTTP status where a service raises it, the exit code, whether trying again can help, and the next step. */
export type ErrorRow = { status?: number; exit: Exit; retryable?: true; hint?: string }

/** The 28 codes of the service's own specification (Errors), in its order. */
const serviceErrors = {
  QUOTE_NOT_FOUND: { status: 404, exit: 4, hint: 'sluice swap list' },
  QUOTE_EXPIRED: {
    status: 400,
    exit: 4,
    hint: 'Ask for a new quote with the same flags: sluice swap quote --help',
  },
  QUOTE_GENERATION_FAILED: {
    status: 400,
    exit: 4,
    hint: 'Check the tokens, networks and amount: sluice swap quote --help',
  },
  QUOTE_VALIDATION_ERROR: {
    status: 400,
    exit: 4,
    hint: 'Ask for a new quote with the same flags: sluice swap quote --help',
  },
  NO_ROUTE_FOUND: {
    status: 400,
    exit: 4,
    hint: 'Try another pair of tokens or networks: sluice swap quote --help',
  },
  INVALID_PREFERRED_PROVIDER: {
    status: 400,
    exit: 4,
    hint: 'Leave --provider out, or name one that exists.',
  },
  PREFERRED_PROVIDER_NOT_ELIGIBLE: { status: 400, exit: 4, hint: 'Leave --provider out for this route.' },
  PREFERRED_PROVIDER_QUOTE_UNAVAILABLE: {
    status: 400,
    exit: 4,
    retryable: true,
    hint: 'Try again, or leave --provider out.',
  },
  PROVIDER_NOT_FOUND: {
    status: 404,
    exit: 4,
    hint: 'Try another pair of tokens or networks: sluice swap quote --help',
  },
  BYTECODE_GENERATION_FAILED: { status: 500, exit: 6, retryable: true, hint: 'Run the same command again.' },
  SWAP_EXECUTION_FAILED: {
    status: 500,
    exit: 6,
    hint: 'Check balance, allowance and gas: sluice wallet show',
  },
  INVALID_AMOUNT_PARAMS: { status: 400, exit: 4, hint: 'Leave --amount-in or --amount-out out.' },
  MISSING_AMOUNT_PARAMS: { status: 400, exit: 4, hint: 'Add --amount-in AMOUNT or --amount-out AMOUNT.' },
  INVALID_SLIPPAGE: { status: 400, exit: 4, hint: 'Slippage goes from 0.01% to 50%: --slippage 0.5%' },
  AMOUNT_IN_TOO_LOW_OFFRAMP: {
    status: 400,
    exit: 4,
    hint: 'Swap more than 1 USDC: sluice swap quote --help',
  },
  AMOUNT_IN_TOO_HIGH_OFFRAMP: {
    status: 400,
    exit: 4,
    hint: 'Swap less than 5000 USDC: sluice swap quote --help',
  },
  AMOUNT_OUT_TOO_LOW_OFFRAMP: {
    status: 400,
    exit: 4,
    hint: 'Ask for more than 5 BRLA: sluice swap quote --help',
  },
  AMOUNT_OUT_TOO_HIGH_OFFRAMP: {
    status: 400,
    exit: 4,
    hint: 'Ask for less than 26000 BRLA: sluice swap quote --help',
  },
  AMOUNT_IN_TOO_LOW_ONRAMP: { status: 400, exit: 4, hint: 'Swap more than 5 BRLA: sluice swap quote --help' },
  AMOUNT_IN_TOO_HIGH_ONRAMP: {
    status: 400,
    exit: 4,
    hint: 'Swap less than 75000 BRLA: sluice swap quote --help',
  },
  AMOUNT_OUT_TOO_LOW_ONRAMP: {
    status: 400,
    exit: 4,
    hint: 'Ask for more than 1 USDC: sluice swap quote --help',
  },
  AMOUNT_OUT_TOO_HIGH_ONRAMP: {
    status: 400,
    exit: 4,
    hint: 'Ask for less than 15000 USDC: sluice swap quote --help',
  },
  TRANSFER_VALIDATION_FAILED: {
    status: 400,
    exit: 4,
    hint: 'Check the recipient, the token, the network and the amount: sluice transfer --help',
  },
  INSUFFICIENT_AMOUNT_FOR_REFUND: {
    status: 400,
    exit: 4,
    hint: 'Send more, with a larger --amount-in: sluice swap quote --help',
  },
  DEPOSIT_NOT_FOUND: {
    status: 404,
    exit: 4,
    retryable: true,
    hint: 'When Bitcoin has confirmed it: sluice swap status QUOTE_ID --btc-tx HASH',
  },
  INTERNAL_SERVER_ERROR: { status: 500, exit: 6, retryable: true, hint: 'Run the same command again.' },
  PROVIDER_API_ERROR: {
    status: 502,
    exit: 6,
    retryable: true,
    hint: 'Wait 30 s, then run the same command again.',
  },
  RATE_LIMITED: { status: 429, exit: 5, retryable: true, hint: 'Wait, then try again.' },
} as const satisfies Record<string, ErrorRow>

/** What to do where the guard says no to what a service proposes. */
export const notAsked =
  'Do not sign it elsewhere. See the whole of it with --dry-run, and take it to whoever runs the service.'

/** Every failure the program can name, one row a code. The first 28 are the service's own (interface specification, Errors). */
export const errorTable = {
  ...serviceErrors,

  // Also raised by a service; the specification leaves these names open.
  UNAUTHORIZED: {
    status: 401,
    exit: 3,
    hint: 'See which key is used, and where it was said: sluice config list --show-origin',
  },
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
  NOT_FOUND: { status: 404, exit: 4, hint: 'See what there is: sluice strategies list' },
  BAD_REQUEST: {
    status: 400,
    exit: 4,
    hint: 'Mend what is named. Where nothing is wrong with it, the service may be of another version: sluice doctor',
  },
  METHOD_NOT_ALLOWED: { status: 405, exit: 4, hint: 'The service may be of another version: sluice doctor' },
  REQUEST_TIMEOUT: { status: 408, exit: 4, retryable: true, hint: 'Try again.' },
  BODY_TOO_LARGE: { status: 413, exit: 4, hint: 'Send less at once.' },
  URL_TOO_LONG: { status: 414, exit: 4, hint: 'Send less at once.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, exit: 4, hint: 'Send it as application/json.' },
  HEADERS_TOO_LARGE: { status: 431, exit: 4, hint: 'Send fewer headers.' },
  SERVICE_UNAVAILABLE: { status: 503, exit: 6, retryable: true, hint: 'Try again.' },

  // What was typed, and what is set.
  USAGE: { exit: 2, hint: 'sluice --help' },
  CONFIG_INVALID: {
    exit: 2,
    hint: 'See what is set and where it was said: sluice config list --show-origin',
  },
  UNKNOWN_NETWORK: {
    exit: 2,
    hint: 'A network is a name or a chain id. See those that are served: sluice strategies list',
  },
  UNKNOWN_TOKEN: { exit: 2, hint: 'Name one of those that are known, by its symbol or its address.' },
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
    hint: 'Add --idempotency-key KEY, the same one for every try of this job on this machine; where the next try has another disk, pin the nonce: --nonce N.',
  },

  // The service or a chain cannot be used.
  SERVICE_UNREACHABLE: {
    exit: 6,
    retryable: true,
    hint: 'Try again, or see who is asked, and where that was said: sluice config list --show-origin',
  },
  SERVICE_BAD_RESPONSE: {
    exit: 6,
    retryable: true,
    hint: 'See whether it is the service that was meant: sluice doctor',
  },
  WRITE_UNCONFIRMED: { exit: 6, hint: 'It was taken. See what is set now: sluice fees show' },
  RPC_UNREACHABLE: {
    exit: 7,
    retryable: true,
    hint: 'Try again, or name another RPC in SLUICE_RPC_<NETWORK>. In the sandbox: sluice sandbox status',
  },
  RPC_INCONSISTENT: {
    exit: 7,
    retryable: true,
    hint: 'Run the same command again. If it stays, name another RPC in SLUICE_RPC_<NETWORK>; which one is wrong: sluice doctor',
  },
  RPC_ERROR: { exit: 7, hint: 'Name another RPC in SLUICE_RPC_<NETWORK>; which one is wrong: sluice doctor' },
  HISTORY_UNREAD: {
    exit: 7,
    retryable: true,
    hint: 'Ask again: what was read so far is kept, and it goes on from there.',
  },
  CHAIN_ID_MISMATCH: {
    exit: 7,
    hint: 'Name an RPC of that network in SLUICE_RPC_<NETWORK>, then: sluice doctor',
  },
  SANDBOX_UNAVAILABLE: { exit: 7, hint: 'sluice sandbox status' },
  ANVIL_NOT_FOUND: {
    exit: 7,
    hint: 'Install Foundry (https://getfoundry.sh) so that `anvil` is on the PATH, or set SLUICE_ANVIL to its path.',
  },

  // The guard and the policy.
  POLICY_SHAPE: { exit: 8, hint: notAsked },
  POLICY_CHAIN: { exit: 8, hint: notAsked },
  POLICY_ALLOWANCE: { exit: 8, hint: 'To have it made exact: --exact-allowance rewrite' },
  POLICY_SPENDER: { exit: 8, hint: notAsked },
  POLICY_CONTRACT_NOT_ALLOWED: { exit: 8, hint: 'If you know this contract: --allow-contract ADDR' },
  POLICY_DECODE: { exit: 8, hint: notAsked },
  POLICY_RECIPIENT: { exit: 8, hint: notAsked },
  POLICY_AMOUNT: { exit: 8, hint: notAsked },
  POLICY_MIN_OUT: {
    exit: 8,
    hint: 'Ask for a new quote, let it slip more (--slippage 1%), or say what is enough: --accept-min-out AMOUNT',
  },
  POLICY_VALUE: { exit: 8, hint: notAsked },
  POLICY_AUTHORITY: { exit: 8, hint: notAsked },
  POLICY_TOKEN_METADATA: { exit: 8, hint: notAsked },
  POLICY_PRICE_IMPACT: { exit: 8, hint: 'Try less. If you accept it: --max-price-impact SHARE' },
  POLICY_QUOTE_DRIFT: { exit: 8, hint: 'Ask for a new quote.' },
  POLICY_SIMULATION: { exit: 8, hint: notAsked },
  POLICY_TAMPER: { exit: 8, hint: 'Make a new plan: --dry-run --json' },
  POLICY_CONTRACT_CHANGED: {
    exit: 8,
    hint: 'Ask its protocol what changed. If you know the new code: --allow-contract ADDR',
  },
  POLICY_STANDING_ALLOWANCE: { exit: 8, hint: 'sluice wallet approvals list' },
  POLICY_ASSURANCE: { exit: 8, hint: 'If you know what you do: --max-assurance-loss, or --trust-first-use' },
  POLICY_LIMIT: { exit: 8, hint: 'See what the policy allows: sluice policy check PLAN' },
  POLICY_SERVICE_FEE: { exit: 8, hint: notAsked },
  POLICY_FEE_CAP: { exit: 8, hint: 'Wait for a quieter market, then type the same again.' },

  // Before signing.
  DECLINED: { exit: 9, hint: 'To do it after all, type the same again.' },
  INSUFFICIENT_FUNDS: { status: 400, exit: 10, hint: 'sluice wallet show' },
  SIMULATION_REVERTED: { exit: 10, hint: 'See every step of it, and sign nothing: --dry-run' },
  FOREIGN_PENDING: { exit: 10, hint: 'Wait until the other transaction of this wallet is mined.' },
  NONCE_GAP: { exit: 10, hint: 'Leave --nonce out: the next free one is taken.' },
  OPERATION_UNFINISHED: { exit: 10, hint: 'sluice action list --status PENDING' },
  WALLET_BUSY: { exit: 11, retryable: true, hint: 'sluice action list' },
  STATE_UNUSABLE: {
    exit: 12,
    hint: 'Check free space and permissions of the data directory, or set SLUICE_HOME.',
  },
  JOURNAL_OUTDATED: {
    exit: 12,
    hint: 'See what the wallet sent. If the action is not done: sluice action resume ID --allow-duplicate',
  },
  STATE_NEWER_SCHEMA: { exit: 12, hint: 'A newer sluice wrote this journal. Update this one.' },
  KEY_SOURCE: {
    exit: 13,
    hint: 'Look at what there is: sluice wallet list. All ways to name a key: sluice help signing',
  },
  WRONG_PASSWORD: {
    exit: 13,
    hint: 'Try again; a password comes from a prompt, --password-file PATH or SLUICE_PASSWORD.',
  },
  IDEMPOTENCY_KEY_REUSED: { exit: 14, hint: 'See what it was for, or take another: sluice action show ID' },

  // After signing.
  PENDING: { exit: 20, retryable: true, hint: 'sluice action resume ID' },
  PARTIAL: { exit: 21, hint: 'sluice action explain ID' },
  REVERTED: { exit: 22, hint: 'sluice action explain ID' },
  ACTION_FAILED: { exit: 22, hint: 'sluice action explain ID' },
  SUPERSEDED: { exit: 23, hint: 'sluice action explain ID' },
  NONCE_USED: { exit: 23, hint: 'See what used it; without --nonce the next free one is taken.' },
  CANCELLED: { exit: 24, hint: 'sluice action show ID' },
  REFUNDED: { exit: 25, hint: 'sluice action explain ID' },
  ARRIVED_SHORT: { exit: 25, hint: 'sluice action explain ID' },
  JOURNAL_UNREADABLE: {
    exit: 26,
    hint: 'Keep the file as it is, and see on the chain what this wallet sent before you sign anything again.',
  },

  INTERRUPTED: {
    exit: 130,
    hint: 'To do it after all, type the same again. What is under way: sluice action list',
  },
  DEMO_FAILED: { exit: 1, hint: 'sluice sandbox reset --yes, then sluice demo' },
  EVIDENCE_CHANGED: { exit: 4, hint: 'Ask for the file again, from whoever made it.' },
  EVIDENCE_UNCONFIRMED: { exit: 7, hint: 'Name a node that has those blocks still: SLUICE_RPC_<NETWORK>' },
  EVIDENCE_REFUTED: { exit: 4, hint: 'The chain says otherwise, or it moved since. Ask for it anew.' },
  BUG: { exit: 1, hint: 'Run it again with --debug and report what it prints.' },
} as const satisfies Record<string, ErrorRow>
