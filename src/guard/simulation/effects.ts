import { nativeAddress, sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import type { Token } from '../../domain/token.ts'
import { queueOf } from '../../protocols/bindings.ts'
import type { Intent } from '../../protocols/intent.ts'
import { leftOfAll } from '../../protocols/lido/abi.ts'
import { drift } from '../../protocols/receipt-units.ts'
import { feesOf, sumOf } from '../../protocols/service-fee.ts'
import { queueTicket } from '../withdrawal-queues.ts'
import type { Simulation } from './result.ts'

/** Balances of rebasing tokens may be off by a unit or two from rounding. */
export const roundingUnits = 2n

/** The least by which a balance must change, and what it means when it changes by less. */
type Bound = { token: Token; least: bigint; what: string }

const more = 'more is taken than was asked for'

/** What an intent may take from the wallet's balances and must bring to them. `held` is a balance before. */
function boundsOf(
  intent: Intent,
  held: (token: Token) => bigint,
  shares: bigint | undefined,
  pays: bigint | undefined,
): Bound[] {
  switch (intent.kind) {
    case 'deposit':
      return [
        { token: intent.strategy.asset, least: -intent.amount, what: more },
        {
          token: intent.strategy.receipt,
          least: intent.least ?? leastIn(shares),
          what: 'the deposit brings too little',
        },
      ]
    case 'withdraw': {
      const { asset, receipt } = intent.strategy
      const most =
        intent.shares === undefined && shares !== undefined ? shares + roundingUnits : held(receipt)
      const queue = queueOf(intent.strategy)
      // A request takes the receipt and brings nothing yet, but the token that stands for it.
      if (queue) {
        const ticket = queueTicket(intent.strategy)
        return [
          { token: receipt, least: -most, what: 'more of the position is taken than was asked for' },
          ...(ticket ? [{ token: ticket, least: 1n, what: 'no request comes of it' }] : []),
        ]
      }
      return [
        {
          token: asset,
          least: leastOut(intent, pays),
          what: 'too little comes out',
        },
        { token: receipt, least: -most, what: 'more of the position is taken than was asked for' },
      ]
    }
    case 'claim': {
      if (intent.takesBack)
        return [
          {
            token: intent.strategy.receipt,
            least: intent.amount - roundingUnits,
            what: 'too little of the shares comes back',
          },
        ]
      const ticket = queueTicket(intent.strategy)
      return [
        { token: intent.strategy.asset, least: intent.amount - roundingUnits, what: 'too little comes out' },
        ...(ticket ? [{ token: ticket, least: -BigInt(intent.ids.length), what: more }] : []),
      ]
    }
    case 'swap': {
      const stays =
        intent.tokenIn.chainId === intent.tokenOut.chainId && sameAddress(intent.wallet, intent.recipient)
      return [
        { token: intent.tokenIn, least: -intent.amountIn, what: more },
        ...(stays ? [{ token: intent.tokenOut, least: intent.amountOut, what: 'too little comes in' }] : []),
      ]
    }
    case 'transfer':
      return [{ token: intent.token, least: -intent.amount - sumOf(feesOf(intent)), what: more }]
    case 'revoke':
      return []
  }
}

/** What a deposit must bring of the receipt at least: what was read that it should, at a price that moves a little, or anything at all. */
function leastIn(shares: bigint | undefined): bigint {
  const least = shares === undefined ? 1n : shares - drift(shares) - roundingUnits
  return least > 1n ? least : 1n
}

/**
 * What must come out at least, less the fees: what was read at a price that moves, or of everything what the market says that it `pays` and
 * that which the fees were charged of, and anything at all.
 */
function leastOut(
  { wallet, amount, shares, fees = [], least }: Extract<Intent, { kind: 'withdraw' }>,
  pays = 0n,
): bigint {
  const paid = sumOf(fees.filter(({ to }) => !sameAddress(to, wallet)))
  if (least !== undefined) return least - paid
  if (shares === undefined) return amount - roundingUnits - paid
  const worth = pays - drift(pays) - roundingUnits - paid
  const whole = fees[0] ? fees[0].of - roundingUnits - paid : 1n
  return worth > whole ? worth : whole
}

/** What was seen of a leg. Without a coin nothing is known of that, where a node cannot simulate blocks. */
type Seen = Pick<Simulation, 'changes' | 'allowances'> &
  Partial<Pick<Simulation, 'coin' | 'gasUsed' | 'fees'>>

/**
 * Compares what a simulated leg did to the wallet's own balances with what was asked: what is named may fall or must rise
 * by so much, nothing else may fall, and nothing more may be taken afterwards than before. Anything else is POLICY_SIMULATION. `shares` is what a
 * withdrawal should cost of the receipt, `pays` what one of everything should bring of the asset.
 */
export function checkEffect(
  intent: Intent,
  { changes, allowances, coin, gasUsed, fees }: Seen,
  shares?: bigint,
  pays?: bigint,
): void {
  const held = ({ address }: Token) =>
    changes.find(({ token }) => sameAddress(token.address, address))?.before ?? 0n
  const bounds = boundsOf(intent, held, shares, pays)
  for (const { token, delta } of changes) {
    const bound = bounds.find((one) => sameAddress(one.token.address, token.address))
    const least = bound?.least ?? 0n
    if (delta >= least) continue
    throw new AppError(
      'POLICY_SIMULATION',
      `In the simulation ${bound?.what ?? 'something is taken that nobody asked for'}: ${formatAmount(delta, token)} instead of at least ${formatAmount(least, token)}`,
      { details: { token: token.address, change: delta.toString(), least: least.toString() } },
    )
  }
  refuseRest(intent, changes)
  // What gas may cost is not told from what does not come out: more than that is missing, or nothing.
  const least = leastCoin(intent, pays)
  if (least !== undefined) {
    const paid = (gasUsed ?? []).reduce((sum, used) => sum + used, 0n) * (fees?.maxFeePerGas ?? 0n)
    if (coin === undefined || coin + paid < least)
      throw new AppError('POLICY_SIMULATION', 'In the simulation too little of the native coin comes out', {
        details: { change: String(coin), least: least.toString() },
      })
  }
  const most = leftoverOf(intent, changes)
  for (const { token, spender, before, after } of allowances) {
    // What stood before stands by the will of the wallet, and less of it is no harm.
    if (after <= most || after <= before) continue
    throw new AppError(
      'POLICY_SIMULATION',
      `In the simulation ${spender} may still take ${after} of ${token} afterwards, and ${most} is the most that may be left`,
      { details: { token, spender, left: after.toString() } },
    )
  }
}

/**
 * All of a position is all of it. A queue takes a receipt that rebases by its amount, which may leave the rounding of each part of it; and what
 * was not read leaves nothing to compare.
 */
function refuseRest(intent: Intent, changes: Simulation['changes']): void {
  if (intent.kind !== 'withdraw' || intent.shares === undefined) return
  const { receipt, constants } = intent.strategy
  const rest = constants.family === 'lido' ? leftOfAll(constants, intent.shares) : roundingUnits
  const change = changes.find(({ token }) => sameAddress(token.address, receipt.address))
  const left = change ? change.before + change.delta : 0n
  if (left <= (queueOf(intent.strategy) ? rest : 0n)) return
  throw new AppError(
    'POLICY_SIMULATION',
    `In the simulation something of the position is left: ${formatAmount(left, receipt)}, and all of it was to come out`,
    {
      details: { token: receipt.address, left: left.toString() },
      hint: 'Ask again: somebody may have sent some of it meanwhile. Or name the amount.',
    },
  )
}

/** How much of the native coin a leg must bring at least, gas aside; `undefined` where it need not bring any. */
function leastCoin(intent: Intent, pays: bigint | undefined): bigint | undefined {
  if (intent.kind !== 'withdraw' && intent.kind !== 'claim') return undefined
  if (intent.kind === 'withdraw' ? queueOf(intent.strategy) : intent.takesBack) return 0n
  if (intent.strategy.asset.address !== nativeAddress) return undefined
  return intent.kind === 'withdraw' ? leastOut(intent, pays) : intent.amount - roundingUnits
}

/** What a leg may leave of its allowance: a swap for an exact output leaves what it did not need, everything else nothing. */
function leftoverOf(intent: Intent, changes: Simulation['changes']): bigint {
  if (intent.kind !== 'swap' || intent.exact === 'in') return 0n
  const spent = changes.find(({ token }) => sameAddress(token.address, intent.tokenIn.address))?.delta ?? 0n
  return intent.amountIn + spent
}
