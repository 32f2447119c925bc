import type { Customer, Fees } from '../api/customer.ts'
import type { Address } from '../domain/address.ts'
import type { Context } from './context.ts'

/** Swap fee and performance fee of the specification, in basis points; charged only where a collector is set. */
const swapFeeBps = 25
const performanceFeeBps = 500

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

/** The fees of this customer. */
export async function feesOf({ store, customer }: Context): Promise<Fees> {
  const [markup, collector] = await Promise.all([
    store.setting(customer, 'markupBps'),
    store.setting(customer, 'collector'),
  ])
  return {
    swapFeeBps,
    performanceFeeBps,
    markupBps: Number(markup ?? 0),
    collector: (collector as Address | undefined) ?? null,
  }
}

/** Changes what the customer may change. */
export async function setFees(
  context: Context,
  { markupBps, collector }: { markupBps?: number | undefined; collector?: Address | undefined },
): Promise<Fees> {
  if (markupBps !== undefined)
    await context.store.saveSetting(context.customer, 'markupBps', String(markupBps))
  if (collector !== undefined) await context.store.saveSetting(context.customer, 'collector', collector)
  return feesOf(context)
}
