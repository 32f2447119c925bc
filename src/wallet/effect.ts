import { sameAddress } from '../domain/address.ts'
import { formatAmount } from '../domain/amount.ts'
import { AppError } from '../domain/errors.ts'
import type { Intent } from '../domain/intent.ts'
import type { Token } from '../domain/token.ts'
import type { Simulation } from './simulate.ts'

/** Aave's share balances may be off by a unit or two from rounding. */
const rounding = 2n

/** Compares what a simulated leg did to the wallet's own balances with what was asked; anything else is POLICY_SIMULATION. */
export function checkEffect(intent: Intent, { changes }: Simulation): void {
  const delta = (token: Token): bigint =>
    changes.find(
      (change) => change.token.chainId === token.chainId && sameAddress(change.token.address, token.address),
    )?.delta ?? 0n
  const atLeast = (token: Token, least: bigint, what: string) => {
    if (delta(token) >= least) return
    throw new AppError(
      'POLICY_SIMULATION',
      `In the simulation ${what}: ${formatAmount(delta(token), token)} instead of at least ${formatAmount(least, token)}`,
      { details: { token: token.address, change: delta(token).toString(), least: least.toString() } },
    )
  }
  if (intent.kind === 'deposit') {
    atLeast(intent.strategy.asset, -intent.amount, 'more is taken than was asked for')
    atLeast(intent.strategy.receipt, 1n, 'the deposit brings no share')
  } else if (intent.kind === 'withdraw') {
    const least = intent.shares === undefined ? intent.amount - rounding : 1n
    atLeast(intent.strategy.asset, least, 'too little comes out')
  } else if (intent.kind === 'swap') {
    atLeast(intent.tokenIn, -intent.amountIn, 'more is taken than was asked for')
    const stays =
      intent.tokenIn.chainId === intent.tokenOut.chainId && sameAddress(intent.wallet, intent.recipient)
    if (stays) atLeast(intent.tokenOut, intent.amountOut, 'too little comes in')
  } else atLeast(intent.token, -intent.amount, 'more is taken than was asked for')
}
