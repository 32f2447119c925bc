import type { Customer, Fees, FeesInput, OperatorFees } from '../../api/customer-and-fees.ts'
import type { Address } from '../../domain/address.ts'
import { isBps, parseBps } from '../../domain/basis-points.ts'
import { AppError } from '../../domain/errors.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import { whyLost } from '../../protocols/unrecoverable-recipients.ts'
import { operatorCustomer } from '../../store/engine/customer-settings.ts'
import type { EngineStore } from '../../store/engine/store.ts'
import type { EngineContext } from '../engine.ts'

/**
 * The swap fee and performance fee of the specification; charged only if a collector is set. With the default swap
 * fee, the highest markup is the one that clients accept by default (`usualServiceFeeBps`).
 */
const defaultFees = { swapFeeBps: 25, performanceFeeBps: 500, maxMarkupBps: 75 }

const rateSettings = ['swapFeeBps', 'performanceFeeBps', 'maxMarkupBps'] as const

/** The operator's settings. An invalid or missing setting has its default. */
export async function readOperatorFees(store: Pick<EngineStore, 'settings'>): Promise<OperatorFees> {
  const set = await store.settings(operatorCustomer)
  const rate = (name: (typeof rateSettings)[number]) => parseBps(set[name]) ?? defaultFees[name]
  return {
    swapFeeBps: rate('swapFeeBps'),
    performanceFeeBps: rate('performanceFeeBps'),
    operatorCollector: (set.collector || null) as Address | null,
    maxMarkupBps: rate('maxMarkupBps'),
  }
}

/**
 * Changes the operator's fees, all or none; a collector of `null` removes the collector. This is not part of
 * the service, which has customers only. An invalid rate, or a collector that could not recover the fees, is
 * VALIDATION_ERROR.
 */
export async function setOperatorFees(
  { store, catalog, now }: { store: EngineStore; catalog: Catalog; now: () => number },
  change: Partial<OperatorFees>,
): Promise<OperatorFees> {
  const { operatorCollector: to } = change
  const changes = rateSettings.flatMap((name) => {
    const value = change[name]
    return value === undefined ? [] : [{ name, value }]
  })
  throwInvalid([...invalidRates(changes), ...unrecoverableCollector(catalog, to, 'operatorCollector')])
  await store.saveSettings(
    operatorCustomer,
    [
      ...changes.map(({ name, value }): [string, string] => [name, String(value)]),
      ...(to === undefined ? [] : [['collector', to ?? ''] as [string, string]]),
    ],
    { by: 'operator', at: now() },
  )
  return readOperatorFees(store)
}

type InputError = { path: string; message: string }

/** An error for each rate that is not a number of basis points. */
const invalidRates = (changes: readonly { name: string; value: number }[]): InputError[] =>
  changes
    .filter(({ value }) => !isBps(value))
    .map(({ name }) => ({ path: name, message: 'must be a whole number from 0 to 10000' }))

/** An error if fees sent to this collector would be lost on any network. */
function unrecoverableCollector(
  catalog: Catalog,
  collector: Address | null | undefined,
  path: string,
): InputError[] {
  const lost = catalog.networks.flatMap(
    ({ chainId }) => (collector && whyLost(catalog, chainId, collector)) || [],
  )
  return lost.slice(0, 1).map((what) => ({ path, message: `is ${what}: funds sent there are lost` }))
}

/** Throws VALIDATION_ERROR if there are errors. */
function throwInvalid(errors: readonly InputError[]): void {
  if (errors[0])
    throw new AppError('VALIDATION_ERROR', `${errors[0].path}: ${errors[0].message}`, { details: { errors } })
}

export async function customerOf(context: EngineContext): Promise<Customer> {
  const { markupBps } = await customerFees(context)
  return {
    id: context.customer,
    name: context.customer,
    testnet: context.scope.testnets,
    markupBps,
  }
}

/**
 * The fees for this customer: the operator's fees and the customer's markup, capped by the operator's current
 * limit.
 */
export async function customerFees({ store, customer }: EngineContext): Promise<Fees> {
  const [fees, own] = await Promise.all([readOperatorFees(store), store.settings(customer)])
  const { maxMarkupBps, ...charged } = fees
  return {
    ...charged,
    markupBps: Math.min(maxMarkupBps, parseBps(own.markupBps) ?? 0),
    maxMarkupBps,
    collector: (own.collector || null) as Address | null,
  }
}

/**
 * Changes the customer's own fees, all or none: its markup and its collector; a collector of `null` removes
 * the collector. An invalid rate, or one above the operator's limit, is VALIDATION_ERROR.
 */
export async function setCustomerFees(context: EngineContext, change: FeesInput): Promise<Fees> {
  const { store, customer, catalog, changedBy, now } = context
  const { markupBps, collector } = change
  const { maxMarkupBps } = await readOperatorFees(store)
  const isMore = markupBps !== undefined && markupBps > maxMarkupBps
  const wrong = invalidRates(markupBps === undefined ? [] : [{ name: 'markupBps', value: markupBps }])
  const tooMuch = { path: 'markupBps', message: `must be at most ${maxMarkupBps}, the limit of the operator` }
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
