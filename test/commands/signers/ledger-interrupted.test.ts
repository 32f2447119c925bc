import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { ChainClient } from '../../../src/chain/chain-client.ts'
import type { Hex } from '../../../src/domain/address.ts'
import { sandboxAddress, sandboxKey } from '../../../src/sandbox/accounts.ts'
import { allProcesses, type ProcessFacts } from '../../../src/sandbox/node-processes.ts'
import { type EmulatedLedger, startLedger } from '../../support/keys/ledger-emulator.ts'
import { startSigner } from '../../support/services/external-signer.ts'
import {
  attemptsIn,
  type ProgramHome,
  programHome,
  spawnSluice,
  startSluice,
} from '../../support/spawn-program.ts'

const owner = sandboxAddress(2)
const deposit = 'deposit aave-v3-usdc-sandbox-one --amount 5 --yes --json --ledger --idempotency-key'.split(
  ' ',
)
let at: ProgramHome
let rpc: ChainClient
let ledger: EmulatedLedger
let env: Record<string, string>

beforeAll(async () => {
  at = programHome(inject('sandboxCache'))
  await spawnSluice(at.home, ['sandbox', 'up', '--json'])
  rpc = await at.rpc(31337)
  ledger = await startLedger(sandboxKey(2), { person: 'says nothing' })
  env = { SLUICE_LEDGER_SPECULOS: ledger.url }
})
afterAll(async () => {
  await ledger.stop()
  await at.end()
})

const childrenOf = (pid: number): ProcessFacts[] => {
  if (process.platform !== 'linux') return []
  const pids = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter(Boolean)
    .map(Number)
  return allProcesses().filter((one) => pids.includes(one.pid))
}
const isThere = ({ pid, startedAt }: ProcessFacts) =>
  allProcesses().some((one) => one.pid === pid && one.startedAt === startedAt)
const nonce = async () => Number(await rpc.request<Hex>('eth_getTransactionCount', [owner, 'pending']))

test('an external signer named only by SLUICE_SIGNER_URL signs, and its URL is not printed', async () => {
  const signer = await startSigner([sandboxKey(3)])
  const hidden = `${signer.url}/hidden-token-41`
  const to = '--to 0x7777777777777777777777777777777777777777 --amount 1'
  const line = `transfer --network sandbox-one --token USDC ${to} --yes --json --debug`
  const { exit, out, err } = await spawnSluice(at.home, line.split(' '), {
    env: { SLUICE_SIGNER_URL: hidden },
  })
  await signer.close()
  expect([exit, JSON.parse(out).originAddress]).toEqual([0, sandboxAddress(3)])
  expect(out + err).not.toContain('hidden-token-41')
})

test.each(['SIGKILL', 'SIGINT'] as const)(
  '%s while the Ledger waits for confirmation signs nothing, and resume completes the operation',
  async (signal) => {
    const [before, attempts] = [await nonce(), attemptsIn(at.data)]
    ledger.set({ person: 'says nothing' })
    const shown = ledger.shown.length
    const running = startSluice(at.home, [...deposit, `waits-${signal}`], { env })
    await running.says('Confirm on the Ledger')
    await ledger.shows(shown + 1)
    const children = childrenOf(running.pid)
    expect(children.length > 0).toBe(process.platform === 'linux')
    running.child.kill(signal)
    const { exit, out } = await running.ended
    expect(exit).toBe(signal === 'SIGINT' ? 130 : signal)
    if (signal === 'SIGINT') expect(JSON.parse(out).error.code).toBe('INTERRUPTED')
    expect([await nonce(), attemptsIn(at.data)]).toEqual([before, attempts])
    // The signer process that spoke to the device ends, too.
    for (const child of children) while (isThere(child)) await sleep(20)

    ledger.set({ person: 'confirms' })
    const resumed = await spawnSluice(
      at.home,
      ['action', 'resume', `waits-${signal}`, '--json', '--ledger'],
      {
        env,
      },
    )
    expect(resumed.exit).toBe(0)
    expect(JSON.parse(resumed.out)).toMatchObject({ originAddress: owner, status: 'SUCCESS' })
    expect(await nonce()).toBeGreaterThan(before)
  },
)
