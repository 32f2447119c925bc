import { describe, expect, test } from 'vitest'
import type { Address } from '../../src/domain/address.ts'
import { useCommands } from '../support/use-commands.ts'
import { calldata, useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, signsNothing } = useCommands(sandbox)
const place = 'sandbox-lido-eth-sandbox-one'
const wrapped = 'sandbox-lido-wsteth-eth-sandbox-one'
const chainId = 31337
const day = 86_400
const ether = 10n ** 18n
const wallet = sandbox.user.address
const coin = () => sandbox.nativeBalanceOf(chainId, wallet)
const constants = () => {
  const { constants: found } = sandbox.strategy('sandbox-lido-ETH-sandbox-one')
  if (found.family !== 'lido') throw new Error('another family')
  return found
}
const held = (id: string, who: Address = wallet) =>
  sandbox.balanceOf(chainId, sandbox.strategy(id).receipt.address, who)
const staked = () => held('sandbox-lido-ETH-sandbox-one')
const ready = () => sandbox.world.warp(2 * day)
const positions = async () => (await run('wallet show --json')).json.positions
const done = async (line: string) => {
  const ran = await run(`${line} --yes --json`)
  expect(ran.err + ran.out).toMatch(ran.exit === 0 ? /./ : /^$/)
  return ran
}

describe.each([
  [place, 'sandbox-lido-ETH-sandbox-one'],
  [wrapped, 'sandbox-lido-wsteth-ETH-sandbox-one'],
])('%s with its withdrawal queue', (slug, id) => {
  test('pays out in two steps: a request, and a claim once the request is ready', async () => {
    await done(`deposit ${slug} --amount 5`)
    const before = await coin()
    const { json: asked, err } = await done(`withdraw ${slug} --amount 2`)
    expect(err).toContain(`sluice withdraw ${slug} --claim`)
    expect(asked).toMatchObject({
      type: 'SAMECHAIN_INVESTMENT_WITHDRAW',
      status: 'SUCCESS',
      amounts: { in: null, out: null },
      queued: { seconds: null, next: `sluice withdraw ${slug} --claim`, amount: { formatted: '2' } },
    })
    expect((await run('action list')).out).toMatch(new RegExp(`^${asked.id}  WITHDRAW +2 ETH  ${slug}`, 'm'))
    expect((await run(['action', 'show', asked.id])).out).toMatch(/^amount +2 ETH$/m)
    expect(await coin()).toBeLessThan(before)
    const [waiting] = await positions()
    expect(waiting).toMatchObject({
      strategy: { slug, actions: ['lend', 'withdraw', 'claim'] },
      pending: [{ amount: { raw: String(2n * ether) }, availableAt: null }],
      claimable: [],
    })
    await ready()
    const [{ pending, claimable }] = await positions()
    expect([pending.length, claimable.length]).toEqual([0, 1])
    expect((await run('wallet show')).out).toContain(
      `ready 2 ETH to claim: sluice withdraw ${slug} --claim\n`,
    )
    // Commands inside the text of an answer are for the wallet and the profile of the line that ran.
    for (const [line, more] of [
      ['wallet show', '--profile sandbox'],
      [`strategies show ${slug}`, `--wallet ${wallet} --profile sandbox`],
    ])
      expect((await run(`${line} ${more}`)).out).toContain(
        `to claim: sluice withdraw ${slug} --claim ${more}\n`,
      )
    expect((await run(['action', 'show', asked.id, '--profile', 'sandbox'])).out).toContain(
      `sluice withdraw ${slug} --claim --profile sandbox\n`,
    )
    // The command is its own field, for the profile of the line that ran; no sentence has it.
    const explained = async (id: string) => (await run(['action', 'explain', id, '--json'])).json
    const inQueue = await run(['action', 'explain', asked.id, '--json', '--profile', 'sandbox'])
    expect(inQueue.json).toMatchObject({
      funds: expect.stringMatching(/They can be claimed when they are ready\.$/),
      next: `sluice withdraw ${slug} --claim --profile sandbox`,
    })
    const then = await coin()
    const { json } = await done(`withdraw ${slug} --claim`)
    expect(json).toMatchObject({
      type: 'SAMECHAIN_INVESTMENT_CLAIM',
      amounts: { in: null, out: { raw: String(2n * ether) } },
      transactions: [{ kind: 'claim' }],
    })
    // The claimed request has left the queue; its amount is in the wallet.
    expect(await explained(json.id)).toMatchObject({ funds: `2 ETH: with ${wallet}.`, next: null })
    expect(await explained(asked.id)).toMatchObject({
      funds: expect.stringContaining(`the action ${json.id} claimed 2 ETH for ${wallet}, from this`),
      next: `sluice wallet show ${wallet}`,
    })
    const gas = then + 2n * ether - (await coin())
    expect(gas).toBeGreaterThan(0n)
    expect(gas).toBeLessThan(ether / 100n)
    const [left] = await positions()
    expect(left).toMatchObject({ pending: [], claimable: [] })
    // The request reduced the principal already; the claim does not.
    expect(Number(left.principal.formatted)).toBeCloseTo(3, 9)
    const history = (await run(`history ${slug} --json`)).json.items
    expect(history.map(({ type }: { type: string }) => type)).toEqual(['claim', 'withdraw', 'deposit'])
  })

  test('lists queued requests of a wallet that holds no more than rounding', async () => {
    await done(`deposit ${slug} --amount 5`)
    await ready()
    await done(`withdraw ${slug} --amount max`)
    expect(await held(id)).toBeLessThanOrEqual(2n)
    const [{ balance, principal, pending }] = await positions()
    // stETH counts in shares, so that a unit or two may remain.
    expect(Number(balance.raw)).toBeLessThanOrEqual(2)
    expect([principal.raw, pending.length]).toEqual(['0', 1])
    expect(BigInt(pending[0].amount.raw)).toBeGreaterThan(5n * ether)
  })
})

test('a withdrawal of all stETH leaves a few wei of rounding, and the plan says so', async () => {
  await done(`deposit ${place} --amount 6000`)
  await ready()
  await done(`deposit ${place} --amount 0.777777777777777777`)
  const asking = `withdraw ${place} --amount max`
  const { json } = await run(`${asking} --dry-run --json`)
  expect(json.steps.at(-1).text).toContain(
    'all stETH, but for up to 14 wei that its rounding to shares leaves, to be claimed later',
  )
  await done(asking)
  expect(await staked()).toBeLessThanOrEqual(14n)
  await done(`deposit ${wrapped} --amount 1`)
  const other = await run(`withdraw ${wrapped} --amount max --dry-run --json`)
  expect(other.json.steps.at(-1).text).toBe('Request the withdrawal of all wstETH, to be claimed later')
})

test('requests in a queue of two strategies are listed once, with their own strategy, and are in the total', async () => {
  await done(`deposit ${place} --amount 2`)
  await done(`deposit ${wrapped} --amount 3`)
  await done(`withdraw ${wrapped} --amount max`)
  await done(`withdraw ${place} --amount 1`)
  const { json } = await run('wallet show --json')
  const asked = (slug: string) =>
    json.positions
      .find(({ strategy }: { strategy: { slug: string } }) => strategy.slug === slug)
      .pending.map(({ amount }: { amount: { formatted: string } }) => Number(amount.formatted))
  expect(asked(place)).toEqual([1])
  expect(asked(wrapped)).toEqual([expect.closeTo(3, 6)])
  // One ether is 3,000 dollars in the sandbox.
  expect(Number(json.queuedUsd)).toBeCloseTo(12_000, 0)
  expect(Number(json.totalValueUsd)).toBeCloseTo(15_000, 0)
  const { out } = await run('wallet show')
  expect(out).toMatch(/total {2}\$15,000\.\d\d including \$12,000\.\d\d queued or ready/)
  const shown = (await run(`strategies show ${wrapped} --wallet ${wallet}`)).out
  expect(shown).toMatch(/you hold +0 ETH/)
  expect(shown).toMatch(/queued +3(\.0+\d*)? ETH/)
  await ready()
  expect((await run(`strategies show ${wrapped} --wallet ${wallet}`)).out).toContain(
    `sluice withdraw ${wrapped} --claim`,
  )
})

test('claims from a queue of two strategies are in the history of the strategy that requested them', async () => {
  for (const [slug, amount] of [
    [place, 2],
    [wrapped, 3],
  ] as const) {
    await done(`deposit ${slug} --amount 4`)
    await done(`withdraw ${slug} --amount ${amount}`)
  }
  await ready()
  await done(`withdraw ${place} --claim`)
  for (const [slug, amount] of [
    [place, 2],
    [wrapped, 3],
  ] as const) {
    const { items } = (await run(`history ${slug} --json`)).json
    const claims = items.filter(({ type }: { type: string }) => type === 'claim')
    expect(claims.map((one: { amount: { formatted: string } }) => Number(one.amount.formatted))).toEqual([
      expect.closeTo(amount, 6),
    ])
  }
})

describe('a claim', () => {
  test('with nothing ready exits 10, lists the pending requests and signs nothing', async () => {
    await done(`deposit ${place} --amount 3`)
    await done(`withdraw ${place} --amount 1.5`)
    const { exit, json } = await signsNothing(() => run(`withdraw ${place} --claim --yes --json`))
    expect(exit).toBe(10)
    expect(json.error).toMatchObject({
      code: 'NOTHING_CLAIMABLE',
      details: { pending: [{ id: '1', amount: String((3n * ether) / 2n) }] },
    })
    expect(json.error.message).toMatch(/1\.5 ETH \(request 1, requested at 20/)
  })

  test('takes every ready request and leaves the others', async () => {
    await done(`deposit ${place} --amount 9`)
    for (const amount of [1, 2]) await done(`withdraw ${place} --amount ${amount}`)
    await ready()
    await done(`withdraw ${place} --amount 4`)
    const { json } = await done(`withdraw ${place} --claim`)
    expect(json.amounts.out.formatted).toBe('3')
    const [{ pending }] = await positions()
    expect(pending.map(({ id }: { id: string }) => id)).toEqual(['3'])
  })

  test('is shown by a dry run, and replayed under its idempotency key', async () => {
    await done(`deposit ${place} --amount 3`)
    await done(`withdraw ${place} --amount 1`)
    await ready()
    const { json: plan } = await run(`withdraw ${place} --claim --dry-run --json`)
    expect(plan.steps).toMatchObject([
      { text: 'Claim request 1 of the queue, paid to the wallet', call: { name: 'claimWithdrawals' } },
    ])
    const first = await done(`withdraw ${place} --claim --idempotency-key claim-of-monday`)
    const again = await done(`withdraw ${place} --claim --idempotency-key claim-of-monday`)
    expect([first.json.replayed, again.json.replayed]).toEqual([false, true])
    expect(again.json.transactions).toEqual(first.json.transactions)
    const explained = await run(`action explain ${first.json.id}`)
    expect(explained.out).toContain('1 ETH')
  })

  test.each([
    ['with an amount', `withdraw ${place} --claim --amount 1`, /takes no amount/],
    ['of a strategy that pays at once', 'withdraw aave-v3-usdc-sandbox-one --claim', /pays out at once/],
  ])('%s exits 2, and nothing is signed', async (_, line, words) => {
    const { exit, err } = await signsNothing(() => run(`${line} --yes`))
    expect(exit).toBe(2)
    expect(err).toMatch(words)
  })
})

test.each([
  [place, '', /No amount given/, true],
  [place, '--amount all', /use max for the whole position/, true],
  ['aave-v3-usdc-sandbox-one', '--amount ALL', /use max for the whole position/, false],
])(
  'withdraw %s %s hints at max, and at --claim where there is a queue',
  async (slug, typed, words, hasClaim) => {
    const { exit, json } = await signsNothing(() => run(`withdraw ${slug} ${typed} --yes --json`))
    expect([exit, json.error.code]).toEqual([2, 'USAGE'])
    expect(json.error.message).toMatch(words)
    expect(json.error.hint).toContain(`sluice withdraw ${slug} --amount max`)
    expect(json.error.hint.includes(`sluice withdraw ${slug} --claim`)).toBe(hasClaim)
  },
)

describe('a request to the queue', () => {
  test('is split above the maximum of one request', async () => {
    await sandbox.chain(chainId).rpc.request('anvil_setBalance', [wallet, '0x3635c9adc5dea000000'])
    await done(`deposit ${place} --amount 2500`)
    await done(`withdraw ${place} --amount 2000.00000000000000005`)
    const [{ pending }] = await positions()
    expect(pending.map(({ amount }: { amount: { raw: string } }) => amount.raw)).toEqual([
      String(1_000n * ether),
      String(1_000n * ether - 100n),
      '150',
    ])
  })

  test('below the minimum of one request is refused', async () => {
    await done(`deposit ${place} --amount 1`)
    const { exit, err } = await signsNothing(() => run(`withdraw ${place} --amount-raw 99 --yes`))
    expect(exit).toBe(2)
    expect(err).toContain('at least 100 wei')
  })

  test('is shown as unknown for a wallet without a balance while the queue does not answer', async () => {
    await sandbox.chain(chainId).rpc.request('anvil_setCode', [constants().queue, '0xfe'])
    const [mine] = await positions()
    expect(mine).toMatchObject({ balance: { raw: '0' }, pending: null, claimable: null })
    expect((await run('wallet show')).out).toMatch(/queued \? sandbox-lido-\S+: its queue does not answer/)
  })

  test('is shown as unknown and left out of the total by name while the queue does not answer', async () => {
    await done(`deposit ${place} --amount 3`)
    await sandbox.chain(chainId).rpc.request('anvil_setCode', [constants().queue, '0xfe'])
    const { out } = await run('wallet show')
    expect(out).toMatch(/queued \? sandbox-lido-\S+: its queue does not answer/)
    expect(out).toMatch(/total +\$\d[\d,.]* without the queue of sandbox-lido-\S+-one \(unknown\)\n/)
    const shown = await run(`strategies show ${place} --wallet ${wallet}`)
    expect(shown.out).toMatch(/queued +unknown: its queue does not answer/)
  })

  test('is refused while the queue is paused, and a claim is not', async () => {
    await done(`deposit ${place} --amount 3`)
    await done(`withdraw ${place} --amount 1`)
    await ready()
    const owner = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
    await sandbox.sendAs(chainId, owner, {
      to: constants().queue,
      data: calldata('function setPaused(bool)', [true]),
    })
    const { exit } = await signsNothing(() => run(`withdraw ${place} --amount 1 --yes`))
    expect(exit).toBe(10)
    await done(`withdraw ${place} --claim`)
    await sandbox.sendAs(chainId, owner, {
      to: constants().stEth,
      data: calldata('function setStakingPaused(bool)', [true]),
    })
    const shown = (await run(`strategies show ${place} --json`)).json
    expect(shown).toMatchObject({ paused: true, actions: ['claim'] })
    expect((await run(`deposit ${place} --amount 1 --yes`)).exit).toBe(10)
    expect(await staked()).toBeGreaterThan(0n)
  })
})
