import { sabotages } from '../../../bench/sim-sabotage.ts'
import { openJournal } from '../../../src/store/journal/journal.ts'
import type { Journal } from '../../../src/store/journal/journal-interface.ts'
import { fileLocks } from '../../../src/transactions/nonces/wallet-lock.ts'
import type { Execution } from '../../../src/transactions/run.ts'
import { type Payments, pay } from './numbered-payments.ts'

/** An operation, and the place where its process is killed; without a place it is killed from outside. */
export type KillOrder = Payments & { point?: string; nth?: number; sabotage?: string }

const killed = Symbol('killed')

/*
 * Executes several operations at once, each with its own journal. An operation that reaches its place stops there for good:
 * it writes, sends and releases nothing more. When all have stopped or ended, the process is killed by SIGKILL.
 */
process.once('message', (orders: KillOrder[]) => {
  const ending = orders.map((order) => untilKilled(order))
  void Promise.all(ending).then(() => process.kill(process.pid, 'SIGKILL'))
  process.send?.('began')
})

function untilKilled(order: KillOrder): Promise<unknown> {
  return new Promise((resolve) => {
    let isDead = false
    let passed = 0
    const broken = order.sabotage === undefined ? {} : sabotages[order.sabotage]!()
    const journal = openJournal(`${order.home}/journal.db`, Date.now)
    const take = fileLocks(`${order.home}/locks`)
    const more: Partial<Execution> = {
      lock: async (...wanted) => {
        const lock = await take(...wanted)
        return lock && { release: () => isDead || lock.release() }
      },
      fault: (at) => {
        if (isDead) throw killed
        if (at !== order.point || ++passed !== order.nth) return
        isDead = true
        resolve('stopped')
        throw killed
      },
    }
    const mortal = new Proxy(broken.journal?.(journal) ?? journal, {
      get: (target, name) =>
        isDead
          ? () => {
              throw killed
            }
          : target[name as keyof Journal],
    })
    pay(mortal, order, more).then(resolve, resolve)
  })
}
