import { rpcVariableOf } from './rpc-variable.ts'
import { type Advice, advice, ownHelp, sameWith, sameWithout, sluice } from './text/next-step.ts'

/** What to do next about a network: with the name of its RPC setting once the network is known. */
export type RpcAdvice = (setting: string) => Advice

/** The row of an error code: its HTTP status if a service raises it, the exit code, whether a retry can help, and what to do next. */
export type ErrorRow = { status?: number; exit: Exit; retryable?: true; next?: Advice | RpcAdvice }

/** What to do next, for an error about the network of this name, if any. */
export const worded = (given: Advice | RpcAdvice | undefined, network: unknown): Advice | undefined =>
  typeof given === 'function'
    ? given(rpcVariableOf(typeof network === 'string' && /^[a-z0-9-]+$/.test(network) ? network : undefined))
    : given

const quoting = (why: string): Advice => advice`${why}: ${sluice('swap quote', { '--help': true })}`

// Words with a command that many of them end with.
const checking = (why: string): Advice => advice`${why}: ${sluice('doctor')}`

const origins = (why: string): Advice => advice`${why}: ${sluice('config list', { '--show-origin': true })}`

/** The 28 codes of the service's specification (Errors), in its order. */
const serviceErrors = {
  QUOTE_NOT_FOUND: { status: 404, exit: 4, next: sluice('swap list') },
  QUOTE_EXPIRED: { status: 400, exit: 4, next: quoting('Get a new quote with the same flags') },
  QUOTE_GENERATION_FAILED: { status: 400, exit: 4, next: quoting('Check the tokens, networks and amount') },
  QUOTE_VALIDATION_ERROR: { status: 400, exit: 4, next: quoting('Get a new quote with the same flags') },
  NO_ROUTE_FOUND: { status: 400, exit: 4, next: quoting('Try another pair of tokens or networks') },
  INVALID_PREFERRED_PROVIDER: {
    status: 400,
    exit: 4,
    next: advice`Name an existing provider, or take any: ${sameWithout('--provider')}`,
  },
  PREFERRED_PROVIDER_NOT_ELIGIBLE: {
    status: 400,
    exit: 4,
    next: advice`To take any provider for this route: ${sameWithout('--provider')}`,
  },
  PREFERRED_PROVIDER_QUOTE_UNAVAILABLE: {
    status: 400,
    exit: 4,
    retryable: true,
    next: advice`Try again, or take any provider: ${sameWithout('--provider')}`,
  },
  PROVIDER_NOT_FOUND: { status: 404, exit: 4, next: quoting('Try another pair of tokens or networks') },
  BYTECODE_GENERATION_FAILED: { status: 500, exit: 6, retryable: true, next: 'Run the same command again.' },
  SWAP_EXECUTION_FAILED: {
    status: 500,
    exit: 6,
    next: advice`Check balance, allowance and gas: ${sluice('wallet show')}`,
  },
  INVALID_AMOUNT_PARAMS: {
    status: 400,
    exit: 4,
    next: advice`For an exact input: ${sameWithout('--amount-out')}. For an exact output: ${sameWithout('--amount-in')}`,
  },
  MISSING_AMOUNT_PARAMS: {
    status: 400,
    exit: 4,
    next: advice`Give the amount to pay, or the amount to receive: ${ownHelp}`,
  },
  INVALID_SLIPPAGE: {
    status: 400,
    exit: 4,
    next: advice`Slippage must be from 0.01% to 50%: ${sameWith({ '--slippage': '0.5%' })}`,
  },
  AMOUNT_IN_TOO_LOW_OFFRAMP: { status: 400, exit: 4, next: quoting('Swap more than 1 USDC') },
  AMOUNT_IN_TOO_HIGH_OFFRAMP: { status: 400, exit: 4, next: quoting('Swap less than 5000 USDC') },
  AMOUNT_OUT_TOO_LOW_OFFRAMP: { status: 400, exit: 4, next: quoting('Ask for more than 5 BRLA') },
  AMOUNT_OUT_TOO_HIGH_OFFRAMP: { status: 400, exit: 4, next: quoting('Ask for less than 26000 BRLA') },
  AMOUNT_IN_TOO_LOW_ONRAMP: { status: 400, exit: 4, next: quoting('Swap more than 5 BRLA') },
  AMOUNT_IN_TOO_HIGH_ONRAMP: { status: 400, exit: 4, next: quoting('Swap less than 75000 BRLA') },
  AMOUNT_OUT_TOO_LOW_ONRAMP: { status: 400, exit: 4, next: quoting('Ask for more than 1 USDC') },
  AMOUNT_OUT_TOO_HIGH_ONRAMP: { status: 400, exit: 4, next: quoting('Ask for less than 15000 USDC') },
  TRANSFER_VALIDATION_FAILED: {
    status: 400,
    exit: 4,
    next: advice`Check the recipient, the token, the network and the amount: ${sluice('transfer', { '--help': true })}`,
  },
  INSUFFICIENT_AMOUNT_FOR_REFUND: {
    status: 400,
    exit: 4,
    next: quoting('Send a larger amount'),
  },
  DEPOSIT_NOT_FOUND: {
    status: 404,
    exit: 4,
    retryable: true,
    next: advice`Once the Bitcoin transaction is confirmed: ${sluice('swap status', 'QUOTE_ID', { '--btc-tx': 'HASH' })}`,
  },
  INTERNAL_SERVER_ERROR: { status: 500, exit: 6, retryable: true, next: 'Run the same command again.' },
  PROVIDER_API_ERROR: {
    status: 502,
    exit: 6,
    retryable: true,
    next: 'Wait 30 seconds, then run the same command again.',
  },
  RATE_LIMITED: { status: 429, exit: 5, retryable: true, next: 'Wait, then run the same command again.' },
} as const satisfies Record<string, ErrorRow>

/** What to do when the guard refuses a proposal of a service. */
export const refusedProposalHint = advice`Do not sign it with another tool. Report it to the operator of the service, with its plan: ${sameWith({ '--dry-run': true })}`

/** All errors of the program, one row a code. The first 28 are the service's own (interface specification, Errors). */
export const errorTable = {
  ...serviceErrors,

  // Also raised by a service; the specification leaves these names open.
  UNAUTHORIZED: {
    status: 401,
    exit: 3,
    next: origins('Check which API key is used and where it comes from'),
  },
  VALIDATION_ERROR: {
    status: 422,
    exit: 2,
    next: advice`Fix the named input. For all flags: ${ownHelp}`,
  },
  INVALID_ADDRESS: { status: 400, exit: 4, next: 'An address is 0x and 40 hex digits.' },
  STRATEGY_NOT_FOUND: { status: 404, exit: 4, next: sluice('strategies list') },
  STRATEGY_PAUSED: { status: 400, exit: 10, next: sluice('strategies list', { '--paused': 'exclude' }) },
  STRATEGY_CAP_REACHED: {
    status: 400,
    exit: 10,
    next: advice`Deposit less, or choose another strategy: ${sluice('strategies list')}`,
  },
  INSUFFICIENT_LIQUIDITY: {
    status: 400,
    exit: 10,
    next: 'Withdraw less now, and the rest when borrowers repay.',
  },
  NOTHING_CLAIMABLE: { status: 400, exit: 10, next: sluice('wallet show') },
  WITHDRAWAL_PENDING: {
    status: 400,
    exit: 10,
    next: advice`If queued withdrawals may restart their cooldown: ${sameWith({ '--restart-cooldown': true })}`,
  },
  ACTION_NOT_FOUND: { status: 404, exit: 4, next: sluice('action list') },
  NOT_FOUND: { status: 404, exit: 4, next: advice`To list strategies: ${sluice('strategies list')}` },
  BAD_REQUEST: {
    status: 400,
    exit: 4,
    next: checking('Fix the named input. If it is correct, the service may run another version'),
  },
  METHOD_NOT_ALLOWED: { status: 405, exit: 4, next: checking('The service may run another version') },
  REQUEST_TIMEOUT: { status: 408, exit: 4, retryable: true, next: 'Try again.' },
  BODY_TOO_LARGE: { status: 413, exit: 4, next: 'Send a smaller request.' },
  URL_TOO_LONG: { status: 414, exit: 4, next: 'Send a smaller request.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, exit: 4, next: 'Send the body as application/json.' },
  HEADERS_TOO_LARGE: { status: 431, exit: 4, next: 'Send fewer headers.' },
  IDEMPOTENCY_KEY_RUNNING: { status: 409, exit: 4, retryable: true, next: 'Try again in a second.' },
  SERVICE_UNAVAILABLE: { status: 503, exit: 6, retryable: true, next: 'Try again.' },

  // Input and configuration.
  USAGE: { exit: 2, next: ownHelp },
  OUTPUT_FAILED: {
    exit: 2,
    next: advice`The command has run. To correct the expression: ${sluice('help', 'formatting')}`,
  },
  CONFIG_INVALID: { exit: 2, next: origins('Settings and their origins') },
  UNKNOWN_NETWORK: {
    exit: 2,
    next: advice`Use a network name or chain ID. To list the networks: ${sluice('networks list')}`,
  },
  UNKNOWN_TOKEN: { exit: 2, next: 'Use the symbol or the address of a known token.' },
  AMBIGUOUS_TOKEN: { exit: 2, next: 'Use the address of the token.' },
  INVALID_AMOUNT: { exit: 2, next: 'Give the amount in units of the token, such as 100.5 or 100.5USDC.' },
  KEY_REQUIRED: {
    exit: 2,
    next: advice`${sluice('wallet new', 'NAME')} With a key that you have: ${sameWith({ '--key-file': 'PATH' })} With a Ledger: ${sameWith({ '--ledger': true })}`,
  },
  INSECURE_KEY_SOURCE: {
    exit: 2,
    next: advice`To store the key encrypted: ${sluice('wallet import', 'NAME')} With a file of mode 0600 that has the key: ${sameWith({ '--key-file': 'PATH' })}`,
  },
  PROMPT_NEEDED: {
    exit: 2,
    next: advice`To confirm: ${sameWith({ '--yes': true })}. To give the value with a flag: ${ownHelp}`,
  },
  IDEMPOTENCY_KEY_REQUIRED: {
    exit: 2,
    next: advice`Add a key, the same for every run of this job on this machine: ${sameWith({ '--idempotency-key': 'KEY' })} If the next run may start with an empty disk, pin the nonce: ${sameWith({ '--nonce': 'N' })}`,
  },

  // The service or a chain cannot be used.
  SERVICE_UNREACHABLE: {
    exit: 6,
    retryable: true,
    next: origins('Try again, or check the base URL and where it comes from'),
  },
  SERVICE_BAD_RESPONSE: {
    exit: 6,
    retryable: true,
    next: checking('Check that the base URL is the right service'),
  },
  WRITE_UNCONFIRMED: { exit: 6, next: 'The change may be applied. Look before you repeat it.' },
  RPC_UNREACHABLE: {
    exit: 7,
    retryable: true,
    next: (setting) => `Try again, or set another RPC in ${setting}.`,
  },
  RPC_INCONSISTENT: {
    exit: 7,
    retryable: true,
    next: (setting) =>
      checking(
        `Run the same command again. If the error persists, set another RPC in ${setting}. To find the faulty one`,
      ),
  },
  RPC_ERROR: {
    exit: 7,
    next: (setting) => checking(`Set another RPC in ${setting}. To find the faulty one`),
  },
  HISTORY_UNREAD: {
    exit: 7,
    retryable: true,
    next: 'Run the same command again; it continues from the blocks already read.',
  },
  CHAIN_ID_MISMATCH: {
    exit: 7,
    next: (setting) => checking(`Set an RPC of that network in ${setting}, then`),
  },
  SANDBOX_UNAVAILABLE: { exit: 7, next: sluice('sandbox status') },
  ANVIL_NOT_FOUND: {
    exit: 12,
    next: 'Install Foundry (https://getfoundry.sh) so that `anvil` is on the PATH, or set SLUICE_ANVIL to its path.',
  },

  // The guard and the policy.
  POLICY_SHAPE: { exit: 8, next: refusedProposalHint },
  POLICY_CHAIN: { exit: 8, next: refusedProposalHint },
  POLICY_ALLOWANCE: { exit: 8, next: refusedProposalHint },
  POLICY_SPENDER: { exit: 8, next: refusedProposalHint },
  POLICY_CONTRACT_NOT_ALLOWED: {
    exit: 8,
    next: advice`If you trust this contract: ${sameWith({ '--allow-contract': 'ADDR' })}`,
  },
  POLICY_DECODE: { exit: 8, next: refusedProposalHint },
  POLICY_RECIPIENT: { exit: 8, next: refusedProposalHint },
  POLICY_AMOUNT: { exit: 8, next: refusedProposalHint },
  POLICY_MIN_OUT: {
    exit: 8,
    next: advice`Get a new quote, allow more slippage, or set the minimum output: ${sameWith({ '--accept-min-out': 'AMOUNT' })}`,
  },
  POLICY_VALUE: { exit: 8, next: refusedProposalHint },
  POLICY_AUTHORITY: { exit: 8, next: refusedProposalHint },
  POLICY_TOKEN_METADATA: { exit: 8, next: refusedProposalHint },
  POLICY_PRICE_IMPACT: {
    exit: 8,
    next: advice`Try a smaller amount. To accept this price impact: ${sameWith({ '--max-price-impact': 'SHARE' })}`,
  },
  POLICY_QUOTE_DRIFT: { exit: 8, next: 'Get a new quote.' },
  POLICY_SIMULATION: { exit: 8, next: refusedProposalHint },
  POLICY_TAMPER: {
    exit: 8,
    next: advice`Make a new plan: ${sameWith({ '--dry-run': true, '--json': true })}`,
  },
  POLICY_CONTRACT_CHANGED: {
    exit: 8,
    next: advice`Ask the protocol what changed. If you trust the new code: ${sameWith({ '--allow-contract': 'ADDR' })}`,
  },
  POLICY_STANDING_ALLOWANCE: { exit: 8, next: sluice('wallet approvals list') },
  POLICY_ASSURANCE: {
    exit: 8,
    next: advice`To accept the risk: ${sameWith({ '--trust-first-use': true })} Or take a lower level of assurance: ${ownHelp}`,
  },
  POLICY_LIMIT: {
    exit: 8,
    next: advice`To check a plan against the policy: ${sluice('policy check', 'PLAN')}`,
  },
  POLICY_SERVICE_FEE: { exit: 8, next: refusedProposalHint },
  POLICY_FEE_CAP: { exit: 8, next: 'Wait for lower gas prices, then run the same command again.' },
  // Before signing.
  DECLINED: { exit: 9, next: 'To do it after all, run the same command again.' },
  INSUFFICIENT_FUNDS: { status: 400, exit: 10, next: sluice('wallet show') },
  SIMULATION_REVERTED: {
    exit: 10,
    next: advice`To see every step without signing: ${sameWith({ '--dry-run': true })}`,
  },
  FOREIGN_PENDING: { exit: 10, next: 'Wait until the other transaction from this wallet is mined.' },
  NONCE_GAP: { exit: 10, next: advice`To use the next free nonce: ${sameWithout('--nonce')}` },
  OPERATION_UNFINISHED: { exit: 10, next: sluice('action list', { '--status': 'PENDING' }) },
  ORDER_USED: { status: 400, exit: 10, next: quoting('Get a new quote') },
  WALLET_BUSY: { exit: 11, retryable: true, next: sluice('action list') },
  STATE_UNUSABLE: {
    exit: 12,
    next: 'Check the free space and permissions of the data directory, or set SLUICE_HOME.',
  },
  JOURNAL_OUTDATED: {
    exit: 12,
    next: advice`Check on chain what the wallet sent. If the action is not done: ${sluice('action resume', 'ID', { '--allow-duplicate': true })}`,
  },
  STATE_NEWER_SCHEMA: { exit: 12, next: 'A newer sluice wrote this journal. Update sluice.' },
  KEY_SOURCE: {
    exit: 13,
    next: advice`To list keystores: ${sluice('wallet list')}. For all ways to sign: ${sluice('help', 'signing')}`,
  },
  WRONG_PASSWORD: {
    exit: 13,
    next: advice`Try again. The password comes from a prompt, SLUICE_PASSWORD or a file: ${sameWith({ '--password-file': 'PATH' })}`,
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    exit: 14,
    next: advice`Use another key for a new action. To see the earlier one: ${sluice('action show', 'ID')}`,
  },

  CONDITION_MET: { exit: 15, next: sluice('strategies list') },

  // After signing.
  PENDING: { exit: 20, retryable: true, next: sluice('action resume', 'ID') },
  PARTIAL: { exit: 21, next: sluice('action explain', 'ID') },
  REVERTED: { exit: 22, next: sluice('action explain', 'ID') },
  ACTION_FAILED: { exit: 22, next: sluice('action explain', 'ID') },
  SUPERSEDED: { exit: 23, next: sluice('action explain', 'ID') },
  NONCE_USED: {
    exit: 23,
    next: advice`Look first for the transaction that used the nonce: it may be this payment. To see it: ${sluice('action explain', 'HASH')}`,
  },
  CANCELLED: { exit: 24, next: sluice('action show', 'ID') },
  REFUNDED: { exit: 25, next: sluice('action explain', 'ID') },
  ARRIVED_SHORT: { exit: 25, next: sluice('action explain', 'ID') },
  ORDER_UNFILLED: { exit: 25, next: sluice('action revoke', 'ID') },
  JOURNAL_UNREADABLE: {
    exit: 26,
    next: 'Keep the file unchanged. Check on chain what this wallet sent before you sign again.',
  },
  INTERRUPTED: {
    exit: 130,
    next: advice`To do it after all, run the same command again. To list actions: ${sluice('action list')}`,
  },
  DEMO_FAILED: {
    exit: 1,
    next: advice`${sluice('sandbox reset', { '--yes': true })}, then ${sluice('demo')}`,
  },
  EVIDENCE_CHANGED: { exit: 4, next: 'Ask its author for the file again.' },
  EVIDENCE_UNCONFIRMED: { exit: 7, next: (setting) => `Set an RPC that still has those blocks: ${setting}` },
  EVIDENCE_REFUTED: {
    exit: 4,
    next: 'The chain contradicts the evidence, or has changed since. Ask its author for new evidence.',
  },
  BUG: {
    exit: 1,
    next: advice`Run it again with a trace, and report the output: ${sameWith({ '--debug': true })}`,
  },
} as const satisfies Record<string, ErrorRow>
/** An exit code of the program; `exit-codes.ts` describes each. */
export type Exit =
  | 0
  | 1
  | 2
  | 3
  | 4
  | 5
  | 6
  | 7
  | 8
  | 9
  | 10
  | 11
  | 12
  | 13
  | 14
  | 15
  | 20
  | 21
  | 22
  | 23
  | 24
  | 25
  | 26
  | 130
