import type { Customer, Fees, FeesInput } from '../api/customer.ts'
import type { Address } from '../domain/address.ts'
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

/** The fees of this customer. */
export async function feesOf(context: Context): Promise<Fees> {
  const { store, customer } = context
  const [collector, ...set] = await Promise.all([
    collectorOf(context),
    ...rates.map((name) => store.setting(customer, name)),
  ])
  const [swapFeeBps, performanceFeeBps, markupBps] = rates.map((name, at) => Number(set[at] ?? usual[name]))
  return {
    swapFeeBps: swapFeeBps!,
    performanceFeeBps: performanceFeeBps!,
    markupBps: markupBps!,
    collector,
  }
}

/** Changes what the customer may change; a collector of `null` takes it away. */
export async function setFees(context: Context, change: FeesInput): Promise<Fees> {
  const { store, customer } = context
  for (const name of rates)
    if (change[name] !== undefined) await store.saveSetting(customer, name, String(change[name]))
  if (change.collector !== undefined) await store.saveSetting(customer, 'collector', change.collector ?? '')
  return feesOf(context)
}
