import { describe, expect, it } from 'vitest'
import { directories } from '../../../src/app/profiles/directories.ts'
import { fileSettings } from '../../../src/app/profiles/settings-files.ts'
import { findConcernedOperations } from '../../../src/app/signing/operations-of-command-line.ts'
import type { ChainClient } from '../../../src/chain/chain-client.ts'
import { systemClock } from '../../../src/chain/rpc/clock.ts'
import { httpRpc } from '../../../src/chain/rpc/failover.ts'
import { toldError } from '../../../src/cli/classify-failure.ts'
import type { CommandContext } from '../../../src/cli/program-context-types.ts'
import { type CommandLine, readCommandLine } from '../../../src/domain/command-line/read-command-line.ts'
import { errorRow } from '../../../src/domain/errors.ts'
import type { Journal } from '../../../src/store/journal/journal-interface.ts'
import { fileLocks } from '../../../src/transactions/nonces/wallet-lock.ts'
import type { Execution } from '../../../src/transactions/run.ts'
import { attemptsOf } from '../../support/attempts-of.ts'
import { noKeychain } from '../../support/keys/test-keychain.ts'
import { oneCoin, planPayments, run, signer } from '../../support/payments/payment-operation.ts'
import { paidOn, usePlace } from '../../support/use-journal-and-chain.ts'

// After any error at any call, the exit code says truly whether something was signed, and the payment is made once.

const place = usePlace()

/** An error that is not one of the program's own. */
const torn = new TypeError('torn')

/** Execution whose dependencies throw at the `at`-th call; `calls` counts the calls. */
function tearing(at: number) {
  const count = { calls: 0 }
  const step = () => {
    if (++count.calls === at) throw torn
  }
  const wrapped =
    <A extends unknown[], R>(work: (...args: A) => R) =>
    (...args: A): R => {
      step()
      return work(...args)
    }
  const rpcOf = (rpc: ChainClient): ChainClient => ({
    get host() {
      return rpc.host
    },
    peers: [],
    request: (method, params) => {
      step()
      return rpc.request(method, params)
    },
    batch: wrapped(rpc.batch),
  })
  const journal = Object.fromEntries(
    Object.entries(place.journal).map(([name, work]) => [
      name,
      wrapped(work as (...args: unknown[]) => unknown),
    ]),
  ) as Journal
  const execution: Partial<Execution> = {
    journal,
    signer: { address: signer.address, signTransaction: wrapped(signer.signTransaction) },
    rpc: () => rpcOf(httpRpc(place.chain.url, { deadlineMs: 2_000, retries: 0 })),
    lock: wrapped(fileLocks(`${place.home}/locks`)),
    clock: { ...systemClock, sleep: wrapped(systemClock.sleep) },
    approve: wrapped(async () => undefined),
    beforeLeg: wrapped(async () => undefined),
    feeCap: wrapped(() => null),
    readResult: wrapped(async () => null),
    onProgress: wrapped(() => undefined),
    timeoutMs: 3_000,
  }
  return { count, execution }
}

/** The exit code of a failed `action resume ID`, determined from the files of this home alone. */
async function exitOf(error: unknown, id: string): Promise<number> {
  const env = { SLUICE_HOME: place.home, SLUICE_RPC_BASE: 'http://127.0.0.1:1' }
  const dirs = { ...directories(env), data: place.home }
  const needs = { dirs, env, settings: fileSettings(dirs, noKeychain), now: Date.now }
  const world = {
    concernedOperations: (line: CommandLine) => findConcernedOperations(line, [], needs),
  } as CommandContext
  const { code } = await toldError(error, readCommandLine(['action', 'resume', id]), world)
  return errorRow(code).exit
}

const attempts = (id: string) =>
  place.journal.find(id)!.steps.flatMap(({ index }) => attemptsOf(place.journal, id, index)).length

describe('an execution that fails at any of its calls', () => {
  // With two payments every fifth call is enough: the single payment covers every call.
  it.each([
    [1, 1],
    [2, 5],
  ])(
    'exits below 20 only if nothing was signed, and pays once after a resume (%i payments)',
    async (count, every) => {
      const clean = tearing(0)
      planPayments(place.journal, 'clean', count)
      await run(place.journal, place.home, place.chain.url, 'clean', clean.execution)
      const { calls } = clean.count
      expect(calls).toBeGreaterThan(60)
      const wrong: unknown[] = []
      for (let at = 1; at <= calls; at += every) {
        const id = `torn-${at}`
        planPayments(place.journal, id, count)
        const before = await paidOn(place.chain)
        const { execution } = tearing(at)
        const end = await run(place.journal, place.home, place.chain.url, id, execution).catch(
          (error: unknown) => ({
            error,
          }),
        )
        const exit = 'error' in end ? await exitOf(end.error, id) : 0
        const isTold = exit === 0 || exit >= 20 === attempts(id) > 0
        const again = await run(place.journal, place.home, place.chain.url, id).catch((error: unknown) => ({
          error,
        }))
        const paid = (await paidOn(place.chain)) - before
        if (!isTold || 'error' in again || paid !== BigInt(count) * oneCoin)
          wrong.push({ at, exit, attempts: attempts(id), end, again, paid })
      }
      expect(wrong).toEqual([])
    },
  )

  it('is reported as JOURNAL_UNREADABLE when the journal cannot say whether anything is signed', async () => {
    const world = { concernedOperations: () => Promise.reject(torn) } as unknown as CommandContext
    expect(await toldError(torn, readCommandLine(['action', 'resume', 'one']), world)).toMatchObject({
      code: 'JOURNAL_UNREADABLE',
    })
  })
})
