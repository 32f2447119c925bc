import { toFunctionSelector } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import { type Address, type Hex, nativeAddress } from '../../src/domain/address.ts'
import { AppError } from '../../src/domain/errors.ts'
import { strictTerms } from '../../src/guard/user-limits-and-exemptions.ts'
import { checkTarget } from '../../src/planning/onchain-target-check.ts'
import type { Intent } from '../../src/protocols/intent.ts'
import { balancerV2Contracts } from '../../src/swaps/balancer-v2/constants-schema.ts'
import { contractsOn, withContracts } from '../../src/swaps/swap-contracts.ts'
import { swapDefinitions } from '../../src/swaps/swap-provider-registry.ts'
import { uniswapV2Contracts } from '../../src/swaps/uniswap-v2/constants-schema.ts'
import { uniswapV3Contracts } from '../../src/swaps/uniswap-v3/constants-schema.ts'
import { withoutProviders } from '../support/changed-catalogs.ts'
import { engineOn } from '../support/engine.ts'
import { useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
/** A fork of Uniswap v2 on the real contracts of Uniswap v2. */
const fork = { name: 'sushiswap-v2' }
const catalog = () =>
  withContracts(sandbox.world.catalog(), fork, () => [
    contractsOn(sandbox.world.catalog(), uniswapV2Contracts, chainId)!,
  ])
const { run, signsNothing } = useCommands(sandbox)
const chainId = 31337
const someone: Address = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const token = (symbol: string) => sandbox.token(chainId, symbol).address

type Exchange = { name: string }
const pairOn = async (exchange: Exchange, one: string, two: string): Promise<Address> => {
  const { factory } = contractsOn(catalog(), { ...uniswapV2Contracts, ...exchange }, chainId)!
  const signature = 'function getPair(address,address) view returns (address)'
  return `0x${(await sandbox.call(chainId, factory, signature, [token(one), token(two)])).slice(-40)}`
}
const poolOn = async (exchange: Exchange, one: string, two: string): Promise<Address> => {
  const { factory, feeTiers } = contractsOn(catalog(), { ...uniswapV3Contracts, ...exchange }, chainId)!
  const signature = 'function getPool(address,address,uint24) view returns (address)'
  const all = await Promise.all(
    feeTiers.map((fee) => sandbox.call(chainId, factory, signature, [token(one), token(two), fee])),
  )
  return all.map((said): Address => `0x${said.slice(-40)}`).find((at) => BigInt(at) !== 0n)!
}

/** A pool of each provider that has pools of their own addresses. */
const poolsOf: Readonly<Record<string, () => Promise<Address>>> = {
  'uniswap-v3': () => poolOn({ name: 'uniswap-v3' }, 'USDC', 'WETH'),
  'uniswap-v2': () => pairOn({ name: 'uniswap-v2' }, 'USDC', 'WETH'),
  'sushiswap-v2': () => pairOn(fork, 'USDC', 'WETH'),
  'balancer-v2': async () =>
    contractsOn(catalog(), balancerV2Contracts, chainId)!.pools[0]!.id.slice(0, 42) as Address,
  'pancakeswap-v3': () => poolOn({ name: 'pancakeswap-v3' }, 'USDT', 'WBTC'),
}

const transferIntent = (recipient: Address): Intent => ({
  kind: 'transfer',
  wallet: sandbox.user.address,
  token: sandbox.token(chainId, 'USDT'),
  recipient,
  amount: 1n,
})

/** What three ways to pay an address say: a swap, a transfer, and the check before signing, whoever made the transactions. */
async function refusals(to: Address, known = catalog()): Promise<(string | undefined)[]> {
  const { service } = engineOn(sandbox, { catalog: known })
  const said = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: unknown) => (error instanceof AppError ? error.message : String(error)),
    )
  const pay = { chainId, token: token('USDT'), amount: 1_000000n }
  const swap = { chainIdIn: chainId, chainIdOut: chainId, tokenIn: token('USDC'), tokenOut: token('WETH') }
  const rpc = (id: number) => sandbox.chain(id).rpc
  const journal = { codePin: () => undefined } as never
  const context = { catalog: known, rpc, journal, locks: '', now: Date.now }
  const intent = transferIntent(to)
  const transactions = [{ chainId, to: token('USDT'), data: '0x' as Hex, value: 0n }]
  return Promise.all([
    said(service.quote({ ...swap, amountIn: 1_000000n, destinationAddress: to })),
    said(service.transferBytecode({ ...pay, originAddress: sandbox.user.address, destinationAddress: to })),
    said(checkTarget(context, { chainId, intent, transactions }, { ...strictTerms, trustFirstUse: true })),
  ])
}

const lostAs = (what: string) => `The recipient is ${what}: funds sent there are lost`
/** The check before signing reads pools; what the catalogue has, the guard refuses by itself. */
const beforeSigning = expect.stringContaining('are lost')

describe.each(swapDefinitions.map((one) => [one.name, one] as const))('%s', (name, { title, pools }) => {
  test('none of its addresses is a recipient', async () => {
    const rows = (catalog().swaps[name] ?? []).filter((one) => one.chainId === chainId)
    const addresses = [...new Set(JSON.stringify(rows).match(/0x[0-9a-fA-F]{40}(?![0-9a-fA-F])/g))]
    expect(addresses.length).toBeGreaterThan(0)
    for (const address of addresses as Address[])
      expect([address, ...(await refusals(address))]).toEqual([
        address,
        beforeSigning,
        beforeSigning,
        beforeSigning,
      ])
  })

  test('none of its pools is a recipient', async () => {
    expect(Object.keys(poolsOf).includes(name)).toBe(pools !== 'none')
    if (pools === 'none') return
    const pool = await poolsOf[name]!()
    expect(BigInt(pool)).toBeGreaterThan(0n)
    // The fork has the contracts of Uniswap v2 here, and a pool that the catalogue lists is told by its listing.
    const own = name === 'sushiswap-v2' ? 'Uniswap v2' : title
    for (const said of await refusals(pool))
      expect([lostAs(`a pool of ${own}`), expect.stringContaining(name)]).toContainEqual(said)
    // Nor is it without the provider in the catalogue: a fork that nobody listed.
    const unlisted = withoutProviders(
      catalog(),
      ...swapDefinitions.flatMap((one) => (one.pools === pools ? [one.name] : [])),
    )
    const [quoted, transferred, signed] = await refusals(pool, unlisted)
    expect([transferred, signed]).toEqual([
      expect.stringContaining('a pool of'),
      expect.stringContaining('a pool of'),
    ])
    expect(quoted).toContain('a pool of')
  })
})

/** Code that answers each function with one word, and refuses every other call. */
function answering(words: Readonly<Record<string, string>>): Hex {
  const all = Object.entries(words)
  const [head, body] = [15 * all.length + 3, 40]
  const two = (value: number) => value.toString(16).padStart(4, '0')
  // PUSH0, CALLDATALOAD, PUSH1 0xe0, SHR, PUSH4 selector, EQ, PUSH2 target, JUMPI.
  const jumps = all.map(
    ([signature], at) =>
      `5f3560e01c63${toFunctionSelector(signature).slice(2)}1461${two(head + body * at)}57`,
  )
  // JUMPDEST, PUSH32 word, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN.
  const answers = all.map(([, word]) => `5b7f${word.slice(2).padStart(64, '0')}5f5260205ff3`)
  return `0x${jumps.join('')}5f5ffd${answers.join('')}`
}

const [tokenA, tokenB] = [`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(20)}`] as const

/** Code that answers a function of an index with an address of its own for each index, as a pool of Curve does. */
const coinsBy = (index: string): Hex =>
  // PUSH0, CALLDATALOAD, PUSH1 0xe0, SHR, PUSH4 selector, EQ, PUSH1 target, JUMPI, revert; JUMPDEST, PUSH1 4, CALLDATALOAD, PUSH2 0xc0de, ADD.
  `0x5f3560e01c63${toFunctionSelector(`coins(${index})`).slice(2)}146011575f5ffd5b60043561c0de015f5260205ff3`

/** Pools of exchanges without a provider here, by the functions of their published interfaces. */
const otherPools: Readonly<Record<string, Hex>> = {
  Solidly: answering({ 'token0()': tokenA, 'token1()': tokenB, 'factory()': someone, 'stable()': '0x00' }),
  Slipstream: answering({
    'token0()': tokenA,
    'token1()': tokenB,
    'factory()': someone,
    'tickSpacing()': '0x64',
  }),
  Algebra: answering({
    'token0()': tokenA,
    'token1()': tokenB,
    'factory()': someone,
    'globalState()': '0x01',
  }),
  Curve: coinsBy('uint256'),
  'the first Curve': coinsBy('int128'),
  'Trader Joe': answering({ 'getTokenX()': tokenA, 'getTokenY()': tokenB, 'getBinStep()': '0x14' }),
}

test.each(Object.keys(otherPools))('a pool like those of %s is no recipient', async (name) => {
  const pool: Address = '0x00000000000000000000000000000000c0de0003'
  await sandbox.chain(chainId).rpc.request('anvil_setCode', [pool, otherPools[name]])
  const lost = lostAs('a pool of an exchange')
  expect(await refusals(pool)).toEqual([lost, lost, lost])
})

test('a wallet is a recipient: with a key, and with code that answers nothing, or anything', async () => {
  const contractWallet: Address = '0x00000000000000000000000000000000c0de0001'
  const answersAll: Address = '0x00000000000000000000000000000000c0de0002'
  const { rpc } = sandbox.chain(chainId)
  await rpc.request('anvil_setCode', [contractWallet, '0x00'])
  // Returns the word 1 to every call: PUSH1 1, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN.
  await rpc.request('anvil_setCode', [answersAll, '0x60015f5260205ff3'])
  for (const to of [someone, contractWallet, answersAll])
    expect([to, ...(await refusals(to))]).toEqual([to, undefined, undefined, undefined])
})

test('a coin may be sent to contracts', async () => {
  const { service } = engineOn(sandbox, { catalog: catalog() })
  const to = await poolsOf['uniswap-v2']!()
  const ask = { originAddress: sandbox.user.address, destinationAddress: to, chainId, amount: 1n }
  expect((await service.transferBytecode({ ...ask, token: nativeAddress })).bytecode).toHaveLength(1)
})

test('commands sign neither a swap nor a transfer to a pool of PancakeSwap v3', async () => {
  const pool = await poolsOf['pancakeswap-v3']!()
  for (const line of [
    `swap execute --from sandbox-one --token-in USDC --token-out WETH --amount-in 1 --destination ${pool} --yes --json`,
    `transfer --network sandbox-one --token USDC --amount 1 --to ${pool} --yes --json`,
  ])
    expect((await signsNothing(() => run(line))).json.error.message).toContain('a pool of PancakeSwap v3')
})
