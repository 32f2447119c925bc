import type { Address } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { Transaction } from '../../domain/transaction.ts'
import type { ActionRow, ActionTxRow } from '../../store/engine/migrations.ts'
import { type EngineContext, isChainInScope } from '../context.ts'
import { readWalletProgress } from './wallet-blocks.ts'

/** A tracked operation with its transactions. */
export type Tracked = { action: ActionRow; txs: ActionTxRow[] }

/** An operation of this customer, if its networks are still to be seen. */
export async function findOperation(context: EngineContext, id: string): Promise<Tracked | undefined> {
  const found = await context.store.action(context.customer, id)
  return found?.txs.every(({ chainId }) => isChainInScope(context, chainId)) ? found : undefined
}

/** Whether an operation is a swap: then it is one of the ways in which its quote was handed out. */
export const isSwap = ({ type }: Pick<ActionRow, 'type'>): boolean => type.endsWith('_SWAP')

/** What an operation was handed out as, oldest first: itself, and for a swap every other way in which its quote was. */
export async function issuedVersions({ store, customer }: EngineContext, found: Tracked): Promise<Tracked[]> {
  const { action } = found
  if (!isSwap(action) || action.quoteId === null) return [found]
  return (await store.issuedOperations(customer, action.quoteId)).filter((way) => isSwap(way.action))
}

/** What is to be tracked. `kinds` says what each transaction is for. */
type NewOperation = Pick<ActionRow, 'id' | 'type' | 'strategyId' | 'strategySlug' | 'quoteId'> & {
  wallet: Address
  receiver: Address
  amounts: unknown
  transactions: readonly Transaction[]
  kinds: readonly string[]
}

/** In how many ways one quote may be handed out: each is looked for on chain for as long as none of them was carried out. */
const maxVersions = 8

/**
 * Remembers an operation whose bytecode was just made, with where its search on each chain begins. A quote may be handed out again, to
 * others or with other approvals: what was handed out before is looked for all the same.
 */
export async function trackOperation(
  context: EngineContext,
  { transactions, kinds, amounts, ...about }: NewOperation,
): Promise<void> {
  const starts = new Map<number, { fromBlock: number; fromNonce: number }>()
  for (const chainId of new Set(transactions.map((tx) => tx.chainId))) {
    const { count, head } = await readWalletProgress(context.chain(chainId), about.wallet)
    starts.set(chainId, { fromBlock: head, fromNonce: count })
  }
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
    { otherId: context.newId(), most: maxVersions },
  )
  if (isKept) return
  throw new AppError('QUOTE_VALIDATION_ERROR', `The quote was handed out in ${maxVersions} ways already`, {
    hint: 'Ask for a new quote: sluice swap quote --help',
  })
}
