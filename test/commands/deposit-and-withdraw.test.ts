import { describe, expect, test } from 'vitest'
import { sandboxAddress } from '../../src/sandbox/accounts.ts'
import { useCommands } from '../support/use-commands.ts'
import { calldata, useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, attempts, signsNothing } = useCommands(sandbox)
const place = 'aave-v3-usdc-sandbox-one'
const wallet = () => sandbox.user.address
const usdc = (chainId = 31337) => sandbox.token(chainId, 'USDC').address
const held = (chainId: number, token = usdc(chainId)) => sandbox.balanceOf(chainId, token, wallet())
const receiptOf = (id: string) => {
  const { chainId, receipt } = sandbox.strategy(id)
  return sandbox.balanceOf(chainId, receipt.address, wallet())
}

const actionFields = [
  'id',
  'type',
  'status',
  'strategyId',
  'strategySlug',
  'originAddress',
  'receiverAddress',
  'amounts',
  'transactions',
  'createdAt',
  'updatedAt',
  'finishedAt',
  'assurance',
  'replayed',
  'idempotencyKey',
]
const transactionFields = [
  'index',
  'kind',
  'chainId',
  'network',
  'to',
  'hash',
  'nonce',
  'status',
  'blockNumber',
  'gasUsed',
  'explorerUrl',
  'error',
]

describe('deposit', () => {
  test('approves and deposits exactly the amount, and reports both transactions', async () => {
    const before = await held(31337)
    const { exit, json } = await run(`deposit ${place} --amount 100.5 --yes --json --quiet`)
    expect(exit).toBe(0)
    for (const field of actionFields) expect(json).toHaveProperty(field)
    expect(json).toMatchObject({
      type: 'SAMECHAIN_INVESTMENT_DEPOSIT',
      status: 'SUCCESS',
      strategySlug: place,
      originAddress: wallet(),
      receiverAddress: wallet(),
      amounts: { in: { raw: '100500000', decimals: 6, symbol: 'USDC', formatted: '100.5' } },
      replayed: false,
    })
    expect(json.transactions.map(({ kind }: { kind: string }) => kind)).toEqual(['approve', 'deposit'])
    for (const one of json.transactions) {
      for (const field of transactionFields) expect(one).toHaveProperty(field)
      const { rpc } = sandbox.chain(one.chainId)
      expect(await rpc.request('eth_getTransactionReceipt', [one.hash])).toMatchObject({ status: '0x1' })
    }
    expect(before - (await held(31337))).toBe(100_500000n)
    expect(await receiptOf('aave-v3-USDC-sandbox-one')).toBeGreaterThanOrEqual(100_500000n)
    const { constants } = sandbox.strategy('aave-v3-USDC-sandbox-one')
    if (constants.family !== 'aave-v3') throw new Error('not a lending market')
    const allowance = 'function allowance(address,address) view returns (uint256)'
    expect(BigInt(await sandbox.call(31337, usdc(), allowance, [wallet(), constants.pool]))).toBe(0n)
    expect(attempts()).toBe(2)
  })

  test('prints progress on stderr and the result on stdout', async () => {
    const { exit, out, err } = await run(`deposit ${place} --amount 5 --yes`)
    expect(exit).toBe(0)
    expect(err).toContain('✓ Supply 5 USDC to Aave v3')
    expect(out).toMatch(/status +SUCCESS/)
    expect(out).not.toContain('✓')
  })

  test.each([
    ['--amount 100USDC', 100_000000n],
    ['--amount 100usdc', 100_000000n],
    ['--amount 0.000001', 1n],
    ['--amount 1.500000000', 1_500000n],
    ['--amount-raw 100500000', 100_500000n],
  ])('%s deposits %d of the smallest unit', async (amount, raw) => {
    const before = await held(31337)
    expect((await run(`deposit ${place} ${amount} --yes --quiet`)).exit).toBe(0)
    expect(before - (await held(31337))).toBe(raw)
  })

  test('into a vault receives its shares', async () => {
    const before = await held(31337)
    expect((await run('deposit sandbox-vault-usdc-sandbox-one --amount 50 --yes --quiet')).exit).toBe(0)
    expect(before - (await held(31337))).toBe(50_000000n)
    expect(await receiptOf('sandbox-vault-USDC-sandbox-one')).toBeGreaterThan(0n)
  })

  test('across chains bridges first, then deposits the amount that arrived', async () => {
    const [one, two] = [await held(31337), await held(31338)]
    const { exit, json, err } = await run(
      'deposit aave-v3-usdc-sandbox-two --amount 25 --from sandbox-one --yes --json',
    )
    expect({ exit, err }).toMatchObject({ exit: 0 })
    expect(err).toContain('arrived on sandbox-two')
    expect(json.type).toBe('CROSSCHAIN_INVESTMENT_DEPOSIT')
    expect(json.transactions.map(({ kind, chainId }: never) => [kind, chainId])).toEqual([
      ['approve', 31337],
      ['bridge', 31337],
      ['approve', 31338],
      ['deposit', 31338],
    ])
    expect(one - (await held(31337))).toBe(25_000000n)
    expect(await held(31338)).toBe(two)
    const brought = 25_000000n
    expect((await receiptOf('aave-v3-USDC-sandbox-two')) - brought).toBeLessThan(10n)
    expect(await receiptOf('aave-v3-USDC-sandbox-two')).toBeGreaterThanOrEqual(brought - 1n)
  })
})

test('withdraw from a vault without previewRedeem accepts the amount by its price, and the plan says so', async () => {
  const slug = 'sandbox-vault-usdc-sandbox-one'
  const { rpc } = sandbox.chain(31337)
  const vault = sandbox.strategy('sandbox-vault-USDC-sandbox-one').receipt.address
  const code = await rpc.request<string>('eth_getCode', [vault, 'latest'])
  // The code without `previewRedeem`.
  const mute = code.replaceAll('634cdad506', '63ffffffff')
  expect(mute).not.toBe(code)
  await rpc.request('anvil_setCode', [vault, mute])
  await run(`deposit ${slug} --amount 100 --yes --quiet`)
  const planned = await run(`withdraw ${slug} --amount max --dry-run --json`)
  expect(planned.json.steps[0].text).toMatch(
    /^Withdraw all USDC from the vault; the vault does not quote its payout in advance: at least (100|99\.999999) USDC at its price is accepted$/,
  )
  expect(await run(`withdraw ${slug} --amount max --yes --json`)).toMatchObject({
    exit: 0,
    json: { status: 'SUCCESS' },
  })
  expect(await receiptOf('sandbox-vault-USDC-sandbox-one')).toBe(0n)
})

describe('withdraw', () => {
  test('pays out exactly the amount', async () => {
    await run(`deposit ${place} --amount 100 --yes --quiet`)
    const before = await held(31337)
    const { exit, json } = await run(`withdraw ${place} --amount 40 --yes --json --quiet`)
    expect(exit).toBe(0)
    expect(json).toMatchObject({ type: 'SAMECHAIN_INVESTMENT_WITHDRAW', status: 'SUCCESS' })
    expect((await held(31337)) - before).toBe(40_000000n)
  })

  test.each([
    'aave-v3-USDC-sandbox-one',
    'sandbox-vault-USDC-sandbox-one',
    'sandbox-staking-WETH-sandbox-one',
  ])('max out of %s leaves no dust after a year', async (id) => {
    const { asset, chainId } = sandbox.strategy(id)
    const before = await held(chainId, asset.address)
    await run(`deposit ${id} --amount 3 --yes --quiet`)
    await sandbox.world.warp(365 * 86_400)
    const { exit } = await run(`withdraw ${id} --amount max --yes --quiet`)
    expect(exit).toBe(0)
    expect(await receiptOf(id)).toBe(0n)
    expect(await held(chainId, asset.address)).toBeGreaterThan(before)
  })
})

describe('transfer', () => {
  const to = '0x5555555555555555555555555555555555555555'

  test('sends a token', async () => {
    const { exit, json } = await run(
      `transfer --network sandbox-one --token USDC --to ${to} --amount 5 --yes --json --quiet`,
    )
    expect(exit).toBe(0)
    expect(json).toMatchObject({ type: 'TRANSFER_OUT', status: 'SUCCESS', receiverAddress: to })
    expect(await sandbox.balanceOf(31337, usdc(), to)).toBe(5_000000n)
  })

  test('sends the native coin on a network given by its chain ID', async () => {
    expect(
      (await run(`transfer --network 31338 --token ETH --to ${to} --amount 1.5 --yes --quiet`)).exit,
    ).toBe(0)
    expect(await sandbox.nativeBalanceOf(31338, to)).toBe(15n * 10n ** 17n)
  })

  test('takes a token by its address where two tokens share a symbol', async () => {
    const [dup] = sandbox.world.catalog().tokens.filter(({ symbol }) => symbol === 'DUP')
    await sandbox.sendAs(31337, '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', {
      to: dup!.address,
      data: calldata('function mint(address,uint256)', [wallet(), 10n ** 18n]),
    })
    const line = `transfer --network sandbox-one --token ${dup!.address} --to ${to} --amount 1 --yes --quiet`
    expect((await run(line)).exit).toBe(0)
    expect(await sandbox.balanceOf(31337, dup!.address, to)).toBe(10n ** 18n)
  })
})

describe('--amount max and a share of the balance', () => {
  const other = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
  const send = `transfer --network sandbox-one --to ${other}`
  const same = 'swap execute --from sandbox-one --provider uniswap-v3'

  test.each([
    [`deposit ${place} --amount max`, 'USDC', 10_000n],
    [`${send} --token USDC --amount 50%`, 'USDC', 5_000n],
    [`${send} --token ETH --amount max`, 'ETH', 10_000n],
    [`${same} --token-in WETH --token-out USDC --amount-in 0.5%`, 'WETH', 50n],
  ])('%s is that share of the %s balance, of the coin less its gas', async (line, symbol, share) => {
    const { json, err } = await run(`${line} --dry-run --json`)
    const isCoin = symbol === 'ETH'
    const held = isCoin
      ? await sandbox.nativeBalanceOf(31337, sandbox.user.address)
      : await sandbox.balanceOf(31337, sandbox.token(31337, symbol).address, sandbox.user.address)
    const { amount } = json.operation.legs[0].intent
    const { raw } = json.operation.about.amounts.in
    expect(amount ?? json.operation.legs[0].intent.amountIn).toBe(raw)
    if (!isCoin) return expect(BigInt(raw)).toBe((held * share) / 10_000n)
    expect(err).toMatch(
      /^max of [\d.,]+ ETH on sandbox-one is [\d.,]+ ETH; [\d.,]+ ETH is left aside for gas$/m,
    )
    expect(held - BigInt(raw)).toBeGreaterThan(BigInt(json.fees.maxCost.raw))
    expect(held - BigInt(raw)).toBeLessThan(10n ** 18n)
  })

  test('a repeated key is the same action with the same amount, whatever the balance is by then', async () => {
    const line = `${send} --token BRLA --amount 50% --yes --json --idempotency-key half-of-it-1`
    const first = await run(line)
    expect(first.json.amounts.in.formatted).toBe('50000')
    const again = await run(line)
    expect(again.json).toMatchObject({ id: first.json.id, replayed: true, amounts: first.json.amounts })
    expect((await run(line.replace('50%', 'max'))).exit).toBe(14)
  })

  test('withdraw --amount 50% takes half of the position, of a lending market, a vault and a rebasing receipt', async () => {
    for (const slug of [place, 'sandbox-vault-usdc-sandbox-one', 'aave-v3-usdt-sandbox-one']) {
      await run(`deposit ${slug} --amount 90 --yes --quiet`)
      const line = `withdraw ${slug} --amount 50% --yes --json --idempotency-key half-of-${slug}`
      const half = await run(line)
      expect(half, half.out).toMatchObject({ exit: 0 })
      const said = new RegExp(`^50% of ([\\d.]+) \\w+ in ${slug} is ([\\d.]+) \\w+$`, 'm').exec(half.err)
      expect(said, half.err).not.toBeNull()
      expect(Number(said![1])).toBeGreaterThanOrEqual(89.99)
      expect(Math.abs(Number(said![1]) / 2 - Number(said![2]))).toBeLessThan(0.000_002)
      expect(Math.abs(Number(half.json.amounts.out.formatted) - Number(said![2]))).toBeLessThan(0.000_01)
      const again = await run(line)
      expect(again.json).toMatchObject({ id: half.json.id, replayed: true })
      const rest = await run(`withdraw ${slug} --amount 100% --dry-run --json`)
      expect(rest.json.operation.legs[0].intent.amount).toBe(String(2n ** 256n - 1n))
    }
  })

  test('a share of a position that is not there is INSUFFICIENT_FUNDS', async () => {
    const nothing = `withdraw ${place} --amount 50% --dry-run --json --wallet ${sandboxAddress(7)}`
    const { exit, json } = await run(nothing)
    expect({ exit, code: json.error.code }).toEqual({ exit: 10, code: 'INSUFFICIENT_FUNDS' })
  })

  test.each([
    [`deposit ${place} --amount half`, 'max or 50%: sluice '],
    [`withdraw ${place} --amount 150%`, 'max or 50%: sluice '],
    [`${send} --token USDC --amount 0%`, 'max or 50%: sluice '],
    [`${same} --token-in WETH --token-out USDC --amount-in most`, 'max or 50%: sluice swap execute --help'],
  ])('%s names the shares that are possible', async (line, says) => {
    const { exit, json } = await run(`${line} --json`)
    expect(exit).toBe(2)
    expect(json.error).toMatchObject({ code: 'INVALID_AMOUNT', hint: expect.stringContaining(says) })
  })

  test('an output amount, which is no share of anything, gets no such hint', async () => {
    const { json } = await run(`${same} --token-in WETH --token-out USDC --amount-out most --json`)
    expect(json.error.hint).not.toMatch(/50%|max/)
  })

  test('an empty wallet has nothing to send', async () => {
    const empty = `--dry-run --token BRLA --amount max --json --wallet ${sandboxAddress(7)}`
    const { exit, json } = await run(`${send} ${empty}`)
    expect({ exit, code: json.error.code }).toEqual({ exit: 10, code: 'INSUFFICIENT_FUNDS' })
  })
})

describe('--dry-run', () => {
  test('simulates and signs nothing, and the plan has the documented fields', async () => {
    const { exit, json } = await signsNothing(() => run(`deposit ${place} --amount 100 --dry-run --json`))
    expect(exit).toBe(0)
    expect(Object.keys(json)).toEqual([
      'planHash',
      'wallet',
      'signer',
      'nonce',
      'steps',
      'contracts',
      'priceImpacts',
      'slippages',
      'standing',
      'simulation',
      'fees',
      'laterFees',
      'arrivals',
      'serviceFees',
      'reference',
      'proof',
      'policy',
      'assurance',
      'expiresAt',
      'operation',
      'shownHash',
    ])
    expect(json.steps).toHaveLength(2)
    for (const step of json.steps)
      for (const field of ['network', 'to', 'value', 'data', 'call', 'needs'])
        expect(step).toHaveProperty(field)
    expect(json.steps[0].call).toMatchObject({ name: 'approve', args: { amount: '100000000' } })
    expect(json.steps[1].call.name).toBe('supply')
    expect(json.simulation.changes).toMatchObject([
      { symbol: 'USDC', raw: '-100000000' },
      { symbol: 'aUSDC', raw: '100000000' },
    ])
    expect(json.simulation.allowances).toMatchObject([{ before: '0', after: '0' }])
    const nonce = await sandbox.chain(31337).rpc.request('eth_getTransactionCount', [wallet(), 'latest'])
    expect(json.nonce).toBe(Number(nonce))
  })

  test('says that nothing is signed, for deposit, transfer and swap', async () => {
    for (const line of [
      `deposit ${place} --amount 1`,
      'deposit aave-v3-usdc-sandbox-two --from sandbox-one --amount 1',
      `transfer --network sandbox-one --token USDC --to 0x5555555555555555555555555555555555555555 --amount 1`,
      'swap execute --from sandbox-one --token-in USDC --token-out WETH --amount-in 1',
    ]) {
      const { exit, out } = await signsNothing(() => run(`${line} --dry-run`))
      expect({ line, exit }).toEqual({ line, exit: 0 })
      expect(out).toContain('dry run, nothing is signed')
      expect(out).toMatch(/wallet +0x/)
    }
  })
})

describe('--idempotency-key', () => {
  test('a repeated command returns the same document with replayed: true and pays nothing', async () => {
    const line = `deposit ${place} --amount 10 --yes --json --quiet --idempotency-key job-2026-11-21`
    const first = await run(line)
    const before = await held(31337)
    const second = await signsNothing(() => run(line))
    expect([first.exit, second.exit]).toEqual([0, 0])
    expect(second.json).toEqual({ ...first.json, replayed: true })
    expect(await held(31337)).toBe(before)
    expect(first.json.idempotencyKey).toBe('job-2026-11-21')
  })

  test('with another request exits 14 and signs nothing', async () => {
    const { json: first } = await run(
      `deposit ${place} --amount 10 --yes --json --idempotency-key job-2026-11-21`,
    )
    for (const line of [
      `deposit ${place} --amount 11`,
      `withdraw ${place} --amount 10`,
      'deposit aave-v3-usdt-sandbox-one --amount 10',
    ]) {
      const again = `${line} --yes --json --idempotency-key job-2026-11-21`
      const { exit, json } = await signsNothing(() => run(again))
      expect([exit, json.error.code]).toEqual([14, 'IDEMPOTENCY_KEY_REUSED'])
      expect(json.error.hint).toBe(
        `Use another key for a new action. To see the earlier one: sluice action show ${first.id}`,
      )
    }
  })

  test('stays free after a dry run', async () => {
    const key = '--idempotency-key first-a-dry-run'
    expect((await run(`deposit ${place} --amount 10 --dry-run ${key} --json`)).exit).toBe(0)
    expect((await run(`deposit ${place} --amount 12 --yes ${key} --quiet`)).exit).toBe(0)
  })
})

describe('action', () => {
  test('--no-wait exits 20 after sending, and resume completes exactly one deposit', async () => {
    const before = await held(31337)
    const sent = await run(`deposit ${place} --amount 10 --yes --no-wait --json --quiet`)
    expect(sent.exit).toBe(20)
    expect(sent.json.error).toMatchObject({ code: 'PENDING', retryable: true })
    const { id } = sent.json.error.details
    expect(sent.json.error.hint).toBe(`sluice action resume ${id}`)
    expect(sent.json.error.details.action.transactions[0].hash).toMatch(/^0x[0-9a-f]{64}$/)
    const done = await run(`action resume ${id} --json --quiet`)
    expect(done.exit).toBe(0)
    expect(done.json).toMatchObject({ id, status: 'SUCCESS' })
    expect(before - (await held(31337))).toBe(10_000000n)
    const again = await signsNothing(() => run(`action resume ${id} --json --quiet`))
    expect(again.json).toEqual({ ...done.json, replayed: true })
  })

  test('list and show print actions, by ID and by idempotency key', async () => {
    const { json: made } = await run(
      `deposit ${place} --amount 10 --yes --json --quiet --idempotency-key by-its-key`,
    )
    await run(`withdraw ${place} --amount 4 --yes --quiet`)
    const { json: list } = await run('action list --json')
    expect(list.items.map(({ type }: { type: string }) => type)).toEqual([
      'SAMECHAIN_INVESTMENT_WITHDRAW',
      'SAMECHAIN_INVESTMENT_DEPOSIT',
    ])
    expect((await run('action list --status pending --json')).json.total).toBe(0)
    expect((await run(`action list --wallet ${wallet()} --json`)).json.total).toBe(2)
    expect((await run('action list')).out).toContain(made.id)
    const second = (await run('action list --page 2 --limit 1 --json')).json
    expect(second).toMatchObject({ page: 2, limit: 1, total: 2, hasMore: false })
    const [, last] = (await run('action list --json')).json.items
    expect(second.items).toEqual([last])
    expect((await run('action list --page 1 --limit 1 --json')).json.hasMore).toBe(true)
    expect((await run('action list --page 0')).exit).toBe(2)
    const { json: shown } = await run(`action show ${made.id} --json`)
    const { replayed: _, ...report } = made
    // The price of the coin is of the moment that it is shown.
    const gasFeeUsd = expect.stringMatching(/^0\.\d+$/)
    const priced = {
      ...report,
      transactions: report.transactions.map((one: object) => ({ ...one, gasFeeUsd })),
      ...{ waiting: null, source: 'journal' },
    }
    expect(shown).toEqual(priced)
    expect((await run('action show by-its-key --json')).json).toEqual(priced)
    expect((await run(`action show ${made.id}`)).out).toContain(made.transactions[1].hash)
    expect((await run('action list --quiet')).err).toBe('')
  })

  test('watch of a finished action prints one document and exits 0', async () => {
    const { json: made } = await run(`deposit ${place} --amount 10 --yes --json --quiet`)
    const { exit, out } = await run(`action watch ${made.id} --json`)
    expect(exit).toBe(0)
    expect(
      out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).status),
    ).toEqual(['SUCCESS'])
  })

  test('show, watch and resume of an unknown action exit 4', async () => {
    for (const what of ['show', 'watch', 'resume']) {
      const { exit, json } = await run(`action ${what} nobody-knows-it --json`)
      expect({ what, exit, code: json.error.code }).toEqual({ what, exit: 4, code: 'ACTION_NOT_FOUND' })
      // A chain may know a hash that no list of actions has.
      const hash = `0x${'ab'.repeat(32)}`
      expect((await run(`action ${what} ${hash} --json`)).json.error).toMatchObject({
        code: 'ACTION_NOT_FOUND',
        message: expect.stringContaining('There is no action'),
        hint: `sluice action explain ${hash}`,
      })
    }
  })
})
