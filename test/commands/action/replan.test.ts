import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, attempts, home } = useCommands(sandbox)
const rpc = () => sandbox.chain(31337).rpc
const balance = (symbol: string) =>
  sandbox.balanceOf(31337, sandbox.token(31337, symbol).address, sandbox.user.address)
const swap = (amount: number, ...more: string[]) =>
  run([
    ...'swap execute --from sandbox-one --token-in USDC --token-out USDT --yes --json --amount-in'.split(' '),
    String(amount),
    ...more,
  ])

/** A swap of which only the approval is sent; returns its ID. */
const half = async (key: string) => {
  const begun = await swap(100, '--no-wait', '--idempotency-key', key)
  expect(begun).toMatchObject({ exit: 20 })
  return (begun.json as { error: { details: { id: string } } }).error.details.id
}
/** An action that was sent, and whose nonce another transaction used; returns its ID. */
const lost = async (line: string): Promise<string> => {
  await rpc().request('evm_setAutomine', [false])
  const sent = await run(`${line} --yes --json --no-wait`)
  const { id } = (sent.json as { error: { details: { id: string } } }).error.details
  await rpc().request('anvil_dropAllTransactions')
  await rpc().request('evm_setAutomine', [true])
  await sandbox.sendAs(31337, sandbox.user.address, { to: sandbox.user.address, value: 1n })
  expect(await run(['action', 'resume', id, '--json'])).toMatchObject({
    exit: 23,
    json: { error: { code: 'SUPERSEDED' } },
  })
  return id
}
/** Another account sells USDC, which lowers its price. */
const sell = async (amount: number) => {
  const key = join(home(), 'another-key')
  writeFileSync(key, `${'11'.repeat(32)}\n`, { mode: 0o600 })
  const { address } = privateKeyToAccount(`0x${'11'.repeat(32)}`)
  const raw = BigInt(amount) * 1_000_000n
  await sandbox.world.fund(address)
  await sandbox.world.fund(address, { symbol: 'USDC', amount: raw })
  expect(await swap(amount, '--slippage', '50%', '--key-file', key)).toMatchObject({ exit: 0 })
}

describe('a quote that expires after the approval', () => {
  test('is renewed and executed if the output is no lower', async () => {
    const [usdc, usdt] = [await balance('USDC'), await balance('USDT')]
    const id = await half('expires-0001')
    await sandbox.world.warp(3_600)
    const done = await run(['action', 'resume', id, '--json'])
    expect(done).toMatchObject({ exit: 0, json: { status: 'SUCCESS' } })
    expect(usdc - (await balance('USDC'))).toBe(100_000000n)
    expect((await balance('USDT')) - usdt).toBeGreaterThan(99_000000n)
    expect(attempts()).toBe(2)
    expect(await run(['action', 'resume', id, '--json'])).toMatchObject({ exit: 0, json: { replayed: true } })
  })

  test('is not renewed at a lower output: exit 21, until replan --accept-min-out accepts it', async () => {
    const usdc = await balance('USDC')
    const id = await half('worse-0001')
    await sell(400_000)
    await sandbox.world.warp(3_600)
    const before = attempts()
    const refused = await run(['action', 'resume', id, '--json'])
    expect(refused).toMatchObject({ exit: 21, json: { error: { code: 'PARTIAL' } } })
    const { hint } = (refused.json as { error: { hint: string } }).error
    const [, least] = /--accept-min-out ([0-9.]+),/.exec(hint) ?? []
    expect(least).toBeTruthy()
    expect(attempts()).toBe(before)
    expect(await run(['action', 'replan', id, '--yes', '--json'])).toMatchObject({ exit: 21 })
    expect(
      await run(['action', 'replan', id, '--accept-min-out', least!, '--dry-run', '--json']),
    ).toMatchObject({
      exit: 0,
      json: { steps: [{ role: 'action' }] },
    })
    expect(attempts()).toBe(before)
    const tooMuch = await run(['action', 'replan', id, '--accept-min-out', '100', '--yes', '--json'])
    expect(tooMuch).toMatchObject({ exit: 21 })
    const done = await run(['action', 'replan', id, '--accept-min-out', least!, '--yes', '--json'])
    expect(done).toMatchObject({ exit: 0, json: { status: 'SUCCESS' } })
    expect(usdc - (await balance('USDC'))).toBe(100_000000n)
  })
})

test('resume refuses a new quote that costs more than was accepted', async () => {
  const usdc = await balance('USDC')
  const begun = await run(
    'swap execute --from sandbox-one --token-in USDC --token-out USDT --amount-out 100 --yes --json --no-wait',
  )
  expect(begun).toMatchObject({ exit: 20 })
  const { id } = begun.json.error.details
  await sell(400_000)
  await sandbox.world.warp(3_600)
  const before = attempts()
  const refused = await run(['action', 'resume', id, '--json'])
  expect(refused).toMatchObject({
    exit: 21,
    json: { error: { code: 'PARTIAL', hint: `sluice action revoke ${id}` } },
  })
  const { message } = refused.json.error
  const [, now, was] =
    /^A new quote costs ([0-9.]+) USDC, but the accepted cost is ([0-9.]+) USDC$/.exec(message) ?? []
  expect(Number(now)).toBeGreaterThan(Number(was))
  expect(Number(now)).toBeLessThan(2 * Number(was))
  expect(attempts()).toBe(before)
  expect(await balance('USDC')).toBe(usdc)
})

describe('replan', () => {
  test('signs a new plan after a lost nonce, and the transfer pays once', async () => {
    const friend = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
    const got = () => sandbox.balanceOf(31337, sandbox.token(31337, 'USDC').address, friend)
    const before = await got()
    const id = await lost(`transfer --network sandbox-one --token USDC --to ${friend} --amount 5`)
    expect(await run(['action', 'resume', id, '--json'])).toMatchObject({ exit: 23 })
    expect(await run(['action', 'replan', id, '--yes', '--json'])).toMatchObject({
      exit: 0,
      json: { status: 'SUCCESS' },
    })
    expect((await got()) - before).toBe(5_000000n)
    expect(await run(['action', 'replan', id, '--yes', '--json'])).toMatchObject({
      exit: 0,
      json: { replayed: true },
    })
    expect((await got()) - before).toBe(5_000000n)
  })

  test('after a lost nonce makes abandon report SUCCESS once the new transaction is mined', async () => {
    const friend = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
    const id = await lost(`transfer --network sandbox-one --token USDC --to ${friend} --amount 5`)
    const again = await run(['action', 'replan', id, '--yes', '--json', '--no-wait'])
    expect(again).toMatchObject({ exit: 20 })
    // A busy node may not have mined it yet.
    await rpc().request('evm_mine')
    expect(await run(['action', 'abandon', id, '--yes', '--json'])).toMatchObject({
      exit: 0,
      json: { id, status: 'SUCCESS' },
    })
    expect((await run(['action', 'explain', id, '--json'])).json.situation).toBe('DONE')
    expect(await run(['action', 'resume', id, '--json'])).toMatchObject({ exit: 0, json: { replayed: true } })
  })

  test('completes a pipelined deposit that lost its nonces', async () => {
    const id = await lost('deposit aave-v3-usdc-sandbox-one --amount 3 --pipeline')
    expect(await run(['action', 'replan', id, '--yes', '--json'])).toMatchObject({
      exit: 0,
      json: { status: 'SUCCESS' },
    })
  })

  test('exits 20 while a transaction is pending', async () => {
    await rpc().request('evm_setAutomine', [false])
    const sent = await swap(5, '--no-wait')
    const { id } = (sent.json as { error: { details: { id: string } } }).error.details
    expect(await run(['action', 'replan', id, '--yes', '--json'])).toMatchObject({ exit: 20 })
    await rpc().request('evm_setAutomine', [true])
    await rpc().request('evm_mine')
  })

  test('plans the remaining step once the approval is final, before the journal records it', async () => {
    const sent = await swap(5, '--no-wait')
    const { id } = (sent.json as { error: { details: { id: string } } }).error.details
    const state = async () => (await run(['action', 'show', id, '--json'])).json.transactions[0].status
    const before = await state()
    const final = async () =>
      (await run(['action', 'explain', id, '--json'])).json.situation === 'PARTLY_DONE'
    await expect.poll(final, { timeout: 10_000 }).toBe(true)
    // A dry run makes the same plan and records nothing.
    const dry = await run(['action', 'replan', id, '--dry-run', '--json'])
    expect(dry).toMatchObject({ exit: 0, json: { steps: [{ role: 'action' }] } })
    expect(await state()).toBe(before)
    expect(await run(['action', 'replan', id, '--yes', '--json'])).toMatchObject({
      exit: 0,
      json: { status: 'SUCCESS' },
    })
  })

  test('revoke reports a pending deposit, and no remaining allowance once the deposit is mined', async () => {
    await rpc().request('evm_setAutomine', [false])
    const sent = await run('deposit aave-v3-usdc-sandbox-one --amount 3 --pipeline --yes --json --no-wait')
    const { id } = (sent.json as { error: { details: { id: string } } }).error.details
    expect(await run(['action', 'revoke', id, '--yes', '--json'])).toMatchObject({
      exit: 20,
      json: { error: { message: expect.stringContaining('is pending') } },
    })
    await rpc().request('evm_setAutomine', [true])
    await rpc().request('evm_mine')
    const final = async () => (await run(['action', 'explain', id, '--json'])).json.situation
    await expect.poll(final, { timeout: 10_000 }).toBe('MINED_UNNOTICED')
    for (const more of [['--dry-run'], ['--yes']])
      expect(await run(['action', 'revoke', id, '--json', ...more]), more[0]).toMatchObject({
        exit: 0,
        json: { allowancesLeft: [] },
      })
  })
})
