import { expect, test } from 'vitest'
import type { Hex } from '../../../src/domain/address.ts'
import { attemptsOf } from '../../support/attempts-of.ts'
import { sandboxJournal } from '../../support/journal-copies.ts'
import { usePayments } from '../../support/payments/use-payment-commands.ts'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

/* A final revert that a reorganisation removes is never rebroadcast: the payment may have been repeated since. */

const sandbox = useSandbox()
const commands = useCommands(sandbox)
const { run: sandboxRun, home } = commands
const { run, rpc, token, got, pay, height } = usePayments(sandbox, commands)
/** Bytecode that reverts every call. */
const revertsAlways = '0x60006000fd'

/** Mines a pending payment while its token reverts every call. Returns its ID, and `away`, which removes the block of the revert. */
async function reverted(
  begin: (line: string) => Promise<{ exit: number; json: { error: { details: { id: string } } } }>,
  meanwhile?: (id: string) => Promise<void>,
) {
  await rpc().request('evm_setAutomine', [false])
  const begun = await begin(pay(5, '--no-wait'))
  expect(begun).toMatchObject({ exit: 20 })
  await meanwhile?.(begun.json.error.details.id)
  const code = await rpc().request<Hex>('eth_getCode', [token(), 'latest'])
  await rpc().request('anvil_setCode', [token(), revertsAlways])
  await rpc().request('evm_mine')
  const block = await height()
  await rpc().request('anvil_setCode', [token(), code])
  await rpc().request('evm_mine')
  await rpc().request('evm_setAutomine', [true])
  /** Replaces all blocks from the revert on. */
  const away = async () => {
    await rpc().request('anvil_reorg', [(await height()) - block + 1, []])
    await rpc().request('anvil_setCode', [token(), code])
    await rpc().request('anvil_mine', ['0x5'])
  }
  return { id: begun.json.error.details.id, away }
}

test('a reorganised revert that was paid again can only be cancelled, and the payment is made once', async () => {
  const before = await got()
  const { id, away } = await reverted(run)
  expect(await run(`action resume ${id} --json`)).toMatchObject({ exit: 22 })
  expect((await run(`action explain ${id} --json`)).json).toMatchObject({ safeToRetry: true })
  const second = await run(pay(5))
  expect(second).toMatchObject({ exit: 0 })
  await away()
  expect(await got()).toBe(before)

  const cancel = `sluice action cancel ${id} --yes`
  expect((await run(`action explain ${id} --json`)).json).toMatchObject({
    situation: 'REOPENED',
    next: cancel,
  })
  for (const line of ['resume', 'speed-up']) {
    const told = await run(`action ${line} ${id} --json`)
    expect(told).toMatchObject({ exit: 20 })
    expect(told.json.error).toMatchObject({
      hint: cancel,
      message: expect.stringContaining('the step is not sent again'),
    })
  }
  expect((await run(`action explain ${id} --json`)).json).toMatchObject({
    situation: 'REOPENED',
    next: cancel,
  })
  // The second payment waits behind the first and names it.
  const behind = await run(`action resume ${second.json.id} --json --timeout 3s`)
  expect(behind).toMatchObject({ exit: 20 })
  expect(behind.json.error.details).toMatchObject({ before: id })
  expect(behind.json.error.hint).toBe(
    `sluice action resume ${id}, then: sluice action resume ${second.json.id}`,
  )
  expect(await got()).toBe(before)

  expect(await run(`action cancel ${id} --yes --json`)).toMatchObject({ exit: 24 })
  expect(await run(`action resume ${second.json.id} --json`)).toMatchObject({ exit: 0 })
  expect((await got()) - before).toBe(5_000_000n)
})

/** A final revert and the second payment for it, both removed by a reorganisation. */
async function letGo() {
  const { id, away } = await reverted(run)
  expect(await run(`action resume ${id} --json`)).toMatchObject({ exit: 22 })
  const second = await run(pay(5))
  expect(second).toMatchObject({ exit: 0 })
  await away()
  return { id, second: second.json.id as string }
}

test('speed-up raises the fee of a pending cancel instead of restoring the reverted payment', async () => {
  const before = await got()
  const { id, second } = await letGo()
  await rpc().request('evm_setAutomine', [false])
  expect(await run(`action cancel ${id} --yes --json --no-wait`)).toMatchObject({ exit: 20 })
  const asked = await run(`action speed-up ${id} --json --no-wait`)
  expect(asked.json.error).toMatchObject({ details: { cause: 'PROMPT_NEEDED' } })
  expect(asked.json.error.hint).toMatch(
    new RegExp(`^sluice action cancel ${id} --yes, or to undo the cancellation`),
  )
  expect(await run(`action speed-up ${id} --yes --json --no-wait`)).toMatchObject({ exit: 20 })
  await rpc().request('evm_setAutomine', [true])
  await rpc().request('evm_mine')
  expect(await run(`action resume ${id} --json`)).toMatchObject({ exit: 24 })
  expect(await run(`action resume ${second} --json`)).toMatchObject({ exit: 0 })
  expect((await got()) - before).toBe(5_000_000n)
})

test('resume rebroadcasts nothing for a reorganised revert whose cancel was undone before', async () => {
  const before = await got()
  const { id, away } = await reverted(run, async (waits) => {
    expect(await run(`action cancel ${waits} --yes --json --no-wait`)).toMatchObject({ exit: 20 })
    expect(await run(`action speed-up ${waits} --yes --json --no-wait`)).toMatchObject({ exit: 20 })
  })
  expect(await run(`action resume ${id} --json`)).toMatchObject({ exit: 22 })
  expect(await run(pay(5))).toMatchObject({ exit: 0 })
  await away()
  const cancel = `sluice action cancel ${id} --yes`
  expect(await run(`action resume ${id} --json`)).toMatchObject({
    exit: 20,
    json: { error: { hint: cancel } },
  })
  expect((await run(`action explain ${id} --json`)).json).toMatchObject({ next: cancel })
  expect(await got()).toBe(before)
})

test('a revert is safe to retry only after resume has recorded it in the journal', async () => {
  const { id } = await reverted(run)
  const resume = `action resume ${id}`
  expect((await run(`action explain ${id} --json`)).json).toMatchObject({
    situation: 'REVERTED',
    safeToRetry: false,
    next: `sluice ${resume}`,
  })
  expect(await run(`${resume} --json`)).toMatchObject({ exit: 22 })
  expect((await run(`action explain ${id} --json`)).json).toMatchObject({ safeToRetry: true })
})

test('resume rebroadcasts no reorganised revert of an abandoned action, even after action cancel without --yes', async () => {
  const before = await got()
  const { id, away } = await reverted(sandboxRun)
  const journal = sandboxJournal(home())
  const [{ hash } = {}] = attemptsOf(journal, id, 0)
  const receipt = await rpc().request<Record<string, string>>('eth_getTransactionReceipt', [hash])
  const inclusion = {
    hash: hash!,
    blockNumber: Number(receipt.blockNumber),
    blockHash: receipt.blockHash as Hex,
    gasUsed: BigInt(receipt.gasUsed!),
    gasPrice: BigInt(receipt.effectiveGasPrice!),
  }
  // The state that a replan leaves when its action is abandoned afterwards.
  for (const state of ['INCLUDED', 'FINAL_REVERTED'] as const)
    journal.moveStep(id, 0, state, 'seen', inclusion)
  journal.settle(id, 'CANCELLED', 'given up by the person', 21)
  journal.close()
  await away()

  const cancel = `sluice action cancel ${id} --yes`
  const notAgain = { hint: cancel, message: expect.stringContaining('the step is not sent again') }
  expect((await sandboxRun(`action resume ${id} --json`)).json.error).toMatchObject(notAgain)
  expect((await sandboxRun(`action cancel ${id} --json`)).json.error).toMatchObject({ hint: cancel })
  expect((await sandboxRun(`action explain ${id} --json`)).json).toMatchObject({ next: cancel })
  expect((await sandboxRun(`action resume ${id} --json`)).json.error).toMatchObject(notAgain)
  expect(await got()).toBe(before)
  expect(await sandboxRun(cancel.slice('sluice '.length).concat(' --json'))).toMatchObject({ exit: 21 })
  expect(await got()).toBe(before)
})

test('watch reports no SUCCESS after a reorganisation, and explain names the earlier action to resume first', async () => {
  const [first, second] = [await run(pay(1)), await run(pay(2))]
  expect([first.exit, second.exit]).toEqual([0, 0])
  await rpc().request('anvil_reorg', [2, []])
  await rpc().request('anvil_mine', ['0x5'])
  const watched = async () => {
    const { exit, out } = await run(`action watch ${second.json.id} --json --timeout 2s`)
    expect(out).not.toMatch(/SUCCESS/)
    return exit
  }
  expect(await watched()).toBe(20)
  expect(await run(`action resume ${second.json.id} --json --timeout 3s`)).toMatchObject({ exit: 20 })
  expect(await watched()).toBe(20)
  expect((await run(`action explain ${second.json.id} --json`)).json).toMatchObject({
    situation: 'REOPENED',
    next: `sluice action resume ${first.json.id}`,
  })
  for (const { json } of [first, second])
    expect(await run(`action resume ${json.id} --json`)).toMatchObject({ exit: 0 })
})

test('watch reports no SUCCESS after a reorganisation if only the service had recorded the success', async () => {
  expect(await sandboxRun(pay(1))).toMatchObject({ exit: 0 })
  const before = await got()
  const begun = await sandboxRun(pay(3, '--no-wait'))
  expect(begun).toMatchObject({ exit: 20 })
  const { id } = begun.json.error.details
  // From here on the service records a success.
  expect((await sandboxRun(`action explain ${id} --json`)).json).toMatchObject({
    situation: 'MINED_UNNOTICED',
  })
  expect(await sandboxRun('sandbox fault reorg 1 --network sandbox-one --json')).toMatchObject({ exit: 0 })
  expect(await got()).toBe(before)
  const { exit, out } = await sandboxRun(`action watch ${id} --json --timeout 2s`)
  expect({ exit, succeeds: out.includes('SUCCESS') }).toEqual({ exit: 20, succeeds: false })
})

test('watch reports no SUCCESS for a finished payment that sandbox fault reorg removed', async () => {
  const made = await sandboxRun(pay(3))
  expect(made).toMatchObject({ exit: 0 })
  expect(await sandboxRun('sandbox fault reorg 1 --network sandbox-one --yes --json')).toMatchObject({
    exit: 0,
  })
  const { exit, out } = await sandboxRun(`action watch ${made.json.id} --json --timeout 2s`)
  expect({ exit, succeeds: out.includes('SUCCESS') }).toEqual({ exit: 20, succeeds: false })
})

test('resume suggests cancel, not speed-up, when the fee of the pending cancel is too low', async () => {
  const { id } = await letGo()
  await rpc().request('evm_setAutomine', [false])
  expect(await run(`action cancel ${id} --yes --json --no-wait`)).toMatchObject({ exit: 20 })
  await rpc().request('anvil_dropAllTransactions')
  for (let blocks = 0; blocks < 2; blocks++) {
    await rpc().request('anvil_setNextBlockBaseFeePerGas', ['0xba43b7400'])
    if (blocks === 0) await rpc().request('evm_mine')
  }
  const told = await run(`action resume ${id} --json --no-wait`)
  await rpc().request('evm_setAutomine', [true])
  expect(told).toMatchObject({ exit: 20, json: { error: { hint: `sluice action cancel ${id} --yes` } } })
})
