import type { ChainClient } from '../src/chain/chain-client.ts'
import type { Hex } from '../src/domain/address.ts'
import type { Journal } from '../src/store/journal/journal-interface.ts'
import type { Attempt } from '../src/store/journal/operation-types.ts'
import type { Broken } from './sim-run.ts'

type Unwritten = { id: string; index: number; attempt: Attempt }

/** A journal that keeps signatures in memory until the node has them. */
function persistAfterSend(journal: Journal): Journal {
  let unwritten: Unwritten[] = []
  const flush = (hash: Hex) => {
    const one = unwritten.find(({ attempt }) => attempt.hash === hash)
    if (!one) return
    unwritten = unwritten.filter((other) => other !== one)
    journal.recordSigned(one.id, one.index, one.attempt)
  }
  return {
    ...journal,
    recordSigned: (id, index, attempt) => {
      unwritten.push({ id, index, attempt: { ...attempt, created: 0, sends: 0, lastAnswer: null } })
    },
    attempts: (id, index) => [
      ...journal.attempts(id, index),
      ...unwritten.filter((one) => one.id === id && one.index === index).map(({ attempt }) => attempt),
    ],
    find: (id) => {
      const operation = journal.find(id)
      return (
        operation && {
          ...operation,
          steps: operation.steps.map((step) =>
            step.state === 'RESERVED' && unwritten.some((one) => one.id === id && one.index === step.index)
              ? { ...step, state: 'SIGNED' as const }
              : step,
          ),
        }
      )
    },
    recordSent: (hash, answer) => {
      flush(hash)
      journal.recordSent(hash, answer)
    },
  }
}

/** A client that keeps the first receipt, and never checks again whether its block is still on the chain. */
function trustFirstReceipt(rpc: ChainClient): ChainClient {
  const receipts = new Map<unknown, unknown>()
  const blocks = new Map<unknown, unknown>()
  return {
    ...rpc,
    request: async <T>(method: string, params: readonly unknown[] = []): Promise<T> => {
      const kept =
        method === 'eth_getTransactionReceipt'
          ? receipts.get(params[0])
          : method === 'eth_getBlockByNumber'
            ? blocks.get(params[0])
            : undefined
      if (kept !== undefined) return kept as T
      const said = await rpc.request<T>(method, params)
      if (method === 'eth_getTransactionReceipt' && said) {
        const { blockNumber, blockHash } = said as unknown as { blockNumber: string; blockHash: string }
        receipts.set(params[0], said)
        blocks.set(blockNumber, { number: blockNumber, hash: blockHash })
      }
      return said
    },
  }
}

/** A journal that treats "nonce too low" as proof of a lost transaction, and has its step signed with another nonce. */
function resignOnNonceLow(journal: Journal): Journal {
  return {
    ...journal,
    recordSent: (hash, answer) => {
      journal.recordSent(hash, answer)
      if (!answer.startsWith('low')) return
      for (const { id, steps, plan } of journal.list({ states: ['EXECUTING'] }))
        for (const { index, leg, role, text, transaction, state } of steps)
          if (state === 'BROADCAST' && journal.attempts(id, index).some((attempt) => attempt.hash === hash)) {
            journal.moveStep(id, index, 'SUPERSEDED', 'the nonce was too low')
            journal.replan(id, leg, { plan, steps: [{ role, text, transaction }], why: 'signed again' })
          }
    },
  }
}

/** Deliberately broken components, by their fault; each is built for a cell. */
export const sabotages: Readonly<Record<string, () => Broken>> = {
  'persist-after-send': () => ({ journal: persistAfterSend }),
  'trust-first-receipt': () => ({ rpc: trustFirstReceipt }),
  'resign-on-nonce-low': () => ({ journal: resignOnNonceLow }),
  'skip-lock': () => ({ lock: () => async () => ({ release: () => undefined }) }),
}
