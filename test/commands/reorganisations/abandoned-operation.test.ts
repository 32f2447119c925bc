import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { openJournal } from '../../../src/store/journal/journal.ts'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, home, attempts, signsNothing } = useCommands(sandbox)
const friend = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const rpc = () => sandbox.chain(31337).rpc
const count = async () =>
  Number(await rpc().request('eth_getTransactionCount', [sandbox.user.address, 'latest']))
const pay = (key: string, more = '') =>
  run(
    `transfer --network sandbox-one --token USDC --to ${friend} --amount 1 --yes --json --trust-first-use --idempotency-key ${key} ${more}`,
  )
const stepOf = (id: string) => {
  const journal = openJournal(join(home(), 'data', 'sandbox', 'journal.db'), Date.now)
  const { state, steps } = journal.find(id)!
  journal.close()
  return { state, step: steps[0]!.state }
}

/** Abandons a deposit whose approval is final, then removes the approval by a reorganisation; returns the ID. */
const takenAway = async (key: string) => {
  const before = await count()
  const begun = await run(
    `deposit aave-v3-usdc-sandbox-one --amount 3 --yes --json --no-wait --idempotency-key ${key}`,
  )
  expect(begun).toMatchObject({ exit: 20 })
  const id = begun.json.error.details.id as string
  await expect.poll(count, { timeout: 10_000 }).toBeGreaterThan(before)
  expect(await run(`action abandon ${id} --yes --json`)).toMatchObject({ exit: 0 })
  expect((await run(`action explain ${id} --json`)).json.next).not.toContain('resume')
  await rpc().request('anvil_reorg', [1, []])
  await rpc().request('anvil_mine', ['0x3'])
  expect(await signsNothing(() => pay(`${key}-refused`))).toMatchObject({
    exit: 7,
    json: {
      error: { code: 'RPC_INCONSISTENT', hint: expect.stringContaining(`sluice action resume ${id}`) },
    },
  })
  return id
}

afterEach(async () => {
  await rpc().request('evm_setAutomine', [true])
  await rpc().request('evm_mine')
})

test('resume rebroadcasts only the signed step of an abandoned action that a reorganisation removed', async () => {
  const id = await takenAway('half-0001')
  expect((await run(`action explain ${id} --json`)).json).toMatchObject({
    situation: 'GIVEN_UP',
    verdict: expect.stringContaining(
      'A deep reorganisation removed one of its final transactions from the chain',
    ),
    safeToRetry: false,
    next: `sluice action resume ${id}`,
  })
  const before = attempts()
  const resumed = await run(`action resume ${id} --json`)
  expect(resumed).toMatchObject({
    exit: 21,
    err: expect.stringContaining('followed until final, and no other step is signed'),
    json: {
      error: {
        code: 'PARTIAL',
        message: expect.stringMatching(
          /was abandoned: .+Step 1 of 2, which .+ is on the chain again and final \(0x/,
        ),
      },
    },
  })
  expect(stepOf(id)).toEqual({ state: 'CANCELLED', step: 'FINAL_OK' })
  expect(attempts()).toBe(before)
  const again = await run(`action resume ${id} --json`)
  expect(again).toMatchObject({
    exit: 21,
    json: { error: { message: expect.stringMatching(/will not be$/) } },
  })
  expect(await pay('after-0001')).toMatchObject({ exit: 0 })
})

test('cancel replaces the signed step of an abandoned action that a reorganisation removed', async () => {
  const id = await takenAway('half-0002')
  expect(await signsNothing(() => run(`action cancel ${id} --json`))).toMatchObject({ exit: 20 })
  expect(await run(`action cancel ${id} --yes --json`)).toMatchObject({
    exit: 21,
    json: {
      error: { code: 'PARTIAL', message: expect.stringMatching(/was abandoned: .+ was cancelled \(0x/) },
    },
  })
  expect(stepOf(id)).toEqual({ state: 'CANCELLED', step: 'CANCELLED' })
  expect(await pay('after-0002')).toMatchObject({ exit: 0 })
})

test('speed-up, replan and revoke sign nothing while the step of an abandoned action is pending again', async () => {
  const id = await takenAway('half-0003')
  await rpc().request('evm_setAutomine', [false])
  const waits = {
    exit: 20,
    json: {
      error: { code: 'PENDING', hint: expect.stringContaining(`sluice action resume ${id}`) },
    },
  }
  expect(await signsNothing(() => run(`action speed-up ${id} --json`))).toMatchObject({ exit: 21 })
  expect(await run(`action resume ${id} --no-wait --json`)).toMatchObject(waits)
  for (const line of [
    `action speed-up ${id} --json`,
    `action replan ${id} --yes --json`,
    `action revoke ${id} --yes --json --timeout 3s`,
  ])
    expect(await signsNothing(() => run(line))).toMatchObject(waits)
  expect(await run(`action watch ${id} --timeout 1s --json`)).toMatchObject({ exit: 20 })
  expect((await run(`action explain ${id} --json`)).json).toMatchObject({
    situation: 'GIVEN_UP',
    safeToRetry: false,
    next: `sluice action resume ${id}`,
  })
  expect(await pay('behind-0003', '--no-wait')).toMatchObject({ exit: 20 })
  await rpc().request('evm_setAutomine', [true])
  await rpc().request('evm_mine')
  expect(await run(`action resume ${id} --json`)).toMatchObject({ exit: 21 })
  expect(stepOf(id)).toEqual({ state: 'CANCELLED', step: 'FINAL_OK' })
})
