import type { Address } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { advice, sluice } from '../../domain/text/next-step.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import type { ActionRow, ActionTxRow } from '../../store/engine/action-tables.ts'
import type { Alongside } from '../../store/events/write-event.ts'
import { isChainInScope } from '../catalog-lookups.ts'
import type { EngineContext } from '../engine.ts'
import { readWalletProgress } from './wallet-block-reader.ts'

/** A tracked action with its transactions. `said`: the note of its swap provider, in the provider's words. */
export type Tracked = { action: ActionRow; txs: readonly ActionTxRow[]; said?: string }

/** Finds an action of this customer, if all its networks are in scope. */
export async function findIssuedAction(context: EngineContext, id: string): Promise<Tracked | undefined> {
  const found = await context.store.action(context.customer, id)
  return found?.txs.every(({ chainId }) => isChainInScope(context, chainId)) ? found : undefined
}

/** Whether an action is a swap. A swap is one of the issues of its quote. */
export const isSwap = ({ type }: Pick<ActionRow, 'type'>): boolean => type.endsWith('_SWAP')

/** The issues of an action, oldest first: the action itself and, for a swap, every other issue of its quote. */
export async function issuesOf({ store, customer }: EngineContext, found: Tracked): Promise<Tracked[]> {
  const { action } = found
  if (!isSwap(action) || action.quoteId === null) return [found]
  return (await store.issuedOperations(customer, action.quoteId)).filter((issue) => isSwap(issue.action))
}

/**
 * The start of the search for an action's transactions on each chain: the newest block, and the wallet's mined count.
 */
export type SearchStarts = ReadonlyMap<number, { fromBlock: number; fromNonce: number }>

/**
 * Reads the start of a search. Any point before the action is sent will do, so it is read while its transactions are
 * built.
 */
export function readSearchStarts(
  context: EngineContext,
  wallet: Address,
  chainIds: readonly number[],
): Promise<SearchStarts> {
  const starts = Promise.all(
    [...new Set(chainIds)].map(async (chainId) => {
      const { count, head } = await readWalletProgress(context.chain(chainId), wallet)
      return [chainId, { fromBlock: head, fromNonce: count }] as const
    }),
  ).then((all) => new Map(all))
  starts.catch(() => undefined) // Awaited when the action is stored, unless an earlier check fails.
  return starts
}

/** An action to track. `kinds` names the purpose of each transaction. */
type NewOperation = Pick<ActionRow, 'id' | 'type' | 'strategyId' | 'strategySlug' | 'quoteId'> & {
  starts: Promise<SearchStarts>
  wallet: Address
  receiver: Address
  amounts: unknown
  transactions: readonly Transaction[]
  kinds: readonly string[]
  /** What is written in the same transaction, where the action is new. */
  alongside?: Alongside<void> | undefined
}

/** Maximum number of times one quote may be issued. Each issue is searched for on chain until one succeeds. */
const maxIssues = 8

/**
 * Stores an action whose bytecode was just built, with the start of its search on each chain. A quote may be issued
 * again, to another wallet or with other approvals; earlier issues are still searched for.
 */
export async function trackOperation(
  context: EngineContext,
  { transactions, kinds, amounts, starts: asked, alongside, ...about }: NewOperation,
): Promise<void> {
  const starts = await asked
  const now = context.now()
  const isKept = await context.store.issueOperation(
    {
      ...about,
      customer: context.customer,
      status: 'pending',
      amounts: JSON.stringify(amounts),
      destinationHash: null,
      createdAt: now,
      updatedAt: now,
      finishedAt: null,
      draft: context.isDraft ? 1 : 0,
      cancelledAt: null,
    },
    transactions.map((tx, idx) => ({
      actionId: about.id,
      idx,
      kind: kinds[idx]!,
      chainId: tx.chainId,
      recipient: tx.to,
      data: tx.data,
      value: tx.value.toString(),
      ...starts.get(tx.chainId)!,
      hash: null,
      nonce: null,
      blockNumber: null,
      blockHash: null,
      succeeded: null,
      gasUsed: null,
    })),
    { otherId: context.newId(), most: maxIssues, alongside },
  )
  if (isKept) return
  throw new AppError('QUOTE_VALIDATION_ERROR', `The quote was already issued ${maxIssues} times`, {
    next: advice`Request a new quote: ${sluice('swap quote', { '--help': true })}`,
  })
}
