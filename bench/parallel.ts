import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openJournal } from '../src/store/journal/journal.ts'
import type { Chain } from '../test/support/anvil.ts'
import { attemptsOf } from '../test/support/attempts-of.ts'
import {
  addressOf,
  numbered,
  onePayment,
  type Payments,
  pay,
  planned,
  truth,
} from '../test/support/payments/numbered-payments.ts'
import { bundled } from './bundled.ts'
import { seeded } from './seeded.ts'

/** One cell: processes started at almost the same time, on one operation, or on one operation each with the same wallet. */
export type ParallelCell = { cell: number; processes: number; isOne: boolean; steps: number; kills: boolean }

/** The result of a cell. */
export type InParallel = { cell: number; told: string; wrong: string[] }

/** The cells of a seed: from the third on, one of the processes is killed by SIGKILL while they run. */
export function parallelCell(seed: number, cell: number): ParallelCell {
  const random = seeded(seed * 1_000_003 + cell)
  const steps = 1 + Math.floor(random() * 2)
  return { cell, processes: 8, isOne: cell % 2 === 0, steps, kills: cell % 4 >= 2 }
}

const script = await bundled(join(import.meta.dirname, '../test/support/payments/pay-process.ts'))

/** Runs a cell on a node, and resumes operations of a killed process. */
export async function inParallel(
  { cell, processes, isOne, steps, kills }: ParallelCell,
  seed: number,
  { url, rpc }: Chain,
  sabotage?: string,
): Promise<InParallel> {
  const random = seeded(seed * 1_000_003 + cell + 1)
  const home = mkdtempSync(join(tmpdir(), 'sluice-parallel-'))
  const journal = openJournal(join(home, 'journal.db'), Date.now)
  const { key } = numbered(cell * 10)
  const wrong: string[] = []
  try {
    await rpc.request('anvil_setBalance', [addressOf(key), `0x${(10n ** 20n).toString(16)}`])
    const operations = Array.from({ length: isOne ? 1 : processes }, (_, at): Payments => {
      const { payee } = numbered(cell * 10 + at)
      return { id: `cell-${cell}-${at}`, home, url, key, payee, steps }
    })
    for (const operation of operations) planned(journal, operation)
    const victim = kills ? Math.floor(random() * processes) : -1
    const waits = Array.from({ length: processes }, () => random() * 200)
    const killedAfter = 100 + random() * 900
    const exits = await Promise.all(
      waits.map(async (ms, at) => {
        await sleep(ms)
        const operation = operations[at % operations.length]!
        return exitOf(operation, sabotage, at === victim ? killedAfter : undefined)
      }),
    )
    // A process killed between signature and node blocks the others until its operation is resumed.
    const fine = kills ? [0, 10, 20, 'SIGKILL'] : [0]
    if (exits.some((exit) => !fine.includes(exit))) wrong.push(`they ended with ${exits.join(', ')}`)
    for (let round = 0; round < 4; round++)
      for (const operation of operations)
        if (journal.find(operation.id)!.state !== 'DONE')
          await pay(journal, operation, { timeoutMs: 5_000 }).catch(() => undefined)

    for (const operation of operations) {
      const { paid } = await truth(rpc, operation)
      const due = BigInt(steps) * onePayment
      if (paid !== due) wrong.push(`${operation.id}: ${paid} arrived, and ${due} should have`)
    }
    const { nonce } = await truth(rpc, operations[0]!)
    const all = operations.flatMap(({ id }) => journal.find(id)!.steps)
    if (nonce !== all.length) wrong.push(`${nonce} transactions, and ${all.length} should be`)
    const nonces = all.map((step) => step.nonce!).toSorted((a, b) => a - b)
    if (nonces.some((one, at) => one !== at)) wrong.push(`the nonces are ${nonces.join(', ')}`)
    const attempts = operations.flatMap(({ id }) =>
      Array.from({ length: steps }, (_, index) => attemptsOf(journal, id, index).length),
    )
    if (attempts.some((count) => count !== 1)) wrong.push(`${attempts.join(', ')} signatures for the steps`)
    const told = `${processes} processes, ${isOne ? 'one operation' : 'an operation each'} of ${steps}, ended with ${exits.join(', ')}`
    return { cell, told, wrong }
  } finally {
    journal.close()
    rmSync(home, { recursive: true, force: true })
  }
}

function exitOf(
  operation: Payments,
  sabotage: string | undefined,
  killedAfter: number | undefined,
): Promise<number | NodeJS.Signals> {
  const child = spawn(process.execPath, [script, JSON.stringify(operation), sabotage ?? ''], {
    stdio: 'ignore',
  })
  const timer = killedAfter === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killedAfter)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      clearTimeout(timer)
      resolve(code ?? signal!)
    })
  })
}
