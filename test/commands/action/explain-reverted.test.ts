import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, signsNothing, home } = useCommands(sandbox)
const fault = async (line: string) =>
  expect(await run(`sandbox fault ${line} --json`)).toMatchObject({ exit: 0 })
const pool = () => {
  const { constants } = sandbox.strategy('aave-v3-USDC-sandbox-one')
  if (constants.family !== 'aave-v3') throw new Error('an Aave strategy was expected')
  return constants.pool
}
const deposit = async () => {
  const ran = await run('deposit aave-v3-usdc-sandbox-one --amount 3 --yes --json')
  expect(ran).toMatchObject({ exit: 22 })
  return ran.json.error.details.id
}
const swap = (amount: number, ...more: string[]) =>
  run([
    ...'swap execute --from sandbox-one --token-in USDC --token-out USDT --yes --json --amount-in'.split(' '),
    String(amount),
    ...more,
  ])
/** A swap whose approval is final; `send` signs and sends the swap and does not follow it. */
const sentSwap = async () => {
  const begun = await swap(100, '--no-wait')
  // A node may answer before it has mined.
  const { rpc } = sandbox.chain(31337)
  const counted = (tag: string) => rpc.request<string>('eth_getTransactionCount', [sandbox.user.address, tag])
  await expect.poll(async () => (await counted('latest')) === (await counted('pending'))).toBe(true)
  const { id } = begun.json.error.details
  return {
    id,
    send: async () =>
      expect(await run(['action', 'resume', id, '--no-wait', '--json'])).toMatchObject({ exit: 20 }),
  }
}
/** Until the revert is recorded, the same request is refused because it needs the same allowance. */
const refused = ' The same request is refused until this action is resumed or abandoned.'

const explain = async (id: string, safeToRetry = true) => {
  const { exit, json } = await signsNothing(() => run(['action', 'explain', id, '--json']))
  expect(exit).toBe(0)
  expect(json).toMatchObject({ id, safeToRetry, next: `sluice action revoke ${id}` })
  expect(json.funds).toMatch(
    /^[0-9]+ USDC: still in the wallet 0x\w{40} on sandbox-one\. Only the gas fee was spent\. The contract 0x\w{40} still has an allowance of [0-9]+ USDC on sandbox-one\.$/,
  )
  return json
}

test.each([
  ['REVERTED_PAUSED', '29', 'the reserve is paused (29)'],
  ['REVERTED_PAUSED', 'Pool is paused', 'Pool is paused'],
  [
    'REVERTED_PRICE',
    'Too little received',
    'the price moved: the output would be below the minimum (Too little received)',
  ],
  ['REVERTED', 'Not today', 'Not today'],
])('%s for a contract that reverts with %s', async (situation, reason, why) => {
  await sandbox.world.faults.set({
    kind: 'revert',
    network: null,
    method: null,
    times: 1,
    amount: null,
    at: pool(),
    reason,
  })
  expect(await explain(await deposit())).toMatchObject({
    situation,
    verdict: `Step 2 of 2 was mined and reverted: ${why}.`,
  })
})

test('REVERTED_GAS for a call that runs out of gas, and abandon reports the revert', async () => {
  await fault(`out-of-gas ${pool()}`)
  const id = await deposit()
  expect(await explain(id)).toMatchObject({
    situation: 'REVERTED_GAS',
    verdict: 'Step 2 of 2 was mined and reverted: it ran out of gas.',
  })
  const { exit, json } = await signsNothing(() => run(['action', 'abandon', id, '--yes', '--json']))
  expect([exit, json.error.code, json.error.hint]).toEqual([22, 'REVERTED', `sluice action show ${id}`])
  expect(json.error.message).toMatch(
    /^The action is finished, and there is nothing to drop: .* reverted on chain$/,
  )
  expect(json.error.details.action).toMatchObject({ id, status: 'FAILED' })
  const file = join(home(), 'reverted.json')
  expect(await run(['action', 'export', id, '--out', file])).toMatchObject({ exit: 0 })
  expect((await run(['action', 'verify', file])).out).toMatch(
    /^✓ 0x\w{64} {2}confirmed\n✗ 0x\w{64} {2}confirmed it reverted, as the evidence says$/m,
  )
})

test('REVERTED_DEADLINE for a swap mined after its deadline, before and after resume records it', async () => {
  const { id, send } = await sentSwap()
  await fault('stop-mining')
  await send()
  // The next block contains the swap.
  await sandbox.world.warp(3_600)
  const verdict = 'Step 2 of 2 was mined and reverted: the deadline has passed (Transaction too old).'
  expect(await explain(id, false)).toMatchObject({
    situation: 'REVERTED_DEADLINE',
    verdict: verdict + refused,
  })
  await fault('clear')
  expect(await run(['action', 'resume', id, '--json'])).toMatchObject({ exit: 22 })
  expect(await explain(id)).toMatchObject({ situation: 'REVERTED_DEADLINE', verdict })
})

test('REVERTED_PRICE for a swap that is mined after a large swap of another account', async () => {
  const key = join(home(), 'another-key')
  writeFileSync(key, `${'11'.repeat(32)}\n`, { mode: 0o600 })
  const { address } = privateKeyToAccount(`0x${'11'.repeat(32)}`)
  await sandbox.world.fund(address)
  await sandbox.world.fund(address, { symbol: 'USDC', amount: 400_000_000000n })
  const { id, send } = await sentSwap()
  await fault('delay --times 1')
  await send()
  expect(await swap(400_000, '--slippage', '50%', '--key-file', key)).toMatchObject({ exit: 0 })
  await fault('clear')
  const state = () => run(['action', 'explain', id, '--json']).then(({ json }) => json.situation)
  while ((await state()) === 'SENT_NOT_SEEN') await new Promise((resolve) => setTimeout(resolve, 20))
  expect(await explain(id, false)).toMatchObject({
    situation: 'REVERTED_PRICE',
    verdict: `Step 2 of 2 was mined and reverted: the price moved: the output would be below the minimum (Too little received).${refused}`,
  })
})
