import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { shownPlanHash } from '../../../src/guard/plan-hash.ts'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, attempts, home } = useCommands(sandbox)
const elsewhere = useCommands(sandbox)
const place = 'aave-v3-usdc-sandbox-one'
const friend = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const nextNonce = async () =>
  Number(await sandbox.chain(31337).rpc.request('eth_getTransactionCount', [sandbox.user.address, 'latest']))
const held = () => {
  const { chainId, receipt } = sandbox.strategy('aave-v3-USDC-sandbox-one')
  return sandbox.balanceOf(chainId, receipt.address, sandbox.user.address)
}

/** Writes a plan to a file; returns both. */
const planned = async (line = `deposit ${place} --amount 2 --dry-run --json`) => {
  const { exit, out, json } = await run(line)
  expect(exit).toBe(0)
  const file = join(home(), 'plan.json')
  writeFileSync(file, out)
  return { file, plan: json as { planHash: string; nonce: number; steps: { data: string }[] } }
}
const submit = (file: string, ...more: string[]) =>
  run(['action', 'submit', file, '--yes', '--json', ...more])

describe('action submit', () => {
  test('takes a plan whose texts have no separators of thousands, as earlier versions wrote them', async () => {
    const { file, plan } = await planned(`deposit ${place} --amount 5000 --dry-run --json`)
    const text = JSON.stringify(plan)
    expect(text).toContain('Supply 5,000 USDC')
    const older = JSON.parse(text.replaceAll('5,000', '5000'))
    writeFileSync(file, JSON.stringify({ ...older, shownHash: shownPlanHash(older) }))
    expect(await submit(file)).toMatchObject({ exit: 0, json: { status: 'SUCCESS' } })
  })

  test('signs and sends the plan once, and returns the same result afterwards', async () => {
    const before = await held()
    const { file, plan } = await planned()
    expect(attempts()).toBe(0)
    const done = await submit(file)
    expect(done).toMatchObject({ exit: 0, json: { status: 'SUCCESS', replayed: false } })
    expect(
      (done.json as { transactions: { nonce: number }[] }).transactions.map(({ nonce }) => nonce),
    ).toEqual([plan.nonce, plan.nonce + 1])
    const again = await submit(file)
    expect(again).toMatchObject({ exit: 0, json: { replayed: true } })
    expect({ ...(again.json as object), replayed: false }).toEqual(done.json)
    expect((await held()) - before).toBeGreaterThanOrEqual(2_000000n - 2n)
    expect((await held()) - before).toBeLessThan(2_100000n)
    expect(await nextNonce()).toBe(plan.nonce + 2)
  })

  test('exits 23 on a second machine with a separate journal, and names the transaction of the first', async () => {
    const before = await held()
    const { file, plan } = await planned()
    const first = await submit(file)
    expect(first).toMatchObject({ exit: 0 })
    const second = await elsewhere.run(['action', 'submit', file, '--yes', '--json'])
    const { hash } = first.json.transactions[0]
    expect(second).toMatchObject({ exit: 23, json: { error: { code: 'NONCE_USED', details: { hash } } } })
    expect(second.json.error.message).toContain('It may be this one, sent from another machine')
    expect(await nextNonce()).toBe(plan.nonce + 2)
    expect((await held()) - before).toBeLessThan(2_100000n)
  })

  test('exits 23 and signs nothing if another transaction used the nonce of the plan', async () => {
    const { file } = await planned()
    const paid = await run(
      `transfer --network sandbox-one --token USDC --to ${friend} --amount 1 --yes --json`,
    )
    const before = attempts()
    const refused = await submit(file)
    expect(refused).toMatchObject({ exit: 23, json: { error: { code: 'NONCE_USED' } } })
    // Nothing new is suggested: the action of this journal that used the nonce is named.
    expect(refused.json.error.hint).toBe(`sluice action show ${paid.json.id}`)
    expect(attempts()).toBe(before)
    expect(await submit(file, '--nonce', '7')).toMatchObject({ exit: 2, json: { error: { code: 'USAGE' } } })
    expect((await run('action submit --help')).out).not.toContain('--nonce')
  })

  test.each([
    ['an amount', (text: string) => text.replace('1e8480', '1e8481')],
    ['the nonce', (text: string) => text.replace(/"nonce":(\d+)/, (_, n) => `"nonce":${Number(n) + 1}`)],
    ['the wallet', (text: string) => text.replaceAll(sandbox.user.address, friend)],
    ['the ID', (text: string) => text.replace(/"id":"[0-9a-f]{4}/, '"id":"beef')],
  ])('refuses a plan after a change of %s', async (_, change) => {
    const { file } = await planned()
    const { out } = await run(`deposit ${place} --amount 2 --dry-run --json`)
    expect(change(out)).not.toBe(out)
    writeFileSync(file, change(out))
    expect(await submit(file)).toMatchObject({ exit: 8, json: { error: { code: 'POLICY_TAMPER' } } })
    expect(attempts()).toBe(0)
  })

  type Shown = Awaited<ReturnType<typeof planned>>['plan'] & Record<string, never>
  const follows: [string, (plan: Shown) => unknown][] = [
    ['the text of a step', ({ steps }) => Object.assign(steps[1]!, { text: 'Supply 2 USDC to a friend' })],
    [
      'the name of a call',
      ({ steps }) => Object.assign((steps[1] as never as { call: object }).call, { name: 'gift' }),
    ],
    ['the name of a contract', ({ steps }) => Object.assign(steps[0]!, { contract: 'WETH' })],
    [
      'an argument',
      ({ steps }) =>
        Object.assign((steps[0] as never as { call: { args: object } }).call.args, { amount: '1' }),
    ],
    [
      'a service fee',
      (plan) =>
        Object.assign(plan, {
          serviceFees: [],
          arrivals: [{ network: 'x', token: friend, to: friend, least: {} }],
        }),
    ],
  ]
  const seen: [string, (plan: Shown) => unknown][] = [
    ['the assurance', (plan) => Object.assign(plan, { assurance: 'L4' })],
    [
      'the simulation',
      (plan) => Object.assign((plan as never as { simulation: object }).simulation, { changes: [] }),
    ],
    ['the gas', (plan) => Object.assign((plan as never as { fees: object }).fees, { gas: '21000' })],
    ['the price impact', (plan) => Object.assign(plan, { priceImpacts: [{ leg: 0, share: 0, by: 'pool' }] })],
  ]
  const policed = (file: string) => {
    const path = join(home(), 'policy-of-a-test.json')
    writeFileSync(path, JSON.stringify({ maxServiceFeeBps: 100 }), { mode: 0o600 })
    return run(`policy check ${file} --policy ${path} --json`)
  }
  const refusedBoth = async (file: string) => {
    for (const ran of [await submit(file), await policed(file)])
      expect(ran).toMatchObject({ exit: 8, json: { error: { code: 'POLICY_TAMPER' } } })
  }

  test.each([...follows, ...seen])(
    'and policy check refuse a plan after an edit of %s',
    async (_, change) => {
      const { file, plan } = await planned()
      expect((await policed(file)).exit).toBe(0)
      change(plan as Shown)
      writeFileSync(file, JSON.stringify(plan))
      await refusedBoth(file)
      expect(attempts()).toBe(0)
    },
  )

  test.each(follows)(
    'and policy check refuse a plan after an edit of %s with a matching hash',
    async (_, change) => {
      const { file, plan } = await planned()
      change(plan as Shown)
      writeFileSync(file, JSON.stringify({ ...plan, shownHash: shownPlanHash(plan) }))
      await refusedBoth(file)
    },
  )

  test('reports an edit of an executed plan in one sentence', async () => {
    const { file, plan } = await planned()
    expect(await submit(file)).toMatchObject({ exit: 0 })
    for (const change of [{ assurance: 'L4' }, { nonce: 7 }]) {
      writeFileSync(file, JSON.stringify({ ...plan, ...change }))
      const { exit, json } = await submit(file)
      expect({ exit, code: json.error.code }).toEqual({ exit: 8, code: 'POLICY_TAMPER' })
      expect(json.error.message).toMatch(/^The plan was changed after it was made: [^.]+$/)
    }
  })

  test('refuses the key of another wallet', async () => {
    const { file } = await planned()
    const key = join(home(), 'key')
    writeFileSync(key, `${'11'.repeat(32)}\n`, { mode: 0o600 })
    expect(await submit(file, '--key-file', key)).toMatchObject({ exit: 13 })
    expect(attempts()).toBe(0)
    rmSync(key)
  })

  test('reports a missing file or a file without a plan as a usage error', async () => {
    const file = join(home(), 'nothing.json')
    expect(await submit(file)).toMatchObject({ exit: 2 })
    writeFileSync(file, '{}')
    const { exit, json } = await submit(file)
    expect([exit, json.error.message]).toEqual([
      2,
      'Invalid plan: planHash is missing; wallet is missing; nonce is missing; and 3 more',
    ])
  })

  test.each([
    ['deposit', `deposit ${place} --amount 2`],
    ['withdraw', `withdraw ${place} --amount 1`],
    ['transfer', `transfer --network sandbox-one --token USDC --to ${friend} --amount 3`],
    ['swap', 'swap execute --from sandbox-one --token-in USDC --token-out USDT --amount-in 5 --slippage 1%'],
  ])('names the RPC that is missing for the network of a plan: %s', async (_, line) => {
    expect((await run(`deposit ${place} --amount 2 --yes`)).exit).toBe(0)
    const { file } = await planned(`${line} --dry-run --json`)
    const signed = attempts()
    const { json } = await run(['action', 'submit', file, '--yes', '--json'], {
      env: { SLUICE_RPC_SANDBOX_TWO: sandbox.chain(31338).rpcUrl },
    })
    expect(json.error).toMatchObject({
      code: 'UNKNOWN_NETWORK',
      hint: expect.stringContaining('SLUICE_RPC_SANDBOX_ONE'),
      details: { network: 'sandbox-one', variable: 'SLUICE_RPC_SANDBOX_ONE' },
    })
    expect(attempts()).toBe(signed)
  })

  test('signs nothing if the balance for the plan was spent', async () => {
    const { file } = await planned(
      `transfer --network sandbox-one --token USDC --to ${friend} --amount 3 --dry-run --json`,
    )
    const { address } = sandbox.token(31337, 'USDC')
    const all = await sandbox.balanceOf(31337, address, sandbox.user.address)
    const data =
      `0xa9059cbb${friend.slice(2).toLowerCase().padStart(64, '0')}${all.toString(16).padStart(64, '0')}` as const
    const { rpc } = sandbox.chain(31337)
    const nonce = await nextNonce()
    await sandbox.sendAs(31337, sandbox.user.address, { to: address, data })
    await rpc.request('anvil_setNonce', [sandbox.user.address, `0x${nonce.toString(16)}`])
    expect(await submit(file)).toMatchObject({ exit: 10, json: { error: { code: 'INSUFFICIENT_FUNDS' } } })
    expect(attempts()).toBe(0)
  })
})

describe('remaining allowances of an action', () => {
  const allowance = async () => {
    const { constants, asset, chainId } = sandbox.strategy('aave-v3-USDC-sandbox-one')
    if (constants.family !== 'aave-v3') throw new Error('an Aave strategy was expected')
    const words = 'function allowance(address,address) view returns (uint256)'
    return BigInt(await sandbox.call(chainId, asset.address, words, [sandbox.user.address, constants.pool]))
  }
  const half = async () => {
    const begun = await run(
      `deposit ${place} --amount 3 --yes --json --no-wait --idempotency-key half-done-1`,
    )
    expect(begun).toMatchObject({ exit: 20 })
    await expect.poll(allowance, { timeout: 10_000 }).toBe(3_000000n)
    return (begun.json as { error: { details: { id: string } } }).error.details.id
  }

  test('are listed, and revoked by action revoke', async () => {
    const id = await half()
    expect(await run('wallet approvals list --json')).toMatchObject({
      exit: 0,
      json: { total: 1, items: [{ amount: { formatted: '3' }, name: 'aave-v3', unlimited: false }] },
    })
    const dry = await run(['action', 'revoke', id, '--dry-run', '--json'])
    expect(dry).toMatchObject({ exit: 0, json: { steps: [{ call: { name: 'approve' } }] } })
    expect(dry.err).toContain(`the unsigned steps of ${id} are dropped before this is signed`)
    expect(await run(['action', 'show', id, '--json'])).toMatchObject({ json: { status: 'PENDING' } })
    expect(await run(['action', 'revoke', id, '--yes', '--json'])).toMatchObject({
      exit: 0,
      json: { type: 'REVOKE', status: 'SUCCESS' },
    })
    expect(await allowance()).toBe(0n)
    expect(await run(['action', 'resume', id, '--json'])).toMatchObject({ exit: 21 })
    expect(await run(['action', 'revoke', id, '--yes', '--json'])).toMatchObject({
      exit: 0,
      json: { allowancesLeft: [] },
    })
  })

  test('are revoked by wallet approvals revoke, but not while an open action needs them', async () => {
    const id = await half()
    const line = [
      'wallet',
      'approvals',
      'revoke',
      '--network',
      'sandbox-one',
      '--token',
      'USDC',
      '--yes',
      '--json',
    ]
    expect(await run(line)).toMatchObject({ exit: 10, json: { error: { code: 'OPERATION_UNFINISHED' } } })
    expect(await run(['action', 'abandon', id, '--yes', '--json'])).toMatchObject({ exit: 0 })
    expect(await run(line)).toMatchObject({ exit: 0 })
    expect(await allowance()).toBe(0n)
    expect(await run(line)).toMatchObject({ exit: 4 })
    expect(await run('wallet approvals revoke --yes --json')).toMatchObject({ exit: 2 })
  })
})
