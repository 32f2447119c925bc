import { AppError } from '../../domain/errors.ts'
import { isInFlight } from '../../domain/step-state.ts'
import { sluice } from '../../domain/text/next-step.ts'
import type { ExecutionContext, JournalOperation } from '../../planning/execution-context-types.ts'
import type { Operation, Step } from '../../store/journal/operation-types.ts'
import { inSendingOrder } from '../attempts/fee-bump.ts'
import { awaitsOnlyDelivery } from '../bridge/pending-delivery.ts'
import { recordFromChains } from '../execution/record-from-chains.ts'
import { withIdleWallet } from '../nonces/wallet-lock.ts'
import { sendErrorOf } from '../steps/send-errors.ts'

/**
 * Abandons an operation whose rest was not signed, after reading the chain. PENDING if a signed step is in flight. An
 * operation that has already ended is returned as it ended.
 */
async function abandonOperation(context: ExecutionContext, operation: Operation): Promise<Operation> {
  const now = await recordFromChains(context, operation, { reportedHash: null, closes: true })
  const goesOn = inFlightStep(now)
  const details = { operation: operation.id }
  const hint = sluice('action resume', operation.id)
  if (isOpen(now) && awaitsOnlyDelivery(now))
    throw new AppError(
      'PENDING',
      'All transactions are signed and final, but the funds have not arrived yet: there is nothing to drop',
      { details, next: hint },
    )
  if (!goesOn) return now
  const refused = sendErrorOf(inSendingOrder(goesOn.attempts)[0])
  // Anyone who has seen the bytes can send them at any time, until a transaction with the nonce is mined.
  if (refused && goesOn.state !== 'INCLUDED')
    throw new AppError(
      'PENDING',
      `Step ${goesOn.index + 1} is signed and was sent, and can still be mined although the node refused it (${refused.words}): it can be cancelled, but not abandoned`,
      { details, next: sluice('action cancel', operation.id, { '--yes': true }) },
    )
  throw new AppError(
    'PENDING',
    `Step ${goesOn.index + 1} is signed and pending, so the action cannot be abandoned`,
    { details, next: hint },
  )
}

/** Returns the first step that is signed and not final. */
const inFlightStep = ({ steps }: Operation): Step | undefined => steps.find(isInFlight)

const isOpen = ({ state }: Pick<Operation, 'state'>): boolean =>
  ['OPEN', 'EXECUTING', 'PARTIAL', 'ATTENTION'].includes(state)

/**
 * Drops an unsigned operation to free its key for a new plan. Returns `undefined` if it was dropped, or the operation if another
 * process began to sign it meanwhile. The journal decides atomically.
 */
export function dropUnsigned({ journal }: ExecutionContext, id: string): Operation | undefined {
  try {
    journal.dropForReplan(id, 'planned anew before anything was signed')
    return undefined
  } catch (error) {
    const now = journal.find(id)
    if (now && now.state !== 'OPEN') return now
    throw error
  }
}

/** Abandons an operation while no other process executes one of its wallet; the caller holds the planning lock of the wallet. */
export async function abandonWhenIdle(
  context: ExecutionContext,
  { id, wallet, legs }: Pick<JournalOperation, 'id' | 'wallet' | 'legs'>,
): Promise<JournalOperation> {
  const chains = legs.map(({ chainId }) => chainId)
  return withIdleWallet(context, wallet, chains, () => abandonOperation(context, context.journal.find(id)!))
}
