import { AppError } from '../domain/errors.ts'
import type { Transaction } from '../domain/transaction-types.ts'
import {
  orderText,
  orderUsedError,
  usedElsewhereError,
} from '../domain/used-order-and-expired-quote-errors.ts'
import type { Intent } from '../protocols/intent.ts'
import { actionAmong } from '../protocols/service-fees-of-intent.ts'
import type { OrderCall, OrderReads } from '../swaps/definition.ts'
import { serviceAccess } from '../swaps/service-access.ts'
import { swapOrderOf } from '../swaps/swap-provider-registry.ts'
import type { ExecutionContext } from './execution-context-types.ts'

type Leg = { intent: Intent | null; transactions: readonly Transaction[] }
type UsedOrder = NonNullable<ReturnType<typeof swapOrderOf>> & { call: OrderCall }

/** The orders that the swaps of some legs use. */
const ordersOf = ({ catalog }: Pick<ExecutionContext, 'catalog'>, legs: readonly Leg[]): UsedOrder[] =>
  legs.flatMap(({ intent, transactions }) => {
    if (intent?.kind !== 'swap' || transactions.length === 0) return []
    const transaction = actionAmong(intent, transactions)
    const order = swapOrderOf(catalog, transaction)
    return order ? [{ ...order, call: { ...intent, transaction } }] : []
  })

/** The ids of the orders that some legs use, for the journal. */
export const orderIdsOf = (context: Pick<ExecutionContext, 'catalog'>, legs: readonly Leg[]): string[] =>
  ordersOf(context, legs).map(({ id }) => id)

type Asked = Pick<ExecutionContext, 'rpc' | 'catalog' | 'journal' | 'services'>

const readsOf = ({ rpc, catalog, services = serviceAccess() }: Asked): OrderReads => ({
  rpc,
  catalog,
  ...services,
})

/** ORDER_USED if an order belongs to another operation of the journal. */
function refuseOtherOwner(
  { journal }: Pick<ExecutionContext, 'journal'>,
  id: string,
  operationId: string,
): void {
  const owner = journal.ownerOfOrder(id)
  if (owner !== undefined && owner !== operationId) throw orderUsedError(id, owner)
}

/**
 * Refuses a plan of an operation with an order that another operation of the journal has, or that the chains show as used: ORDER_USED. An
 * order with terms that no swap needs is POLICY_QUOTE_DRIFT. A node that does not answer is an error, because then it is not known.
 */
export async function refuseUsedOrders(
  context: Asked,
  operationId: string,
  legs: readonly Leg[],
): Promise<void> {
  const reads = readsOf(context)
  for (const { id, rules, call } of ordersOf(context, legs)) {
    refuseOtherOwner(context, id, operationId)
    const [use, fault] = await Promise.all([rules.findUse(reads, call), rules.findFault?.(reads, call)])
    if (use !== undefined) throw usedElsewhereError(id, use)
    if (fault !== undefined) throw new AppError('POLICY_QUOTE_DRIFT', `${orderText(id)} ${fault}`)
  }
}

/**
 * Refuses an order that somebody else than the provider proposes, and that the provider does not vouch for: POLICY_QUOTE_DRIFT, or the
 * error of its service if that does not answer.
 */
export async function refuseUnquotedOrders(
  context: Asked,
  operationId: string,
  legs: readonly Leg[],
): Promise<void> {
  for (const { id, rules, call } of ordersOf(context, legs)) {
    // The action that has it says more than the service.
    refuseOtherOwner(context, id, operationId)
    const denial = await rules.findDenial?.(readsOf(context), call).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error
      throw new AppError(
        'PROVIDER_API_ERROR',
        `Nothing was signed: whether the provider made the order ${id.slice(id.indexOf(':') + 1)} could not be asked. ${error.message}`,
        { details: { ...error.details, order: id }, cause: error },
      )
    })
    if (denial && 'used' in denial) throw usedElsewhereError(id, denial.used)
    if (denial)
      throw new AppError(
        'POLICY_QUOTE_DRIFT',
        `${orderText(id)} was proposed by the service, but ${denial.denied}`,
        { details: { order: id } },
      )
  }
}
