import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Hex } from '../../src/domain/address.ts'
import { sandboxAddress, sandboxKey } from '../../src/sandbox/accounts.ts'
import { type Circumstances, rpcEnvOf, useCommands } from '../support/use-commands.ts'
import { calldata, useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, home, signsNothing } = useCommands(sandbox)
const slug = 'aave-v3-usdc-sandbox-one'
const deposit = `deposit ${slug} --amount 100 --yes --json`
const friend = '0x8888888888888888888888888888888888888888'
const transfer = (amount: number, more = '') =>
  `transfer --network sandbox-one --token USDC --to ${friend} --amount ${amount} --yes --json ${more}`
const swap = (more = '') =>
  `swap execute --from sandbox-one --token-in USDC --token-out WETH --amount-in 100 --yes --json ${more}`
const key = (n: number) => `--idempotency-key terms-job-${n}`

const pool = () => {
  const { constants } = sandbox.strategy('aave-v3-USDC-sandbox-one')
  if (constants.family !== 'aave-v3') throw new Error('not a pool')
  return constants.pool
}

/** Writes a policy to the default path, or beside it under another name. */
function writePolicy(policy: unknown, name = 'policy.json', mode = 0o600): string {
  const dir = join(home(), 'config')
  mkdirSync(dir, { recursive: true })
  const path = join(dir, name)
  writeFileSync(path, typeof policy === 'string' ? policy : JSON.stringify(policy), { mode })
  chmodSync(path, mode)
  return path
}

/** Runs a command that must fail before anything is signed. */
const refused = async (line: string, code: string, exit = 8, more: Circumstances = {}) => {
  const ran = await signsNothing(() => run(line, more))
  expect({ exit: ran.exit, code: ran.json.error?.code }).toEqual({ exit, code })
  return ran.json.error
}

describe('--assert', () => {
  test.each([
    ['USDC>=-100'],
    ['USDC>=-100,aUSDC>=99.9'],
    ['aUSDC<=100.1,USDT>=0,USDT<=0'],
    ['sandbox-one:USDC>=-100'],
    ['ETH>=-0.1'],
  ])('%s is met, and the deposit succeeds', async (condition) => {
    expect(await run([...deposit.split(' '), '--assert', condition])).toMatchObject({ exit: 0 })
  })

  test.each([
    ['USDC>=-99.999999', 'POLICY_SIMULATION', 8],
    ['aUSDC>=100.1', 'POLICY_SIMULATION', 8],
    ['USDC>=-100,USDT>=0.000001', 'POLICY_SIMULATION', 8],
    ['ETH>=0', 'POLICY_SIMULATION', 8],
    ['NOPE>=0', 'UNKNOWN_TOKEN', 2],
    ['DUP>=0', 'AMBIGUOUS_TOKEN', 2],
    ['USDC>=-0.0000001', 'USAGE', 2],
    ['USDC=>5', 'USAGE', 2],
    ['USDC', 'USAGE', 2],
    ['', 'USAGE', 2],
  ])('%s is refused, and nothing is signed', async (condition, code, exit) => {
    const line = [...deposit.split(' '), '--assert', condition]
    const ran = await signsNothing(() => run(line))
    expect({ exit: ran.exit, code: ran.json.error.code }).toEqual({ exit, code })
    if (code !== 'POLICY_SIMULATION') return
    expect(ran.json.error.message).toContain(condition.split(',').at(-1))
    // The condition is the user's own; the one in the hint is met.
    const [, holds] = /^To accept this change: --assert '(.+)'$/.exec(ran.json.error.hint)!
    const again = await signsNothing(() => run([...deposit.split(' '), '--dry-run', '--assert', holds!]))
    expect({ exit: again.exit, isSame: holds === condition }).toEqual({ exit: 0, isSame: false })
  })

  test('across chains needs a network for a token of both chains', async () => {
    const line = 'deposit aave-v3-usdc-sandbox-two --from sandbox-one --amount 100 --dry-run --json'
    const with_ = async (condition: string) => run([...line.split(' '), '--assert', condition])
    expect((await with_('USDC>=-100')).json.error.code).toBe('AMBIGUOUS_TOKEN')
    expect((await with_('sandbox-one:USDC>=-100')).exit).toBe(0)
    expect((await with_('sandbox-one:USDC>=-99')).json.error.code).toBe('POLICY_SIMULATION')
  })

  test('across chains checks a condition on the destination before the leg there is signed', async () => {
    const line = 'deposit aave-v3-usdc-sandbox-two --from sandbox-one --amount 100 --yes --json'
    const ran = await run([...line.split(' '), '--assert', 'sandbox-two:aUSDC>=1000'])
    expect({ exit: ran.exit, code: ran.json.error.code }).toEqual({ exit: 21, code: 'PARTIAL' })
    expect(ran.json.error.hint).toMatch(
      /^Once the condition holds: sluice action resume \S+; to stop instead: /,
    )
  })
})

describe('invalid flags', () => {
  test.each([
    ['--min-assurance L7'],
    ['--max-assurance-loss=L7'],
    ['--max-fee lots'],
    ['--max-fee 0'],
    ['--allow-token 0x12'],
    ['--allow-contract nothing'],
    ['--confirmations 5x'],
    ['--nonce seven'],
    ['--max-service-fee 5'],
    ['--assert USDC=5'],
    ['--idempotency-key short'],
    ['--slippage 5'],
    ['--from mars', 'UNKNOWN_NETWORK'],
  ])(
    '%s is a usage error with a hint, before any request to a service or node',
    async (flag, code = 'USAGE') => {
      const nobody = { env: { SLUICE_BASE_URL: 'http://127.0.0.1:1', SLUICE_RPC_BASE: 'http://127.0.0.1:1' } }
      const error = await refused(`${deposit} ${flag}`, code, 2, nobody)
      expect(error.hint).toBeTruthy()
    },
  )
})

describe('--max-fee', () => {
  test('refuses a higher gas cost, and the hint names a sufficient value', async () => {
    const { hint } = await refused(`${deposit} --max-fee 0.000000001`, 'POLICY_FEE_CAP')
    // The value in the hint is sufficient.
    const [, enough] = /within the policy: (--max-fee [0-9.]+)$/.exec(hint)!
    expect((await run(`${deposit} ${enough} --dry-run`)).exit).toBe(0)
    expect((await run(`${deposit} --max-fee 500`)).exit).toBe(0)
  })
})

describe('a policy', () => {
  test.each<[string, object, string, string]>([
    [
      'a limit for one operation',
      { perTransaction: { 'sandbox-one:USDC': '99.999999' } },
      deposit,
      'POLICY_LIMIT',
    ],
    ['a limit by address', {}, deposit, 'POLICY_LIMIT'],
    ['a limit for a day', { perDay: { 'sandbox-one:USDC': '99' } }, deposit, 'POLICY_LIMIT'],
    [
      'a limit for the native coin',
      { perTransaction: { 'sandbox-one:ETH': '0.5' } },
      `transfer --network sandbox-one --token ETH --to ${friend} --amount 1 --yes --json`,
      'POLICY_LIMIT',
    ],
    ['receivers', { receivers: [`0x${'77'.repeat(20)}`] }, transfer(1), 'POLICY_RECIPIENT'],
    ['strategies', { strategies: ['aave-v3-usdt-sandbox-one'] }, deposit, 'POLICY_CONTRACT_NOT_ALLOWED'],
    ['contracts', { contracts: [friend] }, deposit, 'POLICY_CONTRACT_NOT_ALLOWED'],
    ['slippage', { maxSlippage: '0.1%' }, swap(), 'POLICY_LIMIT'],
    ['the price of gas', { maxFeePerGas: '0.000001' }, deposit, 'POLICY_FEE_CAP'],
    ['the cost of gas', { maxTotalFee: '0.0000001' }, deposit, 'POLICY_FEE_CAP'],
    ['hours', { hours: '00:00-00:00' }, deposit, 'POLICY_LIMIT'],
    ['assurance', { minAssurance: 'L4' }, deposit, 'POLICY_ASSURANCE'],
  ])('refuses what it does not allow: %s', async (name, policy, line, code) => {
    const usdc = sandbox.token(31337, 'USDC').address
    writePolicy(name === 'a limit by address' ? { perTransaction: { [`sandbox-one:${usdc}`]: '1' } } : policy)
    await refused(line, code)
  })

  test.each<[string, object, string]>([
    [
      'everything at once',
      {
        perTransaction: { 'sandbox-one:USDC': '100', 'sandbox-one:WETH': '0' },
        perDay: { 'sandbox-one:USDC': '100' },
        strategies: [slug],
        maxFeePerGas: '1000',
        maxTotalFee: '1',
        receivers: [],
        simulation: 'required',
        minAssurance: 'L3',
      },
      deposit,
    ],
    ['a swap with its own slippage', { maxSlippage: '50bps', maxQuoteAge: 60 }, swap()],
    ['a receiver on the list', { receivers: [friend.toUpperCase().replace('0X', '0x')] }, transfer(1)],
  ])('accepts what it allows: %s', async (_, policy, line) => {
    writePolicy(policy)
    expect((await run(line)).json).toMatchObject({ status: 'SUCCESS' })
  })

  test('does not count a withdrawal against the limits of its token', async () => {
    expect((await run(deposit)).exit).toBe(0)
    writePolicy({ perTransaction: { 'sandbox-one:USDC': '0' }, perDay: { 'sandbox-one:USDC': '0' } })
    expect((await run(`withdraw ${slug} --amount 50 --yes --json`)).json).toMatchObject({ status: 'SUCCESS' })
    await refused(deposit, 'POLICY_LIMIT')
  })

  test('is named by its hash in the plan', async () => {
    writePolicy({ perTransaction: { 'sandbox-one:USDC': '1000' } })
    const { json } = await run(`deposit ${slug} --amount 100 --dry-run --json`)
    expect(json.policy).toMatch(/^[0-9a-f]{64}$/)
  })

  test('applies perDay to all operations of a day, without the refused ones', async () => {
    writePolicy({ perDay: { 'sandbox-one:USDC': '250' } })
    expect((await run(transfer(200, key(1)))).exit).toBe(0)
    const error = await refused(transfer(51, key(2)), 'POLICY_LIMIT')
    expect(error.details).toMatchObject({ rule: 'perDay USDC', found: '51 USDC plus 200 USDC earlier' })
    expect((await run(transfer(50, key(3)))).exit).toBe(0)
    await refused(transfer(0.000001, key(4)), 'POLICY_LIMIT')
    expect((await run(transfer(200, key(5)), { later: 86_400_000 + 60_000 })).exit).toBe(0)
  })

  test('counts operations made before the policy existed', async () => {
    expect((await run(transfer(200, key(1)))).exit).toBe(0)
    writePolicy({ perDay: { 'sandbox-one:USDC': '250' } })
    await refused(transfer(51, key(2)), 'POLICY_LIMIT')
  })

  test('in another file is used with --policy', async () => {
    const path = writePolicy({ perTransaction: { 'sandbox-one:USDC': '1' } }, 'other.json')
    // The owner of the file that was named decides, and no command with a placeholder is offered.
    for (const line of [deposit, transfer(2), swap()])
      expect(await refused(`${line} --policy ${path}`, 'POLICY_LIMIT')).toMatchObject({
        hint: `The owner of the policy must decide: see ${path}`,
        next: [],
      })
    expect((await run(deposit)).exit).toBe(0)
    await refused(`${deposit} --policy ${path}.nowhere`, 'CONFIG_INVALID', 2)
  })

  test('of a file that does not exist is refused before the sandbox is opened', async () => {
    const opening = 'profile sandbox: local chains'
    const { exit, err } = await run(`${deposit} --policy ${join(home(), 'nowhere.json')}`)
    expect({ exit, err }).toEqual({ exit: 2, err: expect.not.stringContaining(opening) })
    expect((await run(deposit)).err).toContain(opening)
  })

  test('with less slippage than a swap has is met by the next step of its refusal', async () => {
    const asked = '--from sandbox-one --token-in USDC --token-out USDT --amount-in 100'
    const { json: quote } = await run(`swap quote ${asked} --slippage 1% --json`)
    writePolicy({ maxSlippage: '0.5%' })
    const byQuote = await refused(`swap execute ${quote.id} --yes --json`, 'POLICY_LIMIT')
    expect(byQuote.message).toContain('maxSlippage is 1%, but must be at most 0.5%')
    expect(byQuote.hint).toBe(`Get a quote within the policy: sluice swap quote ${asked} --slippage 0.5%`)
    const byFlags = await refused(`swap execute ${asked} --slippage 1% --yes --json`, 'POLICY_LIMIT')
    const [{ command }] = byFlags.next
    expect(command).toBe(`sluice swap execute ${asked} --yes --json --slippage 0.5%`)
    expect((await run(command.replace('sluice ', ''))).json.status).toBe('SUCCESS')
  })

  test.each<[string, unknown, number]>([
    ['an unknown rule', { perTransactions: {} }, 0o600],
    ['a limit that is a number', { perTransaction: { 'sandbox-one:USDC': 100 } }, 0o600],
    ['a limit with a sign', { perTransaction: { 'sandbox-one:USDC': '-1' } }, 0o600],
    ['an unknown token', { perTransaction: { 'sandbox-one:USDX': '100' } }, 0o600],
    ['an unknown network', { perTransaction: { 'sandbox-won:USDC': '100' } }, 0o600],
    ['a slippage without a unit', { maxSlippage: '1' }, 0o600],
    ['invalid hours', { hours: '8-18' }, 0o600],
    ['invalid JSON', '{', 0o600],
    ['a list', [], 0o600],
    ['a file that the group can write', {}, 0o620],
    ['a file that everyone can write', {}, 0o602],
  ])('that is invalid or writable by others stops every deposit: %s', async (_, policy, mode) => {
    writePolicy(policy, 'policy.json', mode)
    await refused(deposit, 'CONFIG_INVALID', 2)
  })

  test('that is a dangling link stops every deposit', async () => {
    mkdirSync(join(home(), 'config'), { recursive: true })
    symlinkSync(join(home(), 'gone.json'), join(home(), 'config', 'policy.json'))
    await refused(deposit, 'CONFIG_INVALID', 2)
  })
})

describe('policy check', () => {
  const plan = async () => (await run(`deposit ${slug} --amount 100 --dry-run --json`)).out

  test('reports every rule as met', async () => {
    writePolicy({ perTransaction: { 'sandbox-one:USDC': '100' }, strategies: [slug], minAssurance: 'L3' })
    const text = await plan()
    const { exit, json } = await signsNothing(() => run('policy check - --json', { stdin: text }))
    expect(exit).toBe(0)
    expect(json.planHash).toBe(JSON.parse(text).planHash)
    expect(json.rules.map(({ rule, met }: { rule: string; met: boolean }) => [rule, met])).toEqual([
      ['perTransaction USDC', true],
      ['strategies', true],
      ['minAssurance', true],
    ])
    expect((await run('policy check -', { stdin: text })).out).toContain('perTransaction USDC')
  })

  test('exits with the first rule that is not met, and lists all rules', async () => {
    writePolicy({
      perTransaction: { 'sandbox-one:USDC': '50' },
      maxTotalFee: '0.0000001',
      minAssurance: 'L3',
    })
    const error = await refused('policy check - --json', 'USAGE', 2)
    expect(error.message).toContain('Invalid plan')
    const { exit, json } = await run('policy check - --json', { stdin: await planWithout() })
    expect({ exit, code: json.error.code }).toEqual({ exit: 8, code: 'POLICY_LIMIT' })
    expect(json.error.details.rules.map(({ met }: { met: boolean }) => met)).toEqual([false, true, false])
  })
  const planWithout = async () => {
    const other = writePolicy({}, 'none.json')
    return (await run(`deposit ${slug} --amount 100 --dry-run --json --policy ${other}`)).out
  }

  test('refuses a plan file that was changed', async () => {
    writePolicy({})
    const text = await plan()
    const path = join(home(), 'plan.json')
    writeFileSync(path, text.replaceAll('100000000', '100000001'))
    await refused(`policy check ${path} --json`, 'POLICY_TAMPER')
    writeFileSync(path, text)
    expect((await run(`policy check ${path} --json`)).exit).toBe(0)
    await refused(`policy check ${path}.gone --json`, 'USAGE', 2)
  })

  test('exits 2 without a policy', async () => {
    await refused('policy check - --json', 'USAGE', 2, { stdin: await plan() })
  })
})

describe('the code of a contract', () => {
  const engine = (): Circumstances => ({ env: rpcEnvOf(sandbox), secrets: { privateKey: sandboxKey() } })
  const planned = async (more = '') =>
    (await run(`deposit ${slug} --amount 100 --dry-run --json ${more}`, engine())).json

  test('used for the first time is listed in the plan, and trusted only with --trust-first-use', async () => {
    const plan = await planned()
    expect(plan.assurance).toBe('L2')
    expect(plan.contracts).toMatchObject([
      {
        network: 'sandbox-one',
        address: pool(),
        firstUse: true,
        codeHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      },
    ])
    expect(plan.contracts[0].implementationHash).toMatch(/^0x[0-9a-f]{64}$/)
    expect((await planned('--trust-first-use')).assurance).toBe('L3')
    await refused(`${deposit} ${key(1)} --min-assurance L3`, 'POLICY_ASSURANCE', 8, engine())
  })

  test('is remembered after its use, and changed code is refused without --allow-contract', async () => {
    expect((await run(`${deposit} ${key(1)}`, engine())).exit).toBe(0)
    expect(await planned()).toMatchObject({ assurance: 'L3', contracts: [{ firstUse: false }] })
    const { rpc } = sandbox.chain(31337)
    const code = await rpc.request<Hex>('eth_getCode', [pool(), 'latest'])
    await rpc.request('anvil_setCode', [pool(), `${code}00`])
    await refused(`${deposit} ${key(2)}`, 'POLICY_CONTRACT_CHANGED', 8, engine())
    const vouched = await planned(`--allow-contract ${pool()}`)
    expect(vouched).toMatchObject({ assurance: 'L2', contracts: [{ firstUse: false }] })
    expect((await run(`${deposit} ${key(3)} --allow-contract ${pool()}`, engine())).exit).toBe(0)
    expect((await run(`${deposit} ${key(4)}`, engine())).exit).toBe(0)
  })

  test('includes the implementation behind a proxy: its change is refused', async () => {
    expect((await run(`${deposit} ${key(1)}`, engine())).exit).toBe(0)
    const { rpc } = sandbox.chain(31337)
    const { implementation } = (await planned()).contracts[0]
    const code = await rpc.request<Hex>('eth_getCode', [implementation, 'latest'])
    await rpc.request('anvil_setCode', [implementation, `${code}00`])
    await refused(`${deposit} ${key(2)}`, 'POLICY_CONTRACT_CHANGED', 8, engine())
  })

  test('is required: a deposit into an address without code fails, and nothing is signed', async () => {
    await sandbox.chain(31337).rpc.request('anvil_setCode', [pool(), '0x'])
    const ran = await signsNothing(() => run(`${deposit} ${key(1)}`, engine()))
    expect(ran.exit).toBeGreaterThan(0)
  })
})

describe('an existing allowance', () => {
  const allow = (symbol: string, amount: bigint) =>
    sandbox.sendAs(31337, sandbox.user.address, {
      to: sandbox.token(31337, symbol).address,
      data: calldata('function approve(address,uint256)', [pool(), amount]),
    })

  const allowed = async (symbol: string) =>
    BigInt(
      await sandbox.chain(31337).rpc.request<string>('eth_call', [
        {
          to: sandbox.token(31337, symbol).address,
          data: calldata('function allowance(address,address)', [sandbox.user.address, pool()]),
        },
        'latest',
      ]),
    )

  test('of the needed amount replaces the approval', async () => {
    await allow('USDC', 100_000_000n)
    const { json } = await run(deposit)
    expect(json.transactions).toHaveLength(1)
  })

  test.each([
    ['one unit above the needed amount', 'USDC', 100_000_001n],
    ['without a limit', 'USDC', 2n ** 256n - 1n],
  ])(
    '%s is used without an approval, and the plan shows it with the command to revoke it',
    async (_, symbol, amount) => {
      await allow(symbol, amount)
      const { json: plan } = await run(`${deposit} --dry-run`)
      const usdc = sandbox.token(31337, symbol).address
      expect(plan.steps.map(({ role }: { role: string }) => role)).toEqual(['action'])
      expect(plan.standing).toMatchObject([
        {
          network: 'sandbox-one',
          token: usdc,
          spender: pool(),
          need: '100000000',
          amount: { raw: `${amount}` },
        },
      ])
      const shown = await run(`${deposit.replace(' --json', '')} --dry-run`)
      expect(shown.out).toMatch(
        /standing +existing allowance for\s+0x[0-9a-fA-F]{40} aave-v3: (unlimited|100\.000001) USDC/,
      )
      const { exit, json } = await run(deposit)
      expect({ exit, kinds: json.transactions.length }).toEqual({ exit: 0, kinds: 1 })
      expect(await run(`${plan.standing[0].revoke.replace('sluice ', '')} --yes --json`)).toMatchObject({
        exit: 0,
      })
      expect(await allowed(symbol)).toBe(0n)
    },
  )

  test('of another token is neither refused nor shown in the plan', async () => {
    await allow('WETH', 1n)
    const { json: plan } = await run(`${deposit} --dry-run`)
    expect(plan.standing).toEqual([])
    expect(await run(deposit)).toMatchObject({ exit: 0 })
  })

  test('above the needed amount is refused by refuseStandingAllowance, with a hint to revoke it', async () => {
    writePolicy({ refuseStandingAllowance: true })
    await allow('USDC', 100_000_000n)
    expect(await run(`${deposit} --dry-run`)).toMatchObject({ exit: 0 })
    await allow('USDC', 100_000_001n)
    const error = await refused(deposit, 'POLICY_STANDING_ALLOWANCE')
    expect(error.hint).toContain('sluice wallet approvals revoke --network sandbox-one')
    const { out } = await run(`${deposit} --dry-run --policy ${writePolicy({}, 'none.json')}`)
    const [rule] = (await run('policy check - --json', { stdin: out })).json.error.details.rules
    expect(rule).toEqual({
      rule: 'refuseStandingAllowance',
      wanted: expect.any(String),
      found: '100.000001 USDC',
      met: false,
      code: 'POLICY_STANDING_ALLOWANCE',
      hint: error.hint,
    })
  })
})

describe('a hint for a wallet that is not the default', () => {
  const file = () => {
    const path = join(home(), 'another.key')
    writeFileSync(path, sandboxKey(7), { mode: 0o600 })
    return path
  }
  const allowance = async (owner: string) =>
    BigInt(
      await sandbox.chain(31337).rpc.request<string>('eth_call', [
        {
          to: sandbox.token(31337, 'USDC').address,
          data: calldata('function allowance(address,address)', [owner, pool()]),
        },
        'latest',
      ]),
    )

  test('revokes the allowance of that wallet and of no other', async () => {
    const other = sandboxAddress(7)
    await sandbox.world.fund(other)
    await sandbox.world.fund(other, { symbol: 'USDC', amount: 1_000_000_000n })
    for (const owner of [other, sandbox.user.address])
      await sandbox.sendAs(31337, owner, {
        to: sandbox.token(31337, 'USDC').address,
        data: calldata('function approve(address,uint256)', [pool(), 2n ** 256n - 1n]),
      })
    writePolicy({ refuseStandingAllowance: true })
    const named = `--key-file ${file()}`
    const error = await refused(`${deposit} ${named}`, 'POLICY_STANDING_ALLOWANCE')
    expect(error.hint).toContain(named)
    expect((await run(`${error.hint.replace('sluice ', '')} --yes --json`)).exit).toBe(0)
    expect(await allowance(other)).toBe(0n)
    expect(await allowance(sandbox.user.address)).toBeGreaterThan(0n)
    const { json: plan } = await run(`${deposit} ${named} --dry-run --policy ${writePolicy({}, 'none.json')}`)
    expect(plan.standing).toEqual([])
  })
})
