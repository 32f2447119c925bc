import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { keccak256 } from 'viem/utils'
import type { Hex } from '../src/domain/address.ts'
import { AppError, errorRow } from '../src/domain/errors.ts'
import { openJournal } from '../src/store/journal/journal.ts'
import type { Journal } from '../src/store/journal/journal-interface.ts'
import { startChain } from '../test/support/anvil.ts'
import { attemptsOf } from '../test/support/attempts-of.ts'
import { startFaultyRpc } from '../test/support/nodes/faulty-rpc.ts'
import type { KillOrder } from '../test/support/payments/kill-worker.ts'
import {
  addressOf,
  numbered,
  onePayment,
  patientRpc,
  pay,
  planned,
  truth,
} from '../test/support/payments/numbered-payments.ts'
import { bundled } from './bundled.ts'
import type { MatrixCell } from './matrix-data.ts'
import { sabotages } from './sim-sabotage.ts'

/** A cell killed at a point of the matrix, or `ms` after its start. */
export type KillCell = { cell: number } & (MatrixCell | { ms: number; steps: number })

/** The result of a cell: whether it reached its point, and the errors in the outcome. */
export type Killed = { cell: number; told: string; attemptsAtKill: number; wrong: string[] }

const worker = await bundled(join(import.meta.dirname, '../test/support/payments/kill-worker.ts'))

/** A node slows down as its chain grows. */
const cellsPerNode = 1_000
const cellsPerProcess = 10

/** Kills all of these cells, several in each process, four processes at a time, and resumes each to its end. */
export async function killMatrix(
  cells: readonly KillCell[],
  { sabotage, said = () => undefined }: { sabotage?: string | undefined; said?: (killed: Killed) => void },
): Promise<Killed[]> {
  const all: Killed[] = []
  for (let from = 0; from < cells.length; from += cellsPerNode) {
    const chain = await startChain()
    try {
      const left = batches(cells.slice(from, from + cellsPerNode))
      const lane = async (): Promise<void> => {
        for (let batch = left.shift(); batch; batch = left.shift())
          for (const killed of await killBatch(batch, chain, sabotage)) {
            all.push(killed)
            said(killed)
          }
      }
      await Promise.all([lane(), lane(), lane(), lane()])
    } finally {
      await chain.stop()
    }
  }
  return all
}

/** The cells of one process: those killed at a point, or those killed at one time. */
function batches(cells: readonly KillCell[]): KillCell[][] {
  const all: KillCell[][] = []
  const timeOf = (cell: KillCell) => ('ms' in cell ? cell.ms : undefined)
  for (const cell of cells) {
    const last = all.at(-1)
    if (last && last.length < cellsPerProcess && timeOf(last[0]!) === timeOf(cell)) last.push(cell)
    else all.push([cell])
  }
  return all
}

type Chain = Awaited<ReturnType<typeof startChain>>

async function killBatch(
  cells: readonly KillCell[],
  chain: Chain,
  sabotage: string | undefined,
): Promise<Killed[]> {
  const cases = await Promise.all(cells.map((cell) => openCase(cell, chain, sabotage)))
  try {
    const child = fork(worker, { stdio: 'ignore' })
    const ended = once(child, 'exit')
    child.send(cases.map(({ order }) => order))
    await once(child, 'message')
    const ms = cells.flatMap((cell) => ('ms' in cell ? [cell.ms] : [])).at(0)
    // No cell takes longer than this; a hanging process is killed too, and its cells are resumed.
    await Promise.race([ended, sleep(ms ?? 30_000)])
    child.kill('SIGKILL')
    await ended
    return await Promise.all(cases.map((one) => goOn(one, chain, sabotage)))
  } finally {
    for (const { close } of cases) await close()
  }
}

type Case = {
  cell: KillCell
  order: KillOrder
  journal: Journal
  wrong: string[]
  proxies: Awaited<ReturnType<typeof startFaultyRpc>>[]
  close: () => Promise<void>
}

async function openCase(cell: KillCell, chain: Chain, sabotage: string | undefined): Promise<Case> {
  const home = mkdtempSync(join(tmpdir(), 'sluice-kill-'))
  const { key, payee } = numbered(cell.cell)
  const id = `cell-${cell.cell}`
  await chain.rpc.request('anvil_setBalance', [addressOf(key), `0x${(10n ** 20n).toString(16)}`])
  const journal = openJournal(join(home, 'journal.db'), Date.now)
  const wrong: string[] = []
  const indexes = Array.from({ length: cell.steps }, (_, index) => index)
  const beforeSend = (raw: string) => {
    const hash = keccak256(raw as Hex)
    if (!indexes.some((index) => attemptsOf(journal, id, index).some((attempt) => attempt.hash === hash)))
      wrong.push('a transaction was sent that was not in the journal')
  }
  const rulesOf = (during: string) => ('rule' in cell && cell.during === during ? [cell.rule] : [])
  const proxies = await Promise.all(
    ['killed', 'resumed'].map((during) => startFaultyRpc(chain.url, rulesOf(during), beforeSend)),
  )
  const order: KillOrder = {
    id,
    home,
    key,
    payee,
    steps: cell.steps,
    url: proxies[0]!.url,
    ...('point' in cell && { point: cell.point, nth: cell.nth }),
    ...(sabotage !== undefined && { sabotage }),
  }
  planned(journal, order)
  return {
    cell,
    order,
    journal,
    wrong,
    proxies,
    close: async () => {
      await Promise.all(proxies.map((proxy) => proxy.stop()))
      journal.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** Resumes until done, and checks the result at the node. */
async function goOn(
  { cell, order, journal, wrong, proxies }: Case,
  { rpc }: Chain,
  sabotage: string | undefined,
): Promise<Killed> {
  const indexes = Array.from({ length: order.steps }, (_, index) => index)
  const attempts = () =>
    indexes.flatMap((index) => attemptsOf(journal, order.id, index).map(({ raw }) => raw))
  const atKill = attempts()
  const broken = sabotage === undefined ? {} : sabotages[sabotage]!()
  const told =
    'rule' in cell
      ? `${cell.point} ${cell.nth}, ${JSON.stringify(cell.rule)}, ${cell.during}`
      : `${cell.ms} ms`
  let ended: unknown
  // What is wrong already needs no resumption.
  for (let tries = 0; tries < 6 && ended !== 'done' && wrong.length === 0; tries++)
    // A busy machine answers later than a node that is silent on purpose is waited for; a later try has more patience.
    ended = await pay(
      broken.journal?.(journal) ?? journal,
      { ...order, url: proxies[1]!.url },
      { rpc: () => patientRpc(proxies[1]!.url, 2 ** tries) },
    ).then(
      () => 'done',
      (error: unknown) => {
        const exit = error instanceof AppError ? errorRow(error.code).exit : 1
        if (exit < 20 && attempts().length > 0) wrong.push(`it ended with ${exit}, and something is signed`)
        return error
      },
    )
  if (ended !== 'done' && wrong.length === 0) wrong.push(`it never ended well: ${String(ended)}`)
  if (atKill.some((raw) => !attempts().includes(raw))) wrong.push('a signature is gone from the journal')
  const { paid, nonce } = await truth(rpc, order)
  const due = BigInt(order.steps) * onePayment
  if (paid !== due) wrong.push(`${paid} arrived, and ${due} should have`)
  if (nonce !== order.steps) wrong.push(`${nonce} transactions on chain, and ${order.steps} should be`)
  const states = journal.find(order.id)!.steps.map(({ state }) => state)
  if (states.some((state) => state !== 'FINAL_OK')) wrong.push(`its steps are ${states.join(', ')}`)
  return {
    cell: cell.cell,
    told: `${order.steps} payments, killed at ${told}`,
    attemptsAtKill: atKill.length,
    wrong,
  }
}
