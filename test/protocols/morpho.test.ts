import { beforeEach, expect, test } from 'vitest'
import type { ChainClient } from '../../src/chain/chain-client.ts'
import { AppError } from '../../src/domain/errors.ts'
import type { Transaction } from '../../src/domain/transaction-types.ts'
import { checkLeg } from '../../src/guard/calldata-against-intent.ts'
import type { Catalog } from '../../src/protocols/catalog-types.ts'
import { sandboxAddress } from '../../src/sandbox/accounts.ts'
import { deposited } from '../support/contracts/deposit-brings-its-worth.ts'
import { codeOf, engineOn, watched } from '../support/engine.ts'
import { useCommands } from '../support/use-commands.ts'
import { calldata, useSandbox } from '../support/use-sandbox.ts'
import { deployMorpho, inOrder, type Morpho, marketTuple } from './fixtures/morpho.ts'

// Morpho with its own bytecode; only the price of the collateral is ours.
const sandbox = useSandbox()
const chainId = 31337
const wallet = sandbox.user.address
const slug = 'morpho-test-usdc-sandbox-one'
const day = 86_400

let at: Morpho
beforeEach(async () => {
  at = await deployMorpho(sandbox, chainId)
})
/** The same vault twice: as a Morpho vault, and as a plain ERC-4626 vault. */
const plain = 'vault-test-usdc-sandbox-one'
const catalog = (): Catalog => {
  const known = sandbox.world.catalog()
  const standard = {
    ...at.entry,
    id: 'vault-test-USDC-sandbox-one',
    slug: plain,
    protocol: 'vault-test',
    implementationSelector: 'erc4626@1',
    constants: { family: 'erc4626', vault: at.vault } as const,
  }
  return { ...known, strategies: [...known.strategies, at.entry, standard] }
}
const { run } = useCommands(sandbox, { catalog })
const done = async (line: string) => {
  const ran = await run(`${line} --yes --json`)
  expect(ran.err + ran.out).toMatch(ran.exit === 0 ? /./ : /^$/)
  return ran.json
}
const shares = () => sandbox.balanceOf(chainId, at.vault, wallet)
const usdc = () => sandbox.balanceOf(chainId, at.params.loanToken, wallet)
const worth = async (amount: bigint) =>
  BigInt(await sandbox.call(chainId, at.vault, 'function convertToAssets(uint256)', [amount]))
const position = async (of = slug) =>
  (await run('wallet show --json')).json.positions.find(
    ({ strategy }: { strategy: { slug: string } }) => strategy.slug === of,
  )
/** Lets a day pass, then another wallet deposits 1,000 units, so that the vault charges its fee on the interest since its last touch. */
const aDay = async () => {
  await sandbox.chain(chainId).rpc.request('evm_increaseTime', [day])
  const lender = sandboxAddress(3)
  const data = calldata('function deposit(uint256,address)', [1_000n, lender])
  expect((await sandbox.sendAs(chainId, lender, { to: at.vault, data })).status).toBe('0x1')
}

test.each([slug, plain])(
  '%s accepts a deposit, then a partial and a full withdrawal that leaves no share',
  async (name) => {
    const before = await usdc()
    await done(`deposit ${name} --amount 1234.567891`)
    const held = await shares()
    expect(held).toBeGreaterThan(10n ** 18n)
    expect(BigInt((await position(name)).balance.raw)).toBe(await worth(held))
    await done(`withdraw ${name} --amount 300`)
    await done(`withdraw ${name} --amount max`)
    expect(await shares()).toBe(0n)
    expect(before - (await usdc())).toBeLessThanOrEqual(3n)
    expect(await position(name)).toBeUndefined()
    const history = (await run(`history ${name} --json`)).json.items
    expect(history.map(({ type }: { type: string }) => type)).toEqual(['withdraw', 'withdraw', 'deposit'])
  },
)

test.each([slug, plain])(
  'the guard refuses a deposit into %s whose simulation delivers less than its worth',
  async (name) => {
    await aDay()
    const known = catalog()
    const entry = known.strategies.find((one) => one.slug === name)!
    const tried = await deposited(sandbox, { catalog: known, entry, amount: 1_234_567_891n })
    expect(tried).toEqual({ whole: undefined, part: 'POLICY_SIMULATION' })
  },
)

test('the rate is read once a minute of chain time, and only the rate is null when a node does not answer for it', async () => {
  const said: string[] = []
  const { rpc } = sandbox.chain(chainId)
  const calls = () => said.splice(0).filter((method) => method === 'eth_call').length
  const { service } = engineOn(sandbox, {
    catalog: { ...catalog(), strategies: [at.entry] },
    rpc: () => watched(rpc, said),
  })
  const rate = async () => (await service.getStrategy({ id: slug })).apy
  const first = await rate()
  expect(first).toBeGreaterThan(0.01)
  // The state, then the list of markets, their states, and their rates.
  expect(calls()).toBeGreaterThanOrEqual(5)
  await rpc.request('evm_mine')
  expect(await rate()).toBe(first)
  expect(calls()).toBe(1)
  await rpc.request('evm_increaseTime', [3_600])
  await rpc.request('evm_mine')
  expect(await rate()).not.toBe(first)

  let answered = 0
  const failing: ChainClient = {
    ...rpc,
    request: async (method, params) => {
      if (method === 'eth_call' && ++answered > 2) throw new AppError('RPC_UNREACHABLE', 'late')
      return rpc.request(method, params)
    },
  }
  const other = engineOn(sandbox, { catalog: { ...catalog(), strategies: [at.entry] }, rpc: () => failing })
  const { apy, tvlUsd, paused } = await other.service.getStrategy({ id: slug })
  expect({ apy, paused }).toEqual({ apy: null, paused: false })
  expect(Number(tvlUsd)).toBeGreaterThan(20_000)
})

test('shows the protocol fee apart from the service fee, and the symbol of the receipt contract', async () => {
  const { out } = await run(`strategies show ${slug}`)
  expect(out).toMatch(/protocol fee +10\.00% of its earnings, already deducted from the rate/)
  expect(out).toMatch(/\nfee +\d+\.\d\d% of the profit/)
  const { json } = await run(`strategies show ${slug} --json`)
  expect(json).toMatchObject({ protocolFeeBps: '1000', receipt: { symbol: 'tUSDC', symbolFrom: 'contract' } })
  // A plain ERC-4626 vault states no protocol fee.
  expect((await run(`strategies show ${plain} --json`)).json.protocolFeeBps).toBeNull()
})

test('states the current rate, which accruing the interest of the market does not change', async () => {
  const { rpc } = sandbox.chain(chainId)
  const rate = async () =>
    (
      await engineOn(sandbox, {
        catalog: { ...catalog(), strategies: [at.entry] },
      }).service.getStrategy({ id: slug })
    ).apy!
  const first = await rate()
  await rpc.request('evm_increaseTime', [3 * day])
  await rpc.request('evm_mine')
  const untouched = await rate()
  // The rate visibly left its target in three days; an average over them would differ half as much.
  expect(Math.abs(untouched / first - 1)).toBeGreaterThan(0.01)
  const accrue = calldata(`function accrueInterest(${marketTuple})`, [inOrder(at.params)])
  expect((await sandbox.sendAs(chainId, wallet, { to: at.morpho, data: accrue })).status).toBe('0x1')
  expect(Math.abs((await rate()) / untouched - 1)).toBeLessThan(1e-5)
})

test("the guard accepts the engine's calldata, and refuses another recipient, amount, contract or function", async () => {
  const known = catalog()
  const { service } = engineOn(sandbox, { catalog: known })
  const amount = 1_234_567n
  const { bytecode } = await service.strategyBytecode({ id: slug, action: 'lend', amount, wallet })
  const intent = { kind: 'deposit', wallet, strategy: at.entry, amount } as const
  const check = (transactions: readonly Transaction[]) =>
    codeOf((async () => checkLeg({ intent, chainId, transactions, catalog: known }))())
  const [approval, call] = bytecode as [Transaction, Transaction]
  expect(await check([approval, call])).toBeUndefined()
  const thief = sandboxAddress(4)
  const other = calldata('function deposit(uint256,address)', [amount, thief])
  expect(await check([approval, { ...call, data: other }])).toBe('POLICY_RECIPIENT')
  const more = calldata('function deposit(uint256,address)', [amount + 1n, wallet])
  expect(await check([approval, { ...call, data: more }])).toBe('POLICY_AMOUNT')
  expect(await check([approval, { ...call, to: at.morpho }])).toBe('POLICY_CONTRACT_NOT_ALLOWED')
  const away = calldata('function transfer(address,uint256)', [thief, amount])
  expect(await check([approval, { ...call, data: away }])).toBe('POLICY_DECODE')
})
