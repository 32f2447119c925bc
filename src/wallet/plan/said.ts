import { bringsOf } from '../../calls/brings.ts'
import { paysOf } from '../../calls/pays.ts'
import { placeOf } from '../../calls/places.ts'
import type { StrategyEntry } from '../../domain/catalog.ts'
import { AppError } from '../../domain/errors.ts'
import type { Intent } from '../../domain/intent.ts'
import { isRefusal } from '../../net/refusal.ts'
import type { Rpc } from '../../net/rpc.ts'
import { eachRead } from '../chain/each-read.ts'
import { word } from '../chain/simulate-reads.ts'
import { mostUnits } from '../guard/spends.ts'

/** What a withdrawal of an exact amount should cost of the receipt, or a deposit should bring of it, as the market says before it. */
export async function sharesFor(rpc: Rpc, intent: Intent): Promise<bigint | undefined> {
  if (intent.kind !== 'deposit' && (intent.kind !== 'withdraw' || intent.shares !== undefined))
    return undefined
  if (intent.kind === 'withdraw' && intent.units !== undefined) return mostUnits(intent)
  const { strategy, amount } = intent
  const cost = intent.kind === 'deposit' ? bringsOf(strategy, intent) : placeOf(strategy).cost(amount)
  if (!cost || 'units' in cost) return cost?.units
  const said = await rpc.request('eth_call', [cost.read, 'latest']).catch((cause: unknown) => {
    if (!(cause instanceof AppError && isRefusal(cause))) throw cause
    throw unsaid(strategy, cause)
  })
  return cost.unitsOf(word(said, 'the price of shares'))
}

/** What a withdrawal of everything should pay, as the market says before it; `undefined` where it is none, or pays later or by an exchange. */
export async function paysFor(rpc: Rpc, intent: Intent): Promise<bigint | undefined> {
  if (intent.kind !== 'withdraw' || intent.shares === undefined) return undefined
  const pays = paysOf(intent.strategy, intent.shares)
  if (!pays || 'amount' in pays) return pays?.amount
  const amount = pays.amountOf(await eachRead(rpc, pays.reads))
  if (amount === undefined) throw unsaid(intent.strategy)
  return amount
}

const unsaid = ({ slug, receipt }: StrategyEntry, cause?: unknown): AppError =>
  new AppError('POLICY_SIMULATION', `${slug} does not say what its ${receipt.symbol} is worth`, { cause })
