import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import type { AaveV3Constants } from '../../src/protocols/aave-v3/constants-schema.ts'
import { refuses } from '../support/contracts/revert-function.ts'
import { useCommands } from '../support/use-commands.ts'
import { calldata, useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run } = useCommands(sandbox)
const engine = {
  get env() {
    const [one, two] = [31337, 31338].map((chainId) => sandbox.chain(chainId).rpcUrl)
    return { SLUICE_RPC_SANDBOX_ONE: one!, SLUICE_RPC_SANDBOX_TWO: two! }
  },
}
const newAccount = privateKeyToAccount(`0x${'5'.repeat(64)}`)
/** A signed payment of nothing by a new account, for one chain or for every one. */
const legacyTransaction = (chainId?: number) =>
  newAccount.signTransaction({
    type: 'legacy',
    to: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
    nonce: 0,
    gas: 21_000n,
    gasPrice: 100_000_000_000n,
    value: 0n,
    ...(chainId !== undefined && { chainId }),
  })
/** An argument as a word of calldata. */
const word = (value: string | bigint) =>
  (typeof value === 'string' ? value.slice(2).toLowerCase() : value.toString(16)).padStart(64, '0')
const usdcPlace = 'aave-v3-usdc-sandbox-one'

const strategyFields = [
  'id',
  'slug',
  'name',
  'protocol',
  'network',
  'chainId',
  'category',
  'asset',
  'underlying',
  'actions',
  'paused',
  'apy',
  'apyBasis',
  'inceptionApy',
  'avgApy',
  'tvlUsd',
  'liquidityUsd',
  'fee',
  'performanceFeeBps',
  'isDefault',
  'startDate',
  'metadata',
]

describe('strategies list', () => {
  test('prints a table of the first 10 strategies, and how to see more', async () => {
    const { exit, out, err } = await run('strategies list')
    expect(exit).toBe(0)
    const [head, ...rows] = out.trimEnd().split('\n')
    expect(head).toMatch(/^STRATEGY +ASSET +NETWORK +CATEGORY +APY +TVL +PAUSED$/)
    expect(rows).toHaveLength(10)
    expect(err).toContain('10 of 14; --page 2 shows more')
  })

  test.each([['--csv'], ['--jq', '.items | length'], ['--template', '{{len .items}}']])(
    'says that there are more pages with %s, too',
    async (...shape) => {
      const list = ['strategies', 'list', ...shape]
      expect((await run(list)).err).toContain('10 of 14; --page 2 shows more')
      expect((await run([...list, '--limit', '20'])).err).not.toContain('shows more')
    },
  )

  test('drops columns on a narrow terminal', async () => {
    const narrow = await run('strategies list', { columns: 60 })
    for (const line of narrow.out.trimEnd().split('\n')) expect(line.length).toBeLessThanOrEqual(60)
    expect(narrow.out).toContain('APY')
    expect(narrow.out.split('\n')[0]).not.toContain('CATEGORY')
    expect(narrow.out).toMatch(/^Not shown: [^(]*CATEGORY/m)
  })

  test('as JSON is one page with exactly the documented fields', async () => {
    const { json, err } = await run('strategies list --json --all')
    expect(err).toBe('profile sandbox: local chains, play money; for real ones: sluice init\n')
    expect(Object.keys(json)).toEqual(['items', 'page', 'limit', 'total', 'hasMore', 'missing'])
    expect(json).toMatchObject({ page: 1, total: 14, hasMore: false })
    for (const item of json.items) expect(Object.keys(item).sort()).toEqual([...strategyFields].sort())
  })

  test('reports the rate and the value locked of the contracts', async () => {
    const { json } = await run(`strategies show ${usdcPlace} --json`)
    const { asset, receipt, constants } = sandbox.strategy('aave-v3-USDC-sandbox-one')
    if (constants.family !== 'aave-v3') throw new Error('not a lending market')
    const data = await sandbox.call(31337, constants.pool, 'function getReserveData(address)', [
      asset.address,
    ])
    const ray = Number(BigInt(`0x${data.slice(2 + 2 * 64, 2 + 3 * 64)}`)) / 1e27
    const second = 31_536_000
    expect(json.apy).toBeCloseTo(Math.expm1(second * Math.log1p(ray / second)), 12)
    const supply = BigInt(
      await sandbox.call(31337, receipt.address, 'function totalSupply() view returns (uint256)'),
    )
    expect(Number(json.tvlUsd) / (Number(supply) / 1e6)).toBeCloseTo(1, 4)
  })

  test('marks trailing rates, explains the mark, and filters by --apy-basis', async () => {
    await sandbox.world.warp(8 * 86_400)
    await sandbox.chain(31337).rpc.request('evm_mine')
    const { json: trailing } = await run('strategies list --json --all --apy-basis trailing-7d')
    expect(trailing.items.map(({ slug }: { slug: string }) => slug)).toContain('sandbox-lido-eth-sandbox-one')
    const { json: current } = await run('strategies list --json --all --apy-basis CURRENT')
    expect(current.total + trailing.total).toBeLessThanOrEqual(14)
    const { out, err } = await run('strategies list --all')
    for (const { slug, apyBasis } of [...trailing.items, ...current.items]) {
      const row = out.split('\n').find((line: string) => line.startsWith(`${slug} `))!
      expect(/ \*[\d.]+%/.test(row)).toBe(apyBasis === 'trailing-7d')
    }
    expect(err).toContain('* growth over the last 7 days, because no contract reports a current rate')
    expect((await run('strategies list --all --apy-basis current')).err).not.toContain('growth')
    const csv = (await run('strategies list --all --csv --fields slug,apy,apyBasis')).out
    expect(csv).toMatch(/sandbox-lido-eth-sandbox-one,[\d.e-]+,trailing-7d/)
    const shown = (await run('strategies show sandbox-lido-eth-sandbox-one')).out
    expect(shown).toMatch(/apy +[\d.]+% trailing-7d: growth of the last 7 days, compounded over 365 days/)
  })

  test('filters and sorts all strategies before it splits them into pages', async () => {
    const { json: first } = await run('strategies list --json --limit 5 --sort name')
    const { json: second } = await run('strategies list --json --limit 5 --sort name --page 2')
    const { json: third } = await run('strategies list --json --limit 5 --sort name --page 3')
    const slugs = [first, second, third].flatMap(({ items }) =>
      items.map((item: { slug: string }) => item.slug),
    )
    expect(slugs).toEqual([...slugs].sort())
    expect(new Set(slugs).size).toBe(14)
    expect([first.hasMore, second.hasMore, third.hasMore]).toEqual([true, true, false])
    const { json: weth } = await run('strategies list --json --asset weth --network 31338 --limit 1')
    expect(weth).toMatchObject({ total: 2, hasMore: true, limit: 1 })
    const { json: staking } = await run('strategies list --json --category staking')
    expect(staking.items.every(({ category }: { category: string }) => category === 'staking')).toBe(true)
    expect(staking.total).toBe(4)
    const { json: rich } = await run('strategies list --json --min-apy 2% --all')
    expect(rich.total).toBeGreaterThan(0)
    for (const { apy } of rich.items) expect(apy).toBeGreaterThanOrEqual(0.02)
    const { json: byTvl } = await run('strategies list --json --sort tvl --all')
    const tvl = byTvl.items.map(({ tvlUsd }: { tvlUsd: string }) => Number(tvlUsd))
    expect(tvl).toEqual([...tvl].sort((a, b) => b - a))
    const { json: none } = await run('strategies list --json --protocol nobody')
    const why = 'No strategies for protocol "nobody".'
    expect(none).toEqual({ items: [], page: 1, limit: 10, total: 0, hasMore: false, missing: [], why })
    expect((await run('strategies list --protocol nobody')).err).toContain(
      'No strategies for protocol "nobody".',
    )
  })

  test('selects paused strategies with --paused only, and the others with --paused exclude', async () => {
    const { json: only } = await run('strategies list --json --paused only')
    const { json: rest } = await run('strategies list --json --paused exclude')
    expect(only.total).toBeGreaterThan(0)
    expect(only.items.every(({ paused }: { paused: boolean }) => paused)).toBe(true)
    expect(only.total + rest.total).toBe(14)
  })

  test('as CSV has a header, a row per strategy, and only the requested columns', async () => {
    const { out } = await run('strategies list --csv --all --fields slug,apy')
    const [head, ...rows] = out.trimEnd().split('\n')
    expect(head).toBe('slug,apy')
    expect(rows).toHaveLength(14)
    for (const row of rows) expect(row).toMatch(/^[a-z0-9-]+,(0\.[0-9]+)?$/)
  })

  test.each([
    'strategies list --asset NONE',
    'strategies list --page 999',
    'action list',
    'wallet list',
    'swap list',
    'wallet approvals list',
  ])('%s: an unknown field is refused even if the list is empty', async (line) => {
    const empty = await run(`${line} --json`)
    expect([empty.exit, empty.json.items]).toEqual([0, []])
    for (const how of ['--json', '--csv', '']) {
      const { exit, err, out } = await run(`${line} --fields foo ${how}`)
      expect({ how, exit, said: /There is no field ."?foo/.test(err + out) }).toEqual({
        how,
        exit: 2,
        said: true,
      })
    }
    const [, known = ''] = /Fields: (\w+)/.exec((await run(`${line} --fields foo --json`)).out) ?? []
    expect((await run(`${line} --fields ${known} --json`)).json.items).toEqual([])
  })

  test('--fields chooses and orders columns and JSON fields, and an unknown field exits 2', async () => {
    const { json } = await run('strategies list --json --fields apy,slug --limit 1')
    expect(Object.keys(json.items[0])).toEqual(['apy', 'slug'])
    expect((await run('strategies list --fields apy,slug')).out).toMatch(/^ *APY +STRATEGY\n/)
    const { exit, err } = await run('strategies list --fields slgu')
    expect(exit).toBe(2)
    expect(err).toContain('slug')
  })
})

describe('global options', () => {
  test('are accepted before, between and after the words of the command', async () => {
    const after = await run('strategies list --json')
    expect((await run('--json strategies list')).out).toBe(after.out)
    expect((await run('strategies --json list')).out).toBe(after.out)
  })

  test('--quiet suppresses notices, and JSON is indented only on a terminal', async () => {
    expect((await run('--quiet strategies list')).err).toBe('')
    expect((await run('strategies list --json')).out.trimEnd()).not.toContain('\n')
    expect((await run('strategies list --json', { columns: 80 })).out).toContain('\n  "items"')
  })

  test('--debug logs node requests on stderr and nothing on stdout', async () => {
    const { out, err } = await run('--debug strategies list --json')
    expect(JSON.parse(out).total).toBe(14)
    expect(err).toMatch(/rpc 127\.0\.0\.1:[0-9]+ eth_call/)
  })
})

describe('strategies show and analytics', () => {
  test('show prints text, and JSON with exactly the documented fields', async () => {
    const { exit, out } = await run(`strategies show ${usdcPlace}`)
    expect(exit).toBe(0)
    for (const word of ['aave-v3-usdc-sandbox-one', 'lending', 'apy', 'tvl']) expect(out).toContain(word)
    const { json } = await run(`strategies show ${usdcPlace} --json`)
    const ofOne = [
      'logourl',
      'implementationSelector',
      'grade',
      'rates',
      'apyConvention',
      'protocolFeeBps',
      'managementFeeBps',
      'receipt',
    ]
    expect(Object.keys(json).sort()).toEqual([...strategyFields, ...ofOne].sort())
    const by = '@aave/core-v3 1.19.3; its calldata equals that of @aave/contract-helpers 1.38.0'
    expect(json.grade).toEqual({ grade: 'A', by })
    expect(out).toContain('A: tested against real bytecode (@aave/core-v3 1.19.3; its calldata')
    expect((await run('strategies show aave-v3-USDC-sandbox-one --json')).json.slug).toBe(usdcPlace)
  })

  test('show with --wallet reports the position of the wallet', async () => {
    await run(`deposit ${usdcPlace} --amount 10 --yes --quiet`)
    const { json } = await run(`strategies show ${usdcPlace} --wallet ${sandbox.user.address} --json`)
    expect(json.position.balance).toMatchObject({ symbol: 'USDC', decimals: 6 })
    expect(
      (await run(`strategies show aave-v3-weth-sandbox-one --wallet ${sandbox.user.address}`)).out,
    ).toMatch(/you hold +nothing/)
  })

  test('analytics equals the sum over strategies list', async () => {
    const { json } = await run('strategies analytics --json')
    const { json: all } = await run('strategies list --json --all')
    expect(json.strategyCount).toBe(all.total)
    const sum = all.items.reduce((total: number, { tvlUsd }: { tvlUsd: string }) => total + Number(tvlUsd), 0)
    expect(Number(json.totalTvlUsd) / sum).toBeCloseTo(1, 6)
    const { out } = await run('strategies analytics')
    expect(out).toContain('average apy')
    expect(out).not.toContain('without')
  })

  test('analytics says how many strategies its total leaves out', async () => {
    const { constants } = sandbox.strategy('aave-v3-USDC-sandbox-two')
    const { oracle } = constants as AaveV3Constants
    await refuses(sandbox, 31338, oracle, 'function getAssetPrice(address)')
    const { json } = await run('strategies analytics --json')
    expect(json.unpriced).toBeGreaterThan(1)
    const { out } = await run('strategies analytics')
    expect(out).toMatch(new RegExp(`tvl +[$]\\S+, without ${json.unpriced} strategies without a price`))
  })
})

describe('yield recommend', () => {
  test('returns the open strategy with the best rate, and no transactions without a wallet', async () => {
    const { json } = await run('yield recommend USDC --json')
    expect(Object.keys(json)).toEqual([
      'recommendedStrategyId',
      'destinationChain',
      'strategy',
      'spotPosition',
      'transactions',
      'compared',
    ])
    expect(json.transactions).toBeNull()
    expect(json.spotPosition.apy).toBe(json.strategy.apy)
    const { json: list } = await run('strategies list --json --asset USDC --paused exclude --limit 1')
    expect(json.strategy.apy).toBe(list.items[0].apy)
    const text = await run('yield recommend USDC')
    expect(text.out).toContain(`sluice deposit ${json.strategy.slug} --amount AMOUNT`)
  })

  test('filters by category and network, and returns transactions for a wallet', async () => {
    expect((await run('yield recommend staking --json')).json.strategy.category).toBe('staking')
    const { json } = await run(
      `yield recommend USDC --to sandbox-one --wallet ${sandbox.user.address} --amount 25 --json`,
    )
    expect(json.strategy.network).toBe('sandbox-one')
    const token = sandbox.token(31337, 'USDC').address
    expect(json.transactions[0]).toMatchObject({ to: token, chainId: 31337 })
    expect(json.transactions).toHaveLength(2)
  })

  test('lists how many rates of each basis it compared, with the best of each', async () => {
    await sandbox.world.warp(8 * 86_400)
    await sandbox.chain(31337).rpc.request('evm_mine')
    const { json } = await run('yield recommend staking --json')
    const { json: all } = await run('strategies list --json --all --paused exclude --category staking')
    const kinds = ['current', 'trailing-7d'].flatMap((apyBasis) => {
      const of = all.items.filter((one: { apyBasis: string }) => one.apyBasis === apyBasis)
      return of.length > 0
        ? [{ apyBasis, count: of.length, best: of[0].slug, apy: expect.closeTo(of[0].apy, 6) }]
        : []
    })
    expect(json.compared).toEqual(kinds)
    expect(kinds.some(({ apyBasis }) => apyBasis === 'trailing-7d')).toBe(true)
    const text = (await run('yield recommend staking')).out
    for (const { apyBasis, count } of kinds)
      expect(text).toContain(
        `${count} by ${apyBasis === 'current' ? 'their current rate' : 'growth over the last 7 days'}`,
      )
  })

  test('hints at a deposit with the amount and the source network', async () => {
    const asked = `yield recommend USDC --wallet ${sandbox.user.address} --amount 10`
    const next = async (line: string) => /next {2}(.*)/.exec((await run(line)).out)?.[1]
    expect(await next(`${asked} --from sandbox-one --to sandbox-two`)).toMatch(
      /^sluice deposit [\w-]+-sandbox-two --amount 10 --from sandbox-one --wallet 0x/,
    )
    expect(await next(`${asked} --from sandbox-one --to sandbox-one`)).toMatch(
      /^sluice deposit [\w-]+-sandbox-one --amount 10 --wallet 0x/,
    )
  })
})

describe('wallet show and history', () => {
  test('of an empty wallet report no positions and no history', async () => {
    const stranger = '0x3333333333333333333333333333333333333333'
    const { json } = await run(`wallet show ${stranger} --json`)
    expect(json).toEqual({
      address: stranger,
      positions: [],
      totalValueUsd: '0',
      onTheWay: [],
      onTheWayUsd: '0',
      queuedUsd: '0',
      collateralUsd: '0',
      debtUsd: '0',
      realised: [],
      totalProfitUsd: '0',
      unread: [],
      unsearched: [],
      missing: [],
    })
    expect((await run(`wallet show ${stranger}`)).out).toContain('no positions')
    expect((await run(`history ${usdcPlace} --address ${stranger} --json`)).json.items).toEqual([])
    expect((await run(`history ${usdcPlace} --address ${stranger}`)).err).toContain('No history in')
  })

  test('history fails for a strategy whose contract is missing', async () => {
    const { address, chainId } = sandbox.strategy('aave-v3-USDC-sandbox-one').receipt
    await sandbox.chain(chainId).rpc.request('anvil_setCode', [address, '0x'])
    const stranger = '0x3333333333333333333333333333333333333333'
    const { exit, json } = await run(`history ${usdcPlace} --address ${stranger} --json`)
    expect([exit, json.error.code]).toEqual([4, 'STRATEGY_NOT_FOUND'])
    expect(json.error.message).toContain(`no contract for ${usdcPlace} at ${address}`)
  })

  test('wallet show counts the profit of closed positions, by strategy and in the total', async () => {
    const { asset } = sandbox.strategy('aave-v3-USDC-sandbox-one')
    const before = await sandbox.balanceOf(31337, asset.address, sandbox.user.address)
    await run(`deposit ${usdcPlace} --amount 1000 --yes --quiet`)
    await sandbox.world.warp(30 * 86_400)
    expect((await run(`withdraw ${usdcPlace} --amount max --yes --quiet`)).exit).toBe(0)
    const won = (await sandbox.balanceOf(31337, asset.address, sandbox.user.address)) - before
    expect(won).toBeGreaterThan(0n)
    // The position was never read while it was open.
    const { json } = await run('wallet show --json')
    expect(json).toMatchObject({ positions: [], realised: [{ strategy: usdcPlace }] })
    expect(json.realised[0].realised.raw).toBe(won.toString())
    expect(Number(json.realised[0].realisedUsd)).toBeCloseTo(Number(won) / 1e6, 2)
    expect(json.totalProfitUsd).toBe(json.realised[0].realisedUsd)
    await run(`deposit ${usdcPlace} --amount 500 --yes --quiet`)
    await sandbox.world.warp(30 * 86_400)
    const { json: again } = await run('wallet show --json')
    expect(again.realised[0].realised.raw).toBe(won.toString())
    const sum = Number(again.positions[0].profitUsd) + Number(again.realised[0].realisedUsd)
    expect(Number(again.totalProfitUsd)).toBeCloseTo(sum, 6)
    const { out } = await run('wallet show')
    expect(out).toMatch(/^closed +aave-v3-usdc-sandbox-one +realised [\d.]+ USDC/m)
    expect(out).toMatch(/^profit +\$[\d.]+ /m)
  })

  test('wallet show lists principal, profit and USD value with exactly the documented fields', async () => {
    await run(`deposit ${usdcPlace} --amount 1000 --yes --quiet`)
    await sandbox.world.warp(30 * 86_400)
    const { json } = await run('wallet show --json')
    expect(json.address).toBe(sandbox.user.address)
    const [position] = json.positions
    expect(Object.keys(position).sort()).toEqual(
      [
        'strategy',
        'balance',
        'principal',
        'profit',
        'balanceUsd',
        'profitUsd',
        'apy',
        'staked',
        'pending',
        'performanceFee',
        'claimable',
        'queuedUsd',
      ].sort(),
    )
    const { receipt } = sandbox.strategy('aave-v3-USDC-sandbox-one')
    const held = await sandbox.balanceOf(31337, receipt.address, sandbox.user.address)
    expect(position.balance.raw).toBe(held.toString())
    expect(position.principal.raw).toBe('1000000000')
    expect(BigInt(position.profit.raw)).toBe(held - 1_000_000000n)
    expect(BigInt(position.profit.raw)).toBeGreaterThan(0n)
    const { out } = await run('wallet show')
    expect(out).toContain(sandbox.user.address)
    expect(out).toMatch(/STRATEGY +BALANCE/)
  })

  test('history is newest first and split into pages, with exactly the documented fields', async () => {
    await run(`deposit ${usdcPlace} --amount 100 --yes --quiet`)
    await run(`withdraw ${usdcPlace} --amount 40 --yes --quiet`)
    await run(`deposit ${usdcPlace} --amount 7 --yes --quiet`)
    const { json } = await run(`history ${usdcPlace} --json`)
    expect(json.items.map(({ type, amount }: never) => [type, (amount as { raw: string }).raw])).toEqual([
      ['deposit', '7000000'],
      ['withdraw', '40000000'],
      ['deposit', '100000000'],
    ])
    for (const item of json.items) {
      expect(Object.keys(item).sort()).toEqual(['amount', 'status', 'timestamp', 'txHash', 'type'])
      expect(item.status).toBe('confirmed')
      const receipt = await sandbox.chain(31337).rpc.request('eth_getTransactionReceipt', [item.txHash])
      expect(receipt).toMatchObject({ status: '0x1' })
    }
    const { json: second } = await run(`history ${usdcPlace} --json --limit 2 --page 2`)
    expect(second).toMatchObject({ page: 2, limit: 2, total: 3, hasMore: false })
    expect(second.items).toEqual(json.items.slice(2))
    expect((await run(`history ${usdcPlace} --json --all`)).json.items).toEqual(json.items)
    // A page after the last one is empty although there is history.
    const { err } = await run(`history ${usdcPlace} --page 99`)
    expect(err).toContain(`Page 99 is empty; there are ${json.total} rows in all`)
    expect(err).not.toContain('No history')
    const { out } = await run(`history ${usdcPlace} --csv`)
    expect(out.split('\n')[0]).toBe('timestamp,type,amount,amountToken,amountDecimals,status,txHash')
  })
})

describe('wallet balances, networks list, tokens list', () => {
  const holder = '0x4545454545454545454545454545454545454545'

  test('balances lists the coin and tokens of every network with USD, in one round of requests', async () => {
    expect((await run(`sandbox fund ${holder} --token USDC --amount 500`)).exit).toBe(0)
    const { exit, json } = await run(`wallet balances ${holder} --json`)
    expect(exit).toBe(0)
    const rows = json.items.map(({ network, amount, usd }: never) => [network, amount, usd])
    const amount = { raw: '500000000', decimals: 6, symbol: 'USDC', formatted: '500' }
    expect(rows).toEqual([
      ['sandbox-one', amount, '500'],
      ['sandbox-two', amount, '500'],
    ])
    expect(json).toMatchObject({ totalUsd: '1000', missing: [], unread: [] })
    const { out, err } = await run(`wallet balances ${holder} --network sandbox-two`)
    expect(out).toMatch(/^NETWORK +TOKEN +AMOUNT +USD\nsandbox-two +USDC +500 +\$500.00\n$/)
    expect(err).toContain('total $500.00')
    const { err: trace } = await run(`wallet balances ${holder} --network sandbox-one --json --debug`, engine)
    expect(trace.match(/eth_call/g)).toHaveLength(3) // Balances, prices and the ages of prices, at the same time.
  })

  test('balances names a network that does not answer, and fails only if none answers', async () => {
    const dead = 'http://127.0.0.1:9'
    const part = { env: { ...engine.env, SLUICE_RPC_SANDBOX_TWO: dead } }
    const { exit, json } = await run(`wallet balances ${sandbox.user.address} --json --timeout 5s`, part)
    expect({ exit, missing: json.missing }).toEqual({ exit: 0, missing: ['sandbox-two'] })
    expect(json.items.every(({ network }: never) => network === 'sandbox-one')).toBe(true)
    const { err } = await run(`wallet balances ${sandbox.user.address} --timeout 5s`, part)
    expect(err).toContain('unknown on sandbox-two: no answer')
    const none = { env: { SLUICE_RPC_SANDBOX_TWO: dead } }
    expect((await run(`wallet balances ${sandbox.user.address} --timeout 5s`, none)).exit).toBe(7)
  })

  test('strategies list whose only node is dead names the cause once, in the error', async () => {
    const dead = { env: { SLUICE_RPC_SANDBOX_TWO: 'http://127.0.0.1:9' } }
    const { exit, err } = await run('strategies list', dead)
    expect({ exit, told: err.match(/cannot be reached/g)?.length }).toEqual({ exit: 7, told: 1 })
    expect(err).toMatch(
      /^error The node at 127\.0\.0\.1:9 cannot be reached \(RPC_UNREACHABLE\)\nnext .*SLUICE_RPC_SANDBOX_TWO/,
    )
  })

  test('networks list names the variable of every network that the profile lacks', async () => {
    const { out } = await run('networks list')
    expect(out).toMatch(/sandbox-one +31337 +ETH +yes +1 block/)
    expect(out).toMatch(/base +8453 +ETH +no: set SLUICE_RPC_BASE /)
    const { json } = await run('networks list --json', engine)
    const known = json.items.filter(({ rpc }: { rpc: boolean }) => rpc)
    expect(known.map(({ network }: never) => network)).toEqual(['sandbox-one', 'sandbox-two'])
  })

  test('tokens list filters by network and by any symbol of a token', async () => {
    const usdc = sandbox.token(31338, 'USDC')
    for (const asset of ['usdc', usdc.address]) {
      const { json } = await run(`tokens list --network sandbox-two --asset ${asset} --json`)
      const { address, decimals } = usdc
      const row = {
        network: 'sandbox-two',
        chainId: 31338,
        symbol: 'USDC',
        otherSymbols: [],
        address,
        decimals,
      }
      expect(json.items).toEqual([expect.objectContaining(row)])
    }
    expect((await run('tokens list --asset usdx')).err).toContain('No token "usdx".')
    expect((await run('tokens list --asset udsc')).err).toContain('No token "udsc"; did you mean USDC?')
    expect((await run('tokens list --network base')).err).toContain('SLUICE_RPC_BASE')
  })

  test('wallet show counts funds on the way from another network until they arrive', async () => {
    const line = '--from sandbox-one --to sandbox-two --token-in USDC --token-out USDC --amount-in 20'
    const before = (await run('wallet show --json')).json
    expect(before).toMatchObject({ onTheWay: [], onTheWayUsd: '0' })
    expect((await run('sandbox fault bridge-stuck')).exit).toBe(0)
    const sent = await run(`swap execute ${line} --yes --json --timeout 4s --provider cctp`)
    expect(sent.exit).toBe(20)
    const action = sent.json.error.details.operation ?? sent.json.error.details.id
    const { json } = await run('wallet show --json')
    expect(json.onTheWay).toEqual([
      { action, network: 'sandbox-two', amount: expect.objectContaining({ symbol: 'USDC' }), usd: '20' },
    ])
    expect(Number(json.totalValueUsd) - Number(before.totalValueUsd)).toBeCloseTo(20, 1)
    const { out } = await run('wallet show')
    expect(out).toMatch(
      /on the way {2}at least [\d.]+ USDC to sandbox-two \(\$20\.00\)\nto follow {3}sluice action watch \S+$/m,
    )
    expect((await run('sandbox fault clear')).exit).toBe(0)
    expect((await run(`action resume ${action} --yes`)).exit).toBe(0)
    expect((await run('wallet show --json')).json.onTheWay).toEqual([])
  })
})

describe('sandbox', () => {
  test('status has exactly the documented fields', async () => {
    const { json } = await run('sandbox status --json')
    expect(Object.keys(json)).toEqual(['running', 'pid', 'chains', 'accounts', 'tokens'])
    expect(json.running).toBe(true)
    for (const chain of json.chains)
      expect(Object.keys(chain)).toEqual(['network', 'chainId', 'rpcUrl', 'blockNumber'])
    for (const token of json.tokens)
      expect(Object.keys(token)).toEqual(['network', 'symbol', 'address', 'decimals'])
    expect(json.accounts[0]).toEqual({ address: sandbox.user.address, default: true })
    expect((await run('sandbox status')).out).toContain('sandbox-two (31338)')
  })

  test('fund gives one token or all of them', async () => {
    const to = '0x4444444444444444444444444444444444444444'
    const usdc = sandbox.token(31337, 'USDC').address
    const { json } = await run(`sandbox fund ${to} --token usdc --amount 500 --json`)
    expect(json.grants.map(({ network, formatted }: never) => [network, formatted])).toEqual([
      ['sandbox-one', '500'],
      ['sandbox-two', '500'],
    ])
    expect(await sandbox.balanceOf(31337, usdc, to)).toBe(500_000000n)
    expect((await run(`sandbox fund ${to}`)).exit).toBe(0)
    expect(await sandbox.nativeBalanceOf(31338, to)).toBeGreaterThan(0n)
    const { address } = (await run('wallet new ops --json', { secrets: { password: 'a long password' } }))
      .json
    expect((await run('sandbox fund ops --json')).json.to).toBe(address)
  })

  test('warp moves the clocks of both chains', async () => {
    const time = async (chainId: number) => {
      const block = await sandbox
        .chain(chainId)
        .rpc.request<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false])
      return Number(block.timestamp)
    }
    const before = [await time(31337), await time(31338)]
    expect((await run('sandbox warp 1d')).exit).toBe(0)
    expect((await time(31337)) - before[0]!).toBeGreaterThanOrEqual(86_400)
    expect((await time(31338)) - before[1]!).toBeGreaterThanOrEqual(86_400)
  })

  test('reset without --yes and without a terminal exits 2', async () => {
    const { exit, err } = await run('sandbox reset')
    expect(exit).toBe(2)
    expect(err).toContain('--yes')
  })
})

test('yield recommend returns the approval calldata of the published ABI', async () => {
  const { json } = await run(
    `yield recommend USDC --to sandbox-one --wallet ${sandbox.user.address} --amount 1 --json`,
  )
  expect(json.transactions[0].data).toBe(
    calldata('function approve(address,uint256)', [json.transactions[1].to, 1_000000n]),
  )
})

describe('decode', () => {
  const env = () => engine.env
  const friend = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'

  test('of a hash tells what the own transaction does, and which network has it', async () => {
    const { address } = sandbox.user
    const { transactionHash: hash } = await sandbox.sendAs(31337, address, { to: friend, value: 10n ** 18n })
    const told = { hash, network: 'sandbox-one', text: `sends 1 ETH to ${friend}`, decoded: true }
    expect((await run(['decode', hash, '--json'], { env: env() })).json).toMatchObject(told)
    expect((await run('decode - --json', { env: env(), stdin: `${hash}\n` })).json).toMatchObject(told)
    // Another network does not have it.
    expect(
      (await run(['decode', hash, '--network', 'sandbox-two', '--json'], { env: env() })).json.error,
    ).toMatchObject({ code: 'ACTION_NOT_FOUND' })
  })

  test('of a hash that reverted begins with that, shows the arguments, and names the command that says why', async () => {
    const { address } = sandbox.user
    const { rpc } = sandbox.chain(31337)
    const usdc = sandbox.token(31337, 'USDC').address
    // More than anybody has; a gas limit, because an estimate would refuse it.
    const data = calldata('function transfer(address,uint256)', [friend, 281474976710655n])
    const hash = await rpc.request<string>('eth_sendTransaction', [
      { from: address, to: usdc, data, gas: '0x186a0' },
    ])
    await rpc.request('anvil_mine', ['0x1'])
    const { json } = await run(['decode', hash, '--json'], { env: env() })
    expect(json).toMatchObject({ status: 'reverted', candidates: [] })
    const { out } = await run(['decode', hash], { env: env() })
    expect(out).toMatch(/^Reverted, so none of it happened: sends 281,474,976\.710655 USDC to 0x3C44/)
    expect(out).toMatch(/^ {2}(to|recipient) +0x3C44/m)
    expect(out).toMatch(/^ {2}\w+ +281474976710655$/m)
    expect(out).toMatch(/^outcome +reverted$/m)
    expect(out).toContain(`sluice action explain ${hash}`)
  })

  test.each([
    {
      of: 'one kind of contract says what it does, in smallest units',
      data: `0x617ba037${[friend, 5_000_000n, friend, 0n].map(word).join('')}`,
      told: {
        function: 'supply(address,uint256,address,uint16)',
        kind: 'deposit',
        text: expect.stringMatching(
          /^supplies 5000000 smallest units of 0x3C44\w+ to the called pool for 0x3C44\w+, if the called contract is /,
        ),
        candidates: expect.arrayContaining(['Aave v3', 'SparkLend']),
      },
    },
    {
      of: 'a token names no token and no symbol',
      data: `0xa9059cbb${[friend, 7n].map(word).join('')}`,
      told: {
        text: expect.stringMatching(/^sends 7 smallest units of the called token to 0x3C44/),
        candidates: ['a token'],
      },
    },
    {
      of: 'several kinds lists them and claims nothing',
      data: `0x6e553f65${[5n, friend].map(word).join('')}`,
      told: {
        text: 'calls deposit(uint256,address), which differs between the contracts that have it',
        arguments: [{ value: '5' }, { value: friend }],
      },
    },
  ])('of calldata without a contract, of a function of $of', async ({ data, told }) => {
    const { exit, json } = await run(`decode ${data} --json`)
    expect({ exit, json }).toMatchObject({
      exit: 0,
      json: { decoded: false, to: null, network: null, value: null, gives: [], ...told },
    })
    expect((await run(`decode ${data}`)).out).toMatch(/^next +.*name the contract/m)
  })

  test('of calldata of a function that no contract has says so, and exits 4', async () => {
    const { exit, json } = await run('decode 0xdeadbeef --json')
    expect({ exit, error: json.error }).toMatchObject({
      exit: 4,
      error: {
        code: 'NOT_FOUND',
        message: 'not decoded: no contract that this program knows has the function 0xdeadbeef',
      },
    })
    // Known, but cut off.
    expect((await run('decode 0xa9059cbb00 --json')).exit).toBe(2)
  })

  test('of a hash that two networks have asks for one of them', async () => {
    // The same transaction of a sender that no chain id binds, on both chains.
    const raw = await legacyTransaction()
    const hashes = await Promise.all(
      [31337, 31338].map(async (chainId) => {
        const { rpc } = sandbox.chain(chainId)
        await rpc.request('anvil_setBalance', [newAccount.address, '0xde0b6b3a7640000'])
        return rpc.request<string>('eth_sendRawTransaction', [raw])
      }),
    )
    expect(hashes[0]).toBe(hashes[1])
    const { error } = (await run(['decode', hashes[0]!, '--json'], { env: env() })).json
    expect(error).toMatchObject({
      code: 'USAGE',
      message: '2 networks have a transaction with this hash: sandbox-one, sandbox-two',
      hint: `sluice decode ${hashes[0]} --network sandbox-one`,
    })
    const next = await run(`${error.hint.replace('sluice ', '')} --json`, { env: env() })
    expect(next.json).toMatchObject({ network: 'sandbox-one', hash: hashes[0] })
  })

  test('of an unknown hash names what was searched, and the command that lists it', async () => {
    const nobodys = `0x${'ab'.repeat(32)}`
    expect((await run(['decode', nobodys, '--json'], { env: env() })).json.error).toEqual(
      expect.objectContaining({
        code: 'ACTION_NOT_FOUND',
        message: `No network has a transaction with the hash ${nobodys}`,
        hint: expect.stringMatching(/: sluice networks list$/),
      }),
    )
    expect((await run('networks list --json')).exit).toBe(0)
  })

  test('of a transaction for an unknown chain names the command that lists the networks', async () => {
    // EIP-155 of chain 999999999.
    const raw = await legacyTransaction(999_999_999)
    expect((await run(['decode', raw, '--json'], { env: env() })).json.error).toMatchObject({
      code: 'UNKNOWN_NETWORK',
      hint: 'The networks that it knows: sluice networks list',
    })
  })
})
