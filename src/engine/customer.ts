import type { Customer, Fees, FeesInput } from '../api/customer.ts'
import type { Address } from '../domain/address.ts'
import { bpsIn, isBps } from '../domain/bps.ts'
import { AppError } from '../domain/errors.ts'
import { whyLost } from '../domain/lost.ts'
import type { Context } from './context.ts'

/** Swap fee and performance fee of the specification, in basis points; charged only where a collector is set. */
const usual = { swapFeeBps: 25, performanceFeeBps: 500, markupBps: 0 }

const rates = ['swapFeeBps', 'performanceFeeBps', 'markupBps'] as const

/** Whose engine this is. */
export async function customerOf(context: Context): Promise<Customer> {
  const { markupBps } = await feesOf(context)
  return {
    id: context.customer,
    name: context.customer,
    testnet: context.sees.testnets,
    markupBps,
  }
}

/** Who collects the fees of this customer; nobody is `null`. */
export const collectorOf = async ({ store, customer }: Context): Promise<Address | null> =>
  ((await store.setting(customer, 'collector')) || null) as Address | null

/** The fees of this customer. A setting that is no share, as an older version took it, is as the usual. */
export async function feesOf(context: Context): Promise<Fees> {
  const { store, customer } = context
  const [collector, ...set] = await Promise.all([
    collectorOf(context),
    ...rates.map((name) => store.setting(customer, name)),
  ])
  const [swapFeeBps, performanceFeeBps, markupBps] = rates.map((name, at) => bpsIn(set[at]) ?? usual[name])
  return {
    swapFeeBps: swapFeeBps!,
    performanceFeeBps: performanceFeeBps!,
    markupBps: markupBps!,
    collector,
  }
}

/** Changes what the customer may change, all of it or nothing; a collector of `null` takes it away. What is no share is VALIDATION_ERROR. */
export async function setFees(context: Context, change: FeesInput): Promise<Fees> {
  const { store, customer } = context
  const said = rates.flatMap((name) => {
    const value = change[name]
    return value === undefined ? [] : [{ name, value }]
  })
  const wrong = said.filter(({ value }) => !isBps(value))
  const errors = [
    ...wrong.map(({ name }) => ({ path: name, message: 'is a whole number from 0 to 10000' })),
    ...lostCollector(context, change.collector),
  ]
  if (errors[0])
    throw new AppError('VALIDATION_ERROR', `${errors[0].path}: ${errors[0].message}`, { details: { errors } })
  await store.saveSettings(customer, [
    ...said.map(({ name, value }): [string, string] => [name, String(value)]),
    ...(change.collector === undefined ? [] : [['collector', change.collector ?? ''] as [string, string]]),
  ])
  return feesOf(context)
}

/** Where a collector would lose what it collects, on any network. */
function lostCollector({ catalog }: Context, collector: Address | null | undefined) {
  const lost = catalog.networks.flatMap(
    ({ chainId }) => (collector && whyLost(catalog, chainId, collector)) || [],
  )
  return lost
    .slice(0, 1)
    .map((what) => ({ path: 'collector', message: `is ${what}: what is sent there is lost` }))
}
