import { privateKeyToAccount } from 'viem/accounts'
import type { ChainClient } from '../../../src/chain/chain-client.ts'
import type { Address } from '../../../src/domain/address.ts'
import { AppError, errorRow } from '../../../src/domain/errors.ts'
import { openJournal } from '../../../src/store/journal/journal.ts'
import { executeOperation } from '../../../src/transactions/execution/execute-operation.ts'
import type { Execution } from '../../../src/transactions/run.ts'
import { testKey } from '../anvil.ts'
import { attemptsOf } from '../attempts-of.ts'
import { type SimTransaction, simulatedChain } from './chain.ts'
import { simulatedFailover } from './failover.ts'
import { genesisTime, type NodeKind } from './node.ts'
import { simulatedRpc } from './rpc.ts'
import { type Party, simulatedTime } from './time.ts'
import { inVirtualTime } from './timers.ts'
import { laggingView } from './views.ts'

const account = privateKeyToAccount(testKey)

/** The wallet of a rehearsal. */
export const wallet: Address = account.address

/** The payee of a step: no other step pays it. */
export const payeeOf = (step: number): Address => `0x5a5a${'0'.repeat(35)}${step}`

/** One call of a process to a host, `nth` of its method there, at a virtual time. */
export type Call = { method: string; params: readonly unknown[]; host: string; nth: number; at: number }

/** Answers in place of a node; `undefined` leaves the answer to it. */
export type Instead = (call: Call, ask: () => Promise<unknown>) => unknown

/** The end of a run: the exit code and error code of its command, and how long it took in virtual ms. */
export type End = { exit: number; code?: string; message?: string; tookMs: number }

type Setting = {
  hosts?: readonly string[]
  /** How many blocks each host is behind. */
  lags?: readonly number[]
  depth?: number
  /** The time between two blocks in ms; 0 for none. */
  everyMs?: number
  kind?: Partial<NodeKind>
}

/** A chain, a journal and a clock that stand still until a run needs them: no test of it waits. */
export function rehearsal({
  hosts = ['node.example'],
  lags = [],
  depth = 1,
  everyMs = 2_000,
  kind,
}: Setting = {}) {
  const time = simulatedTime()
  const chain = simulatedChain()
  const state = { everyMs, wallShift: 0, instead: undefined as Instead | undefined }
  const wall = () => 1_000 * genesisTime + state.wallShift + Math.floor(time.now())
  const journal = openJournal(':memory:', wall)
  const native = { symbol: 'ETH', decimals: 18 }
  const sent: SimTransaction[] = []
  const calls: Call[] = []
  const nodeKind = {
    ...{ chainId: 31337, finalizedLag: null, knowsOwners: true, sendsSync: false, lacksPending: false },
    payees: '0x5a5a',
    ...kind,
  }
  for (let made = 0; made < 10; made++) chain.mine(0)
  const makeBlocks = () => {
    if (state.everyMs > 0) chain.mine(time.now())
    time.at(time.now() + (state.everyMs || 1_000), makeBlocks)
  }
  time.at(everyMs || 1_000, makeBlocks)
  const connect = (host: string, lag: number, party: Party): ChainClient => {
    const rpc = simulatedRpc({
      ...{ time, chain, kind: nodeKind, host, party },
      view: () => laggingView(chain, lag),
      fate: () => undefined,
      latency: () => 5,
      beforeSend: (one) => sent.push(one),
      onCall: () => undefined,
    })
    const request = async (method: string, params: readonly unknown[] = []) => {
      const nth = calls.filter((one) => one.host === host && one.method === method).length + 1
      const call = { method, params, host, nth, at: time.now() }
      calls.push(call)
      const said = await state.instead?.(call, () => rpc.request(method, params))
      return said === undefined ? rpc.request(method, params) : said
    }
    return {
      host,
      peers: [],
      request: async <T>(method: string, params?: readonly unknown[]) => (await request(method, params)) as T,
      batch: async (all) => {
        const said = []
        for (const [method, params] of all) said.push(await request(method, params))
        return said
      },
    }
  }
  const newParty = (): Party => ({ waiting: 0, isOver: false, isDead: false })

  /** Runs an operation to the end of the run, in virtual time. */
  const run = async (
    operationId: string,
    more: Partial<Execution> = {},
    party = newParty(),
  ): Promise<End> => {
    const began = time.now()
    const rpc = simulatedFailover(hosts.map((host, at) => connect(host, lags[at] ?? 0, party)))
    const execution: Execution = {
      ...{ journal, operationId, signer: account, timeoutMs: 60_000, rpc: () => rpc },
      networks: [
        { name: 'simulated', chainId: nodeKind.chainId, native, depth, testnet: true, explorer: null },
      ],
      lock: async () => ({ release: () => undefined }),
      clock: time.clockOf(party, wall),
      ...more,
    }
    const ending = inVirtualTime(time, party, () => executeOperation(execution)).then(
      () => ({ exit: 0 }),
      (error: unknown) => {
        if (!(error instanceof AppError)) throw error
        return { exit: errorRow(error.code).exit, code: error.code, message: error.message }
      },
    )
    const over = ending.finally(() => {
      party.isOver = true
    })
    over.catch(() => undefined)
    await time.pass([party])
    return { ...(await over), tookMs: time.now() - began }
  }

  /** Stores an operation whose steps pay 1,000 wei each, with these roles. */
  const plan = (id: string, roles: readonly string[] = ['action']) =>
    journal.insert({
      ...{ id, idemKey: `key-of-${id}`, request: { pay: id }, kind: 'transfer', wallet },
      legs: [
        {
          chainId: nodeKind.chainId,
          steps: roles.map((role, step) => ({
            role,
            text: 'Pay',
            transaction: {
              ...{ to: payeeOf(step), data: '0x01', value: 1_000n },
              chainId: nodeKind.chainId,
            },
          })),
        },
      ],
    })

  /** Another program with the same key. */
  const stranger = (nonce: number, gwei = 100): SimTransaction => {
    const fee = BigInt(gwei * 1_000) * 10n ** 6n
    const one = {
      ...{ hash: `0x${'f0'.repeat(31)}${nonce.toString(16).padStart(2, '0')}` as const, from: wallet },
      ...{ to: `0x${'99'.repeat(20)}` as const, data: '0x' as const, value: 1n, nonce, gas: 21_000n },
      ...{ maxFeePerGas: fee, maxPriorityFeePerGas: fee },
    }
    chain.receive(one)
    return one
  }
  const stepOf = (id: string, index = 0) => journal.find(id)!.steps[index]!
  const paid = (step = 0) => chain.blocks.at(-1)!.paid.get(payeeOf(step)) ?? 0n
  return {
    ...{ time, chain, journal, sent, calls, state, account, newParty, run, plan, stranger, stepOf, paid },
    /** Lets virtual time pass for a party. */
    rest: async (ms: number) => {
      const nobody = newParty()
      void time.wait(nobody, ms).then(() => {
        nobody.isOver = true
      })
      await time.pass([nobody])
    },
  }
}

type Rehearsal = ReturnType<typeof rehearsal>

/** An operation `pay` that is sent and waits, on a chain that makes no blocks. */
export async function waitingRehearsal(setting: Setting = {}, roles = ['action']): Promise<Rehearsal> {
  const world = rehearsal({ everyMs: 0, ...setting })
  world.plan('pay', roles)
  const beforeLeg = async () => roles.map(() => 50_000n)
  for (const _ of roles) await world.run('pay', { noWait: true, pipeline: true, beforeLeg })
  return world
}

/** The kinds of the attempts of a step of `pay`, the oldest first. */
export const kindsOf = ({ journal }: Rehearsal, step = 0) =>
  attemptsOf(journal, 'pay', step).map(({ kind }) => kind)

/** The kinds of what was sent for a step of `pay`, in order. */
export const sentKindsOf = ({ journal, sent }: Rehearsal, step = 0) =>
  sent
    .flatMap(({ hash }) => attemptsOf(journal, 'pay', step).filter((one) => one.hash === hash))
    .map(({ kind }) => kind)
