import type { Address } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { quantity } from '../../net/quantity.ts'
import type { Rpc } from '../../net/rpc.ts'
import type { Journal } from '../../store/journal-words.ts'

/** How many transactions of a wallet are in blocks, and how many with those that wait. */
export type Counts = { latest: number; pending: number }

/** Whose transactions are counted, and where. */
type Question = { journal: Journal; rpc: Rpc; chainId: number; wallet: Address }

/** What a node counts. Where it does not speak of what waits, that is what this journal has sent, one after the other. */
export async function countsOf({ journal, rpc, chainId, wallet }: Question): Promise<Counts> {
  const ask = (tag: string) => ['eth_getTransactionCount', [wallet, tag]] as const
  const read = (answer: unknown, what: string) => Number(quantity(answer, what))
  try {
    const [latest, pending] = await rpc.batch([ask('latest'), ask('pending')])
    return { latest: read(latest, 'the nonce'), pending: read(pending, 'the pending nonce') }
  } catch (error) {
    if (!(error instanceof AppError && (error.code === 'RPC_ERROR' || error.code === 'RPC_INCONSISTENT')))
      throw error
  }
  const latest = read(await rpc.request(...ask('latest')), 'the nonce')
  let pending = latest
  while (isSent(journal, journal.holderOf(chainId, wallet, pending))) pending++
  return { latest, pending }
}

function isSent(journal: Journal, holder: ReturnType<Journal['holderOf']>): boolean {
  const step = holder && journal.find(holder.operation)?.steps.find(({ index }) => index === holder.index)
  return step !== undefined && !['PLANNED', 'RESERVED', 'SIGNED'].includes(step.state)
}
