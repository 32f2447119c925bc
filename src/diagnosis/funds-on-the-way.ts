import { type Address, sameAddress } from '../domain/address.ts'
import { displayNetwork } from '../domain/networks.ts'
import { type Token, tokenAt } from '../domain/token.ts'
import type { ExecutionContext, JournalOperation } from '../planning/execution-context-types.ts'
import { resultOf } from '../transactions/bridge/delivery-result.ts'
import { activeSteps } from '../transactions/steps/active-steps.ts'
import { isFinished } from '../transactions/steps/operation-state.ts'

/** Funds that left one chain and that the journal has not seen on the other: at least `amount` is to arrive. */
export type FundsOnTheWay = { action: string; network: string; token: Token; amount: bigint }

/** The funds on the way to a wallet from one chain to another, by the journal of this machine. Asks no chain. */
export function fundsOnTheWay(
  { journal, catalog }: Pick<ExecutionContext, 'journal' | 'catalog'>,
  wallet: Address,
): FundsOnTheWay[] {
  const states = ['EXECUTING', 'PARTIAL', 'ATTENTION'] as const
  return journal
    .list({ states: [...states], limit: 10_000 }, () => undefined)
    .flatMap((operation) => arrivalOf(operation, wallet, catalog.tokens, catalog.networks) ?? [])
}

function arrivalOf(
  operation: JournalOperation,
  wallet: Address,
  tokens: readonly Token[],
  networks: ExecutionContext['catalog']['networks'],
): FundsOnTheWay | undefined {
  const { refund, short, unfilled } = resultOf(operation)
  if (isFinished(operation) || refund || short || unfilled) return undefined
  const leg = operation.legs.find(({ arrival }) => arrival !== null && arrival.hash === null)
  const sent = activeSteps(operation).findLast((step) => leg && step.leg < leg.leg && step.role === 'action')
  if (!leg?.arrival || !sent?.inclusion || sent.state === 'FINAL_REVERTED') return undefined
  // On one chain an order leaves the funds in the wallet until it is filled.
  if (sent.transaction.chainId === leg.chainId || !sameAddress(leg.arrival.recipient, wallet))
    return undefined
  const token = tokenAt(tokens, leg.chainId, leg.arrival.token)
  if (!token) return undefined
  const { name } = displayNetwork(networks, leg.chainId)
  return { action: operation.id, network: name, token, amount: leg.arrival.minimum }
}
