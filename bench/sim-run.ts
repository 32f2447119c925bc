import type { ChainClient } from '../src/chain/chain-client.ts'
import { AppError, errorRow } from '../src/domain/errors.ts'
import type { Journal } from '../src/store/journal/journal-interface.ts'
import { executeOperation } from '../src/transactions/execution/execute-operation.ts'
import type { TakeLock } from '../src/transactions/nonces/wallet-lock.ts'
import type { Execution } from '../src/transactions/run.ts'
import type { SimTransaction } from '../test/support/simulated/chain.ts'
import { simulatedFailover } from '../test/support/simulated/failover.ts'
import { type CallFault, callFaults, simulatedRpc } from '../test/support/simulated/rpc.ts'
import type { Party } from '../test/support/simulated/time.ts'
import { inVirtualTime } from '../test/support/simulated/timers.ts'
import type { SimEndpoint } from './sim-endpoints.ts'
import type { World } from './sim-world.ts'

/** The broken components of a sabotage, which replace parts of a run. */
export type Broken = {
  journal?: (journal: Journal) => Journal
  rpc?: (rpc: ChainClient) => ChainClient
  lock?: (lock: TakeLock) => TakeLock
  /** Reads nothing before it is needed; this is no sabotage. */
  readsAhead?: false
  /** Another number of endpoints than the cell has; this is no sabotage either. */
  mostEndpoints?: 1
}

/** The conditions of one process: its timeout, its faults, and the number of calls and writes before it dies. */
export type Process = {
  operation: string
  timeoutMs: number
  faults: number
  slow: boolean
  diesAfter: number
  interruptedAfter: number
  options: Partial<Execution>
}

/** The end of a process; `exit` is missing if it died, and `strange` is an unexpected error. */
export type Ended = Process & { exit?: number; code?: string; strange?: unknown; tookMs: number }

/** The holder of each lock. */
export type Locks = Map<string, Party>

const killed = Symbol('killed')

/** A process in the simulation, and its end. */
export function startProcess(
  world: World,
  locks: Locks,
  process: Process,
  beforeSend: (sent: SimTransaction, by: Process) => void,
  broken: Broken,
  ended: (end: Ended) => void,
): Party {
  const { time, chain, random } = world
  const party: Party = { waiting: 0, isOver: false, isDead: false }
  const began = time.now()
  const end = (how: Partial<Ended>) => {
    for (const [name, holder] of locks) if (holder === party) locks.delete(name)
    ended({ ...process, ...how, tookMs: time.now() - began })
  }
  let steps = 0
  const mayDie = () => {
    if (party.isDead) throw killed
    if (++steps !== process.diesAfter || !world.isWild) return
    party.isDead = true
    end({})
    throw killed
  }
  const person = new AbortController()
  if (Number.isFinite(process.interruptedAfter))
    time.at(began + process.interruptedAfter, () => person.abort())

  const connect = ({ kind, host, view, isSilent, isNeeded }: SimEndpoint): ChainClient =>
    simulatedRpc({
      time,
      chain,
      view,
      kind,
      host,
      party,
      beforeSend: (sent) => beforeSend(sent, process),
      onCall: mayDie,
      latency: () => 1 + random() * (process.slow && world.isWild && !isNeeded() ? 2_000 : 40),
      fate: (method) => {
        if (isSilent()) return 'lost'
        const isSend = method === 'eth_sendRawTransaction'
        if (!world.isWild || (isNeeded() && !isSend)) return undefined
        // Sends are the most important calls.
        const chance = isSend ? 2 * process.faults : process.faults
        return random() < chance ? fate(world, process.slow) : undefined
      },
    })
  const rpc = simulatedFailover(world.endpoints.map(connect))
  const lock: TakeLock = async (chainId, wallet, waitMs, signal) => {
    const name = `${chainId}-${wallet}`
    const until = time.now() + waitMs
    while (locks.has(name)) {
      if (time.now() >= until) return undefined
      await time.wait(party, 100, signal)
    }
    locks.set(name, party)
    return { release: () => locks.get(name) === party && locks.delete(name) }
  }
  const mine = broken.rpc?.(rpc) ?? rpc
  const execution: Execution = {
    journal: mortal(broken.journal?.(world.journal) ?? world.journal, mayDie),
    operationId: process.operation,
    signer: world.signer,
    rpc: () => mine,
    networks: [world.network],
    lock: broken.lock?.(lock) ?? lock,
    clock: time.clockOf(party, world.wall),
    timeoutMs: process.timeoutMs,
    signal: person.signal,
    fault: mayDie,
    ...process.options,
    ...(broken.readsAhead === false && { readsAhead: false }),
  }
  inVirtualTime(time, party, () => executeOperation(execution))
    .then(
      () => ({ exit: 0 }),
      (error: unknown) =>
        error instanceof AppError
          ? { exit: errorRow(error.code).exit, code: error.code }
          : { strange: error },
    )
    .then((how) => {
      if (party.isDead) return
      party.isOver = true
      end(how)
    })
  return party
}

const fate = ({ pick }: World, slow: boolean): CallFault => {
  const fault = pick(callFaults)
  return (fault === 'slow' || fault === 'hangs') && !slow ? 'lost' : fault
}

/** The journal of a process that may die before and after every call; committed writes stay. */
function mortal(journal: Journal, mayDie: () => void): Journal {
  return new Proxy(journal, {
    get: (target, name) => {
      const call = target[name as keyof Journal] as (...args: unknown[]) => unknown
      return (...args: unknown[]) => {
        mayDie()
        const result = call(...args)
        if (name !== 'find' && name !== 'attempts') mayDie()
        return result
      }
    },
  })
}
