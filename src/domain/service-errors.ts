import type { ErrorRow } from './error-row.ts'

/** The 28 codes of the service's own specification (Errors), in its order. */
export const serviceErrors = {
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
