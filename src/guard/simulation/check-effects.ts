import { nativeAddress, sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import type { Token } from '../../domain/token.ts'
import { sumOf } from '../../protocols/fee-payments.ts'
import type { Intent, IntentOf } from '../../protocols/intent.ts'
import { leftOfAll } from '../../protocols/lido/abi.ts'
import { queueOf } from '../../protocols/registry.ts'
import { feesOf } from '../../protocols/service-fees-of-intent.ts'
import { acceptedDrift } from '../../protocols/withdrawal-units.ts'
import { isLaterPayoutProvider, isOrderProvider } from '../../swaps/swap-provider-registry.ts'
import { queueTicket } from '../withdrawal-queue-reads.ts'
import { roundingUnits } from './deposit-loss-check.ts'
import type { Simulation } from './simulate.ts'

/** The least change of a balance, and the message if it is violated. */
type BalanceBound = { token: Token; least: bigint; what: string }

const more = 'more is taken than requested'

/** The balance changes that an intent allows and requires. `held` is a balance before. */
function balanceBounds(
  intent: Intent,
  held: (token: Token) => bigint,
  shares: bigint | undefined,
  pays: bigint | undefined,
): BalanceBound[] {
  switch (intent.kind) {
    case 'deposit':
      return [
        { token: intent.strategy.asset, least: -intent.amount, what: more },
        {
          token: intent.strategy.receipt,
          least: intent.least ?? minimumReceipt(shares),
          what: 'the deposit returns too little',
        },
      ]
    case 'withdraw':
      return withdrawalBounds(intent, held, shares, pays)
    case 'claim':
      return claimBounds(intent)
    case 'swap':
      return swapBounds(intent)
    case 'transfer':
      return [{ token: intent.token, least: -intent.amount - sumOf(feesOf(intent)), what: more }]
    case 'revoke':
      return []
    case 'deliver':
      return sameAddress(intent.wallet, intent.recipient)
        ? [{ token: intent.token, least: intent.amount, what: 'less is delivered than was burned' }]
        : []
  }
}

function withdrawalBounds(
  intent: IntentOf<'withdraw'>,
  held: (token: Token) => bigint,
  shares: bigint | undefined,
  pays: bigint | undefined,
): BalanceBound[] {
  const { asset, receipt } = intent.strategy
  const most = intent.shares === undefined && shares !== undefined ? shares + roundingUnits : held(receipt)
  const taken = { token: receipt, least: -most, what: 'more of the position is taken than requested' }
  // A withdrawal request takes the receipt and brings only its ticket.
  if (queueOf(intent.strategy)) {
    const ticket = queueTicket(intent.strategy)
    return [taken, ...(ticket ? [{ token: ticket, least: 1n, what: 'no request is created' }] : [])]
  }
  return [{ token: asset, least: minimumPayout(intent, pays), what: 'the output is too low' }, taken]
}

function claimBounds({ strategy, amount, ids, takesBack }: IntentOf<'claim'>): BalanceBound[] {
  const least = amount - roundingUnits
  if (takesBack) return [{ token: strategy.receipt, least, what: 'too few shares are returned' }]
  const ticket = queueTicket(strategy)
  return [
    { token: strategy.asset, least, what: 'the output is too low' },
    ...(ticket ? [{ token: ticket, least: -BigInt(ids.length), what: more }] : []),
  ]
}

/** An order takes nothing but its fees and brings nothing by itself; what is paid out later brings nothing. */
function swapBounds(intent: IntentOf<'swap'>): BalanceBound[] {
  const stays =
    !isLaterPayoutProvider(intent.provider) &&
    intent.tokenIn.chainId === intent.tokenOut.chainId &&
    sameAddress(intent.wallet, intent.recipient)
  return [
    {
      token: intent.tokenIn,
      least: isOrderProvider(intent.provider) ? -sumOf(feesOf(intent)) : -intent.amountIn,
      what: more,
    },
    ...(stays ? [{ token: intent.tokenOut, least: intent.amountOut, what: 'the input is too low' }] : []),
  ]
}

/** The least receipt amount of a deposit: the expected one, or anything at a slightly moving price. */
function minimumReceipt(shares: bigint | undefined): bigint {
  const least = shares === undefined ? 1n : shares - acceptedDrift(shares) - roundingUnits
  return least > 1n ? least : 1n
}

/**
 * The least amount out after fees: the bound at a moving price, for a full withdrawal the market's quote `pays` and the fee basis,
 * and always something.
 */
function minimumPayout(
  { wallet, amount, shares, fees = [], least }: IntentOf<'withdraw'>,
  pays = 0n,
): bigint {
  const paid = sumOf(fees.filter(({ to }) => !sameAddress(to, wallet)))
  if (least !== undefined) return least - paid
  if (shares === undefined) return amount - roundingUnits - paid
  const worth = pays - acceptedDrift(pays) - roundingUnits - paid
  const whole = fees[0] ? fees[0].of - roundingUnits - paid : 1n
  return worth > whole ? worth : whole
}

/** The observed effects of a leg. The coin is unknown if the node cannot simulate blocks. */
type ObservedEffects = Pick<Simulation, 'changes' | 'allowances'> &
  Partial<Pick<Simulation, 'coin' | 'gasUsed' | 'fees'>>

/**
 * Compares a leg's simulated effects on the wallet with its intent: named balances may fall or must rise by the bounds, no other
 * may fall, and no allowance may grow. POLICY_SIMULATION otherwise. `shares` is the expected receipt cost of a withdrawal, `pays`
 * the expected payout of a full one.
 */
export function checkEffect(
  intent: Intent,
  { changes, allowances, coin, gasUsed, fees }: ObservedEffects,
  shares?: bigint,
  pays?: bigint,
): void {
  const held = ({ address }: Token) =>
    changes.find(({ token }) => sameAddress(token.address, address))?.before ?? 0n
  const bounds = balanceBounds(intent, held, shares, pays)
  for (const { token, delta } of changes) {
    const bound = bounds.find((one) => sameAddress(one.token.address, token.address))
    const least = bound?.least ?? 0n
    if (delta >= least) continue
    throw new AppError(
      'POLICY_SIMULATION',
      `In the simulation ${bound?.what ?? 'something is taken that was not requested'}: ${formatAmount(delta, token)} instead of at least ${formatAmount(least, token)}`,
      { details: { token: token.address, change: delta.toString(), least: least.toString() } },
    )
  }
  refuseRemainder(intent, changes)
  // Gas and a missing payout cannot be told apart: only a larger shortfall counts.
  const least = minimumCoin(intent, pays)
  if (least !== undefined) {
    const paid = (gasUsed ?? []).reduce((sum, used) => sum + used, 0n) * (fees?.maxFeePerGas ?? 0n)
    if (coin === undefined || coin + paid < least)
      throw new AppError('POLICY_SIMULATION', 'In the simulation, the output in the native coin is too low', {
        details: { change: String(coin), least: least.toString() },
      })
  }
  const most = allowedLeftover(intent, changes)
  for (const { token, spender, before, after } of allowances) {
    // A standing allowance is the wallet's own will; a reduction does no harm.
    if (after <= most || after <= before) continue
    throw new AppError(
      'POLICY_SIMULATION',
      `In the simulation, ${spender} still has an allowance of ${after} of ${token} afterwards; the maximum is ${most}`,
      { details: { token, spender, left: after.toString() } },
    )
  }
}

/**
 * Refuses a remainder after withdrawing everything. A queue that takes a rebasing receipt by amount may leave the rounding of each
 * part; an unread balance is not compared.
 */
function refuseRemainder(intent: Intent, changes: Simulation['changes']): void {
  if (intent.kind !== 'withdraw' || intent.shares === undefined) return
  const { receipt, constants } = intent.strategy
  const rest = constants.family === 'lido' ? leftOfAll(constants, intent.shares) : roundingUnits
  const change = changes.find(({ token }) => sameAddress(token.address, receipt.address))
  const left = change ? change.before + change.delta : 0n
  if (left <= (queueOf(intent.strategy) ? rest : 0n)) return
  throw new AppError(
    'POLICY_SIMULATION',
    `In the simulation, ${formatAmount(left, receipt)} of the position is left, but the whole position was to be withdrawn`,
    {
      details: { token: receipt.address, left: left.toString() },
      next: 'Run the same command again, because a part may have been transferred meanwhile. Or give the amount.',
    },
  )
}

/** The least native coin that a leg must bring, gas aside; `undefined` if none. */
function minimumCoin(intent: Intent, pays: bigint | undefined): bigint | undefined {
  if (intent.kind === 'swap') {
    const { wallet, recipient, tokenOut, amountOut } = intent
    return tokenOut.address === nativeAddress && sameAddress(wallet, recipient) ? amountOut : undefined
  }
  if (intent.kind !== 'withdraw' && intent.kind !== 'claim') return undefined
  if (intent.kind === 'withdraw' ? queueOf(intent.strategy) : intent.takesBack) return 0n
  if (intent.strategy.asset.address !== nativeAddress) return undefined
  return intent.kind === 'withdraw' ? minimumPayout(intent, pays) : intent.amount - roundingUnits
}

/** The allowance that a leg may leave: an order leaves all of it, an exact-output swap the unneeded part, everything else nothing. */
function allowedLeftover(intent: Intent, changes: Simulation['changes']): bigint {
  if (intent.kind !== 'swap') return 0n
  if (isOrderProvider(intent.provider)) return intent.amountIn - sumOf(feesOf(intent))
  if (intent.exact === 'in') return 0n
  const spent = changes.find(({ token }) => sameAddress(token.address, intent.tokenIn.address))?.delta ?? 0n
  return intent.amountIn + spent
}
