import type { Customer, Fees, FeesInput } from '../../api/customer.ts'
import type { Address } from '../../domain/address.ts'
import { bpsIn, isBps } from '../../domain/basis-points.ts'
import { AppError } from '../../domain/errors.ts'
import type { Catalog } from '../../protocols/catalog.ts'
import { whyLost } from '../../protocols/unrecoverable-recipients.ts'
import { operatorCustomer } from '../../store/engine/settings.ts'
import type { EngineStore } from '../../store/engine/store.ts'
import type { EngineContext } from '../context.ts'

/** What the operator of a service charges everybody, in basis points, who collects that, and the most that a customer may charge on top. */
export type OperatorFees = {
  swapFeeBps: number
  performanceFeeBps: number
  operatorCollector: Address | null
  maxMarkupBps: number
}

/**
 * Swap fee and performance fee of the specification; charged only where a collector is set. With the usual swap fee the markup is at most what
 * clients accept where nobody says otherwise (`usualServiceFeeBps`).
 */
const defaultFees = { swapFeeBps: 25, performanceFeeBps: 500, maxMarkupBps: 75 }

const rateSettings = ['swapFeeBps', 'performanceFeeBps', 'maxMarkupBps'] as const

/** What the operator set. A setting that is no share is as the usual. */
export async function readOperatorFees(store: Pick<EngineStore, 'setting'>): Promise<OperatorFees> {
  const [collector, ...set] = await Promise.all([
    store.setting(operatorCustomer, 'collector'),
    ...rateSettings.map((name) => store.setting(operatorCustomer, name)),
  ])
  const [swapFeeBps, performanceFeeBps, maxMarkupBps] = rateSettings.map(
    (name, at) => bpsIn(set[at]) ?? defaultFees[name],
  )
  return {
    swapFeeBps: swapFeeBps!,
    performanceFeeBps: performanceFeeBps!,
    operatorCollector: (collector || null) as Address | null,
    maxMarkupBps: maxMarkupBps!,
  }
}

/**
 * Changes what the operator charges, all of it or nothing; a collector of `null` takes it away. It is no part of the service, which has customers
 * only. What is no share, or a collector who would lose it, is VALIDATION_ERROR.
 */
export async function setOperatorFees(
  { store, catalog, now }: { store: EngineStore; catalog: Catalog; now: () => number },
  change: Partial<OperatorFees>,
): Promise<OperatorFees> {
  const { operatorCollector: to } = change
  const said = rateSettings.flatMap((name) => {
    const value = change[name]
    return value === undefined ? [] : [{ name, value }]
  })
  throwInvalid([...invalidRates(said), ...unrecoverableCollector(catalog, to, 'operatorCollector')])
  await store.saveSettings(
    operatorCustomer,
    [
      ...said.map(({ name, value }): [string, string] => [name, String(value)]),
      ...(to === undefined ? [] : [['collector', to ?? ''] as [string, string]]),
    ],
    { by: 'operator', at: now() },
  )
  return readOperatorFees(store)
}

type InputError = { path: string; message: string }

/** What of this is no share. */
const invalidRates = (said: readonly { name: string; value: number }[]): InputError[] =>
  said
    .filter(({ value }) => !isBps(value))
    .map(({ name }) => ({ path: name, message: 'is a whole number from 0 to 10000' }))

/** Where a collector would lose what it collects, on any network. */
function unrecoverableCollector(
  catalog: Catalog,
  collector: Address | null | undefined,
  path: string,
): InputError[] {
  const lost = catalog.networks.flatMap(
    ({ chainId }) => (collector && whyLost(catalog, chainId, collector)) || [],
  )
  return lost.slice(0, 1).map((what) => ({ path, message: `is ${what}: what is sent there is lost` }))
}

/** Refuses fees with what is wrong about them, where something is. */
function throwInvalid(errors: readonly InputError[]): void {
  if (errors[0])
    throw new AppError('VALIDATION_ERROR', `${errors[0].path}: ${errors[0].message}`, { details: { errors } })
}

/** Whose engine this is. */
export async function customerOf(context: EngineContext): Promise<Customer> {
  const { markupBps } = await customerFees(context)
  return {
    id: context.customer,
    name: context.customer,
    testnet: context.scope.testnets,
    markupBps,
  }
}

/** What is charged for this customer: the fees of the operator, and its own markup, which is never more than the operator allows by now. */
export async function customerFees({ store, customer }: EngineContext): Promise<Fees> {
  const [fees, markup, collector] = await Promise.all([
    readOperatorFees(store),
    store.setting(customer, 'markupBps'),
    store.setting(customer, 'collector'),
  ])
  const { maxMarkupBps, ...charged } = fees
  return {
    ...charged,
    markupBps: Math.min(maxMarkupBps, bpsIn(markup) ?? 0),
    maxMarkupBps,
    collector: (collector || null) as Address | null,
  }
}

/**
 * Changes what is the customer's own, all of it or nothing: its markup, and who collects that; a collector of `null` takes it away. What is no
 * share, or more than the operator allows, is VALIDATION_ERROR.
 */
export async function setCustomerFees(context: EngineContext, change: FeesInput): Promise<Fees> {
  const { store, customer, catalog, changedBy, now } = context
  const { markupBps, collector } = change
  const { maxMarkupBps } = await readOperatorFees(store)
  const isMore = markupBps !== undefined && markupBps > maxMarkupBps
  const wrong = invalidRates(markupBps === undefined ? [] : [{ name: 'markupBps', value: markupBps }])
  const tooMuch = { path: 'markupBps', message: `is at most ${maxMarkupBps} here, which the operator sets` }
  throwInvalid([
    ...(wrong.length === 0 && isMore ? [tooMuch] : wrong),
    ...unrecoverableCollector(catalog, collector, 'collector'),
  ])
  await store.saveSettings(
    customer,
    [
      ...(markupBps === undefined ? [] : [['markupBps', String(markupBps)] as [string, string]]),
      ...(collector === undefined ? [] : [['collector', collector ?? ''] as [string, string]]),
    ],
    { by: changedBy, at: now() },
  )
  return customerFees(context)
}
