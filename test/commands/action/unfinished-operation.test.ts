import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { directories } from '../../../src/app/profiles/directories.ts'
import { signerReads } from '../../../src/app/signing/signer-recorded-inputs.ts'
import type { Hex } from '../../../src/domain/address.ts'
import { readCommandLine } from '../../../src/domain/command-line/read-command-line.ts'
import { openJournal } from '../../../src/store/journal/journal.ts'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, attempts, home } = useCommands(sandbox)
const place = 'aave-v3-usdc-sandbox-one'
const friend = '0x7777777777777777777777777777777777777777'
const deposit = (amount: number, key: string, ...more: string[]) =>
  run(['deposit', place, '--amount', String(amount), '--yes', '--json', '--idempotency-key', key, ...more])
const receipts = () => {
  const { chainId, receipt } = sandbox.strategy('aave-v3-USDC-sandbox-one')
  return sandbox.balanceOf(chainId, receipt.address, sandbox.user.address)
}
const allowance = async () => {
  const { constants, asset, chainId } = sandbox.strategy('aave-v3-USDC-sandbox-one')
  if (constants.family !== 'aave-v3') throw new Error('an Aave strategy was expected')
  const words = 'function allowance(address,address) view returns (uint256)'
  return BigInt(await sandbox.call(chainId, asset.address, words, [sandbox.user.address, constants.pool]))
}

/** A deposit of which only the approval is sent; returns its ID. */
const halfDone = async (key: string) => {
  const begun = await deposit(3, key, '--no-wait')
  expect(begun).toMatchObject({ exit: 20, json: { error: { code: 'PENDING' } } })
  // The approval is mined a moment later.
  await expect.poll(allowance, { timeout: 10_000 }).toBe(3_000000n)
  return (begun.json as { error: { details: { id: string } } }).error.details.id
}

describe('an unfinished action', () => {
  test('keeps its allowance: another deposit that needs it is refused before anything is signed', async () => {
    const id = await halfDone('half-0001')
    const before = attempts()
    const other = await deposit(7, 'other-0001')
    expect(other).toMatchObject({
      exit: 10,
      json: { error: { code: 'OPERATION_UNFINISHED', details: { operation: id } } },
    })
    expect(other.json).toMatchObject({
      error: { hint: expect.stringContaining(`sluice action resume ${id}`) },
    })
    expect(attempts()).toBe(before)
    expect(await run(['action', 'resume', id, '--json'])).toMatchObject({
      exit: 0,
      json: { status: 'SUCCESS' },
    })
    expect(await deposit(7, 'other-0001')).toMatchObject({ exit: 0 })
    expect(await receipts()).toBeGreaterThanOrEqual(10_000000n - 2n)
    expect(await allowance()).toBe(0n)
  })

  test('is unsafe to retry until it is abandoned', async () => {
    const id = await halfDone('half-0006')
    const explained = async () => (await run(['action', 'explain', id, '--json'])).json
    await expect.poll(async () => (await explained()).situation, { timeout: 10_000 }).toBe('PARTLY_DONE')
    expect(await explained()).toMatchObject({
      safeToRetry: false,
      verdict: expect.stringContaining(
        'The same request is refused until this action is resumed or abandoned.',
      ),
      next: `sluice action resume ${id}`,
    })
    expect((await run(['action', 'explain', id])).out).toContain('or is refused while this action is open')
    expect(await deposit(3, 'again-0006')).toMatchObject({
      exit: 10,
      json: { error: { code: 'OPERATION_UNFINISHED', details: { operation: id } } },
    })
    expect((await run(['action', 'abandon', id, '--yes', '--json'])).exit).toBe(0)
    expect(await explained()).toMatchObject({ situation: 'GIVEN_UP', safeToRetry: true })
    expect(await deposit(3, 'again-0006')).toMatchObject({ exit: 0 })
  })

  test('gives the signing process both of its transactions', async () => {
    const id = await halfDone('half-0003')
    const dirs = directories({ SLUICE_HOME: home() })
    const catalog = async () => sandbox.world.catalog()
    const { written } = signerReads({
      line: readCommandLine(['action', 'resume', id]),
      dirs,
      isSandbox: true,
      catalog,
    })
    expect((await written())!.transactions).toHaveLength(2)
  })

  test('does not block a deposit of another token or on another network', async () => {
    await halfDone('half-0002')
    expect(await run('deposit aave-v3-usdt-sandbox-one --amount 1 --yes --json')).toMatchObject({ exit: 0 })
    expect(await run('deposit aave-v3-usdc-sandbox-two --amount 1 --yes --json')).toMatchObject({ exit: 0 })
  })

  test('can be abandoned, and then blocks no other deposit', async () => {
    const id = await halfDone('half-0003')
    expect(await run(['action', 'abandon', id, '--yes', '--json'])).toMatchObject({
      exit: 0,
      json: { id, status: 'FAILED', allowancesLeft: [{ amount: { raw: '3000000', symbol: 'USDC' } }] },
    })
    expect(await run(['action', 'resume', id, '--json'])).toMatchObject({ exit: 21 })
    const watched = await run(['action', 'watch', id, '--json'])
    const [last, error] = watched.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(watched.exit).toBe(21)
    expect(last).toMatchObject({ id, status: 'FAILED' })
    expect(error).toMatchObject({ error: { code: 'PARTIAL' } })
    expect(await deposit(7, 'other-0003')).toMatchObject({ exit: 0 })
    expect(await receipts()).toBeGreaterThanOrEqual(7_000000n - 2n)
    expect(await receipts()).toBeLessThan(8_000000n)
  })

  test('also blocks a dry run', async () => {
    await halfDone('half-0005')
    const plan = await run(['deposit', place, '--amount', '9', '--dry-run', '--json'])
    expect(plan).toMatchObject({ exit: 10, json: { error: { code: 'OPERATION_UNFINISHED' } } })
  })

  test('that ended is reported with its status by every further abandon', async () => {
    const { id } = (await deposit(3, 'done-00001')).json
    const before = attempts()
    for (const _ of [1, 2]) {
      expect(await run(['action', 'abandon', id, '--json'])).toMatchObject({
        exit: 0,
        json: { id, status: 'SUCCESS', allowancesLeft: [] },
      })
      expect((await run(['action', 'abandon', id])).out).toContain('finished; there was nothing to drop')
    }
    const given = await halfDone('done-00002')
    for (const _ of [1, 2])
      expect(await run(['action', 'abandon', given, '--yes', '--json'])).toMatchObject({
        exit: 0,
        json: { id: given, status: 'FAILED' },
      })
    expect(attempts()).toBe(before + 1)
  })

  test('with a final last step that is not recorded yet is completed by abandon', async () => {
    const begun = await run(
      `transfer --network sandbox-one --token USDC --to ${friend} --amount 1 --yes --json --no-wait`,
    )
    expect(begun).toMatchObject({ exit: 20, json: { error: { code: 'PENDING' } } })
    const { id } = begun.json.error.details
    expect(await run(['action', 'abandon', id, '--yes', '--json'])).toMatchObject({
      exit: 0,
      json: { id, status: 'SUCCESS' },
    })
    expect((await run(['action', 'show', id, '--json'])).json.status).toBe('SUCCESS')
  })

  test('is not abandoned without --yes', async () => {
    const id = await halfDone('half-0004')
    expect(await run(['action', 'abandon', id, '--json'])).toMatchObject({
      exit: 20,
      json: { error: { code: 'PENDING', details: { cause: 'PROMPT_NEEDED' } } },
    })
    expect(await run(['action', 'resume', id, '--json'])).toMatchObject({ exit: 0 })
  })
})

test('a key whose plan was never signed gets a new plan', async () => {
  // The state after a process died between the journal entry and the first signature: its plan has only the deposit,
  // because it counts on an allowance that no longer exists.
  const plan = (await run(['deposit', place, '--amount', '5', '--dry-run', '--json'])).json as {
    steps: { to: Hex; data: Hex; chainId: number; text: string }[]
  }
  const { text, ...call } = plan.steps.at(-1)!
  const journal = openJournal(join(home(), 'data', 'sandbox', 'journal.db'), Date.now)
  const request = {
    command: 'deposit',
    strategy: place,
    amount: '5000000',
    from: 'sandbox-one',
    wallet: sandbox.user.address,
  }
  const transaction = { to: call.to, data: call.data, chainId: call.chainId, value: 0n }
  journal.insert({
    id: 'stale',
    idemKey: 'stale-0001',
    request,
    plan: { intents: [null], about: { amounts: {} } },
    kind: 'deposit',
    wallet: sandbox.user.address,
    legs: [{ chainId: 31337, steps: [{ role: 'action', text, transaction }] }],
  })
  journal.close()
  expect(await deposit(5, 'stale-0001')).toMatchObject({
    exit: 0,
    json: { status: 'SUCCESS', replayed: false },
  })
  expect(await deposit(5, 'stale-0001')).toMatchObject({ exit: 0, json: { replayed: true } })
  const { items } = (await run('action list --json')).json
  expect(items.map(({ id, status }: { id: string; status: string }) => [id, status])).toEqual([
    [expect.not.stringMatching(/^stale$/), 'SUCCESS'],
  ])
  expect(await receipts()).toBeGreaterThanOrEqual(5_000000n - 2n)
  expect(await receipts()).toBeLessThan(6_000000n)
})

test('a quote is executed once, and refused under another key', async () => {
  const quoted = await run(
    'swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-in 10 --json',
  )
  const { id } = quoted.json as { id: string }
  expect(await run(['swap', 'execute', id, '--yes', '--json'])).toMatchObject({
    exit: 0,
    json: { replayed: false },
  })
  expect(await run(['swap', 'execute', id, '--yes', '--json'])).toMatchObject({
    exit: 0,
    json: { replayed: true },
  })
  const before = attempts()
  const again = await run(['swap', 'execute', id, '--yes', '--json', '--idempotency-key', 'other-key1'])
  expect(again).toMatchObject({
    exit: 14,
    json: { error: { code: 'IDEMPOTENCY_KEY_REUSED', details: { operation: id } } },
  })
  expect(attempts()).toBe(before)
})

test('a swap started by flags is resumed by swap execute with its ID, which then repeats its result', async () => {
  const flags = '--from sandbox-one --token-in USDC --token-out WETH --amount-in 10'
  const begun = await run(`swap execute ${flags} --yes --json --no-wait`)
  const { operation: id } = begun.json.error.details
  const before = attempts()
  const other = ['swap', 'execute', id, '--yes', '--json', '--accept-min-out', '0.001']
  expect(await run(other)).toMatchObject({
    exit: 14,
    json: {
      error: {
        message: `${id} was already started with other parameters`,
        hint: `To resume it: sluice action resume ${id}`,
      },
    },
  })
  const repeated = ['swap', 'execute', id, '--yes', '--json']
  expect(await run(repeated)).toMatchObject({ exit: 0, json: { id, status: 'SUCCESS', replayed: false } })
  expect(await run(repeated)).toMatchObject({ exit: 0, json: { id, status: 'SUCCESS', replayed: true } })
  expect(await run(other)).toMatchObject({
    exit: 14,
    json: { error: { hint: `sluice action show ${id}` } },
  })
  expect(attempts()).toBe(before + 1)
})

test('a withdrawal of everything reports the received amount, also when it is repeated', async () => {
  await deposit(12, 'full-0001')
  await sandbox.world.warp(86_400 * 30)
  const before = await sandbox.balanceOf(31337, sandbox.token(31337, 'USDC').address, sandbox.user.address)
  const key = ['--idempotency-key', 'full-0002']
  const out = await run(['withdraw', place, '--amount', 'max', '--yes', '--json', ...key])
  const came =
    (await sandbox.balanceOf(31337, sandbox.token(31337, 'USDC').address, sandbox.user.address)) - before
  expect(out).toMatchObject({
    exit: 0,
    json: { amounts: { in: null, out: { raw: came.toString(), symbol: 'USDC' } } },
  })
  const again = await run(['withdraw', place, '--amount', 'max', '--yes', '--json', ...key])
  expect(again.json).toEqual({ ...(out.json as object), replayed: true })
})
