import type { Execution } from '../src/transactions/run.ts'
import type { SimTransaction } from '../test/support/simulated/chain.ts'
import { genesisTime } from '../test/support/simulated/node.ts'
import { endOracle, finalOracle, sendOracle, watchedJournal } from './sim-oracles.ts'
import { type Broken, type Ended, type Locks, type Process, startProcess } from './sim-run.ts'
import { newJournal, payeeOf, simulatedWorld, type World } from './sim-world.ts'

/** One cell: its events and its errors. */
export type SimCell = { cell: number; told: string[]; wrong: string[] }

/** The payments of each step of each operation, in wei. */
export const payment = 1_000n

/**
 * Runs one cell: one or two operations of one wallet, run by interrupted processes on a chain with
 * events and a faulty node; then by undisturbed processes to the end. The expected result is read
 * from the simulated chain.
 */
export async function simCell(seed: number, cell: number, broken: Broken = {}): Promise<SimCell> {
  const world = simulatedWorld(seed, cell, broken.mostEndpoints)
  const { random, below, pick } = world
  const counts = random() < 0.2 ? [1 + below(2), 1 + below(2)] : [1 + below(3)]
  const ids = counts.map((_, at) => `op-${at}`)
  for (const [at, count] of counts.entries()) plan(world, ids[at]!, at, count)
  const wrong: string[] = []
  let watched = watchedJournal(world, wrong)
  const locks: Locks = new Map()
  const told = world.told
  // Journals are lost one after the other, and only a pinned nonce connects the runs.
  const isPinned = counts.length === 1 && random() < 0.15
  const pin: Partial<Execution> = isPinned ? { pinnedNonces: { [world.kind.chainId]: 0 } } : {}
  const options = optionsOf(world)
  const asOne = counts.length === 1 && random() < 0.2
  const [faults, slow] = [pick([0, 0.02, 0.08, 0.2]), random() < 0.2]
  const beforeSend = (sent: SimTransaction, by: Process) => sendOracle(world, ids, sent, by, wrong)
  const deadline = deadlineOf(world)

  const runs = async (processes: readonly Process[]): Promise<Ended[]> => {
    const ends: Ended[] = []
    for (const { operation, options } of processes)
      if (options.replacement === 'cancel') world.cancelled.add(operation)
    const parties = processes.map((process) =>
      startProcess({ ...watched, isWild: world.isWild }, locks, process, beforeSend, broken, (end) => {
        ends.push(end)
        told.push(`${Math.round(world.time.now())} ms: ${endOf(end)} after ${Math.round(end.tookMs)} ms`)
        endOracle(world, end, wrong)
      }),
    )
    await world.time.pass(parties)
    return ends
  }
  const wild = (operation: string): Process => ({
    operation,
    timeoutMs: pick([5_000, 30_000, 90_000]),
    faults,
    slow,
    diesAfter: random() < 0.6 ? 1 + below(pick([30, 120])) : Number.POSITIVE_INFINITY,
    interruptedAfter: random() < 0.15 ? below(30_000) : Number.POSITIVE_INFINITY,
    options: { ...(random() < 0.4 ? options : {}), ...pin, ...deadline },
  })
  for (let left = 1 + below(4); left > 0; left--) {
    await runs([...ids, ...(asOne ? ids : [])].filter(() => random() < 0.9).map(wild))
    if (!isPinned || random() < 0.4) continue
    told.push('the journal is lost')
    world.journal = newJournal(world)
    world.lost++
    plan(world, ids[0]!, 0, counts[0]!)
    watched = watchedJournal(world, wrong)
  }

  world.isWild = false
  world.chain.weather.baseFee = 10n ** 9n
  world.chain.weather.fails = false
  const calm = (operation: string): Process => ({
    operation,
    timeoutMs: 300_000,
    faults: 0,
    slow: false,
    diesAfter: Number.POSITIVE_INFINITY,
    interruptedAfter: Number.POSITIVE_INFINITY,
    // A reverted transaction that a reorganisation removed is not sent again: the hint says to cancel it.
    options: {
      queueBehind: true,
      ...pin,
      ...(hasEndedWithoutEffect(operation) && { replacement: 'cancel' as const }),
    },
  })
  const hasEndedWithoutEffect = (operation: string) =>
    world.journal
      .find(operation)!
      .steps.some(({ state, endedBefore }) => state === 'BROADCAST' && endedBefore)
  let left = ids
  for (let round = 0; round < 8 && left.length > 0; round++) {
    // Sequentially, as a user would: an operation that waits behind the nonce of another one would lock the wallet against it.
    const ends: Ended[] = []
    for (const operation of left) ends.push(...(await runs([calm(operation)])))
    // If a foreign transaction or one of a lost journal uses the pinned nonce, the planned transaction is never signed.
    const over = [0, 22, 23, 24, ...(isPinned && world.foreign + world.lost > 0 ? [21] : [])]
    left = ends.filter(({ exit }) => !over.includes(exit ?? -1)).map(({ operation }) => operation)
    if (left.length > 0) await rest(world, 20_000)
  }
  if (left.length > 0) wrong.push(`${left.join(', ')} did not end in peace and quiet`)
  finalOracle(world, ids, wrong)
  world.journal.close()
  return { cell, told, wrong: [...new Set(wrong)] }
}

/** Lets time pass without any process. */
async function rest({ time }: World, ms: number): Promise<void> {
  const nobody = { waiting: 0, isOver: false, isDead: false }
  void time.wait(nobody, ms).then(() => {
    nobody.isOver = true
  })
  await time.pass([nobody])
}

const endOf = ({ operation, exit, code, strange }: Ended): string =>
  `${operation} ${strange ? String(strange) : exit === undefined ? 'dies' : `ends with ${exit} ${code ?? ''}`}`

function plan({ journal, signer, kind: { chainId } }: World, id: string, at: number, count: number): void {
  const steps = Array.from({ length: count }, (_, step) => ({
    role: 'action',
    text: 'Pay',
    transaction: { to: payeeOf(at, step), data: '0x01' as const, value: payment, chainId },
  }))
  journal.insert({
    id,
    idemKey: `key-${id}`,
    request: { pay: id },
    kind: 'transfer',
    wallet: signer.address,
    legs: [{ chainId, steps }],
  })
}

/** A deadline of the actions, in some cells with two endpoints: one alone may say that it has passed. */
function deadlineOf({ endpoints, oddly }: World): Partial<Execution> {
  if (endpoints.length === 1 || oddly() < 0.4) return {}
  const deadline = genesisTime + 30 + Math.floor(oddly() * 200)
  return { deadlineOf: () => deadline }
}

/** The options of the user in some of the runs. */
function optionsOf({ random, pick }: World): Partial<Execution> {
  return {
    ...(random() < 0.2 && { pipeline: true, beforeLeg: async (_, steps) => steps.map(() => 50_000n) }),
    ...(random() < 0.2 && { noWait: true }),
    ...(random() < 0.3 && { replacement: pick(['bump', 'cancel'] as const) }),
    ...(random() < 0.3 && { bumpDelay: { blocks: 1, ms: 5_000 } }),
    ...(random() < 0.2 && { maxFeePerGas: 4n * 10n ** 9n }),
    ...(random() < 0.3 && { queueBehind: true }),
  }
}
