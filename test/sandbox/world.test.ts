import { expect, test } from 'vitest'
import { roles, sandboxAddress } from '../../src/sandbox/accounts.ts'
import { contractsIn } from '../../src/swaps/swap-contracts.ts'
import { uniswapV3Contracts } from '../../src/swaps/uniswap-v3/constants-schema.ts'
import { calldata, useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const day = 86_400

test('the default account is funded on both chains', async () => {
  for (const chainId of [31337, 31338]) {
    const held = (symbol: string) =>
      sandbox.balanceOf(chainId, sandbox.token(chainId, symbol).address, sandbox.user.address)
    expect(await held('USDC')).toBe(100_000_000000n)
    expect(await held('USDT')).toBe(50_000_000000n)
    expect(await held('WETH')).toBe(10n * 10n ** 18n)
    expect(await held('WBTC')).toBe(100000000n)
    expect(await held('BRLA')).toBe(100_000n * 10n ** 18n)
    expect(await sandbox.nativeBalanceOf(chainId, sandbox.user.address)).toBe(10_000n * 10n ** 18n)
  }
})

test('a protocol has different addresses on the two chains', () => {
  const [one, two] = ['one', 'two'].map((name) => sandbox.strategy(`aave-v3-USDC-sandbox-${name}`))
  expect(one!.constants).not.toEqual(two!.constants)
  expect(one!.asset.address).not.toBe(two!.asset.address)
})

test('a deposit into Aave earns interest, and is withdrawn with it', async () => {
  const { asset, receipt, constants } = sandbox.strategy('aave-v3-USDC-sandbox-one')
  if (constants.family !== 'aave-v3') throw new Error('not Aave')
  const { address } = sandbox.user
  const amount = 1_000_000000n
  const before = await sandbox.balanceOf(31337, asset.address, address)
  await send(asset.address, 'function approve(address,uint256)', [constants.pool, amount])
  await send(constants.pool, 'function supply(address,uint256,address,uint16)', [
    asset.address,
    amount,
    address,
    0,
  ])
  await sandbox.world.warp(365 * day)
  const grown = await sandbox.balanceOf(31337, receipt.address, address)
  expect(grown).toBeGreaterThan(amount + 10_000000n)
  const all = 2n ** 256n - 1n
  await send(constants.pool, 'function withdraw(address,uint256,address)', [asset.address, all, address])
  expect(await sandbox.balanceOf(31337, receipt.address, address)).toBe(0n)
  expect(await sandbox.balanceOf(31337, asset.address, address)).toBeGreaterThanOrEqual(
    before + grown - amount,
  )
})

test('vault shares gain value over time, and redeeming all of them leaves none', async () => {
  const { address } = sandbox.user
  const redeem = 'function redeem(uint256,address,address) returns (uint256)'
  for (const { constants, asset, receipt } of sandbox.world.catalog().strategies) {
    if (constants.family !== 'erc4626' || asset.chainId !== 31337) continue
    const amount = 10n ** BigInt(asset.decimals)
    const before = await sandbox.balanceOf(31337, asset.address, address)
    await send(asset.address, 'function approve(address,uint256)', [constants.vault, amount])
    await send(constants.vault, 'function deposit(uint256,address)', [amount, address])
    await sandbox.world.warp(30 * day)
    const shares = await sandbox.balanceOf(31337, receipt.address, address)
    await send(constants.vault, redeem, [shares, address, address])
    expect(await sandbox.balanceOf(31337, receipt.address, address)).toBe(0n)
    expect(await sandbox.balanceOf(31337, asset.address, address)).toBeGreaterThan(before)
  }
})

test('a vault accepts deposits up to its cap, and none while it is paused', async () => {
  const { constants } = sandbox.strategy('sandbox-vault-USDC-sandbox-one')
  if (constants.family !== 'erc4626') throw new Error('not a vault')
  const most = async () =>
    BigInt(
      await sandbox.call(31337, constants.vault, 'function maxDeposit(address) view returns (uint256)', [
        constants.vault,
      ]),
    )
  expect(await most()).toBeGreaterThan(1_400_000_000000n)
  expect(await most()).toBeLessThan(1_500_000_000001n)
  const data = calldata('function setPaused(bool)', [true])
  await sandbox.sendAs(31337, sandboxAddress(roles.owner), { to: constants.vault, data })
  expect(await most()).toBe(0n)
})

test('reverting a snapshot restores the chain and its clock', async () => {
  const { world } = sandbox
  const { rpc } = sandbox.chain(31337)
  const nextBlock = async () => {
    const snapshot = await world.snapshot()
    await rpc.request('evm_mine')
    const block = await rpc.request<{ timestamp: string; parentHash: string }>('eth_getBlockByNumber', [
      'latest',
      false,
    ])
    await world.revert(snapshot)
    return { parent: block.parentHash, time: Number(block.timestamp) }
  }
  // The tests above moved the clock ahead by years.
  expect((await nextBlock()).time).toBeLessThan(Date.now() / 1000 + day)
  // From here on the clock continues from the newest block.
  const was = await nextBlock()
  const snapshot = await world.snapshot()
  await world.warp(365 * day)
  expect((await nextBlock()).time).toBeGreaterThan(was.time + 364 * day)
  await world.revert(snapshot)
  const is = await nextBlock()
  expect(is.parent).toBe(was.parent)
  expect(Math.abs(is.time - was.time)).toBeLessThan(day)
})

test('a swap pays the quoted amount', async () => {
  const { quoterV2, swapRouter02 } = contractsIn(sandbox.world.catalog(), uniswapV3Contracts)[0]!
  const [usdc, brla] = ['USDC', 'BRLA'].map((symbol) => sandbox.token(31337, symbol).address)
  const amount = 500_000000n
  const { address } = sandbox.user
  const quoted = await sandbox.call(
    31337,
    quoterV2,
    'function quoteExactInputSingle((address,address,uint256,uint24,uint160)) returns (uint256,uint160,uint32,uint256)',
    [[usdc, brla, amount, 500, 0n]],
  )
  await send(usdc!, 'function approve(address,uint256)', [swapRouter02, amount])
  const before = await sandbox.balanceOf(31337, brla!, address)
  await send(
    swapRouter02,
    'function exactInputSingle((address,address,uint24,address,uint256,uint256,uint160)) returns (uint256)',
    [[usdc, brla, 500, address, amount, 0n, 0n]],
  )
  expect((await sandbox.balanceOf(31337, brla!, address)) - before).toBe(BigInt(quoted.slice(0, 66)))
})

test('a USDT allowance must be reset to zero before it is changed', async () => {
  const usdt = sandbox.token(31337, 'USDT').address
  const spender = contractsIn(sandbox.world.catalog(), uniswapV3Contracts)[0]!.swapRouter02
  const approve = 'function approve(address,uint256)'
  await send(usdt, approve, [spender, 5n])
  const again = { to: usdt, data: calldata(approve, [spender, 6n]) }
  expect((await sandbox.sendAs(31337, sandbox.user.address, again)).status).toBe('0x0')
  await send(usdt, approve, [spender, 0n])
  await send(usdt, approve, [spender, 6n])
})

test('the faucet funds all tokens, or the named one', async () => {
  const to = '0x1111111111111111111111111111111111111111'
  await sandbox.world.fund(to)
  await sandbox.world.fund(to, { symbol: 'usdc', amount: 7n })
  await sandbox.world.fund(to, { symbol: 'DUP' })
  for (const chainId of [31337, 31338]) {
    expect(await sandbox.balanceOf(chainId, sandbox.token(chainId, 'USDC').address, to)).toBe(100_000_000007n)
    expect(await sandbox.balanceOf(chainId, sandbox.token(chainId, 'WETH').address, to)).toBe(10n ** 19n)
    expect(await sandbox.nativeBalanceOf(chainId, to)).toBe(10n ** 22n)
  }
  await expect(sandbox.world.fund(to, { symbol: 'NOPE' })).rejects.toMatchObject({ code: 'UNKNOWN_TOKEN' })
})

test('every Aave market earns interest, and exactly one is paused', async () => {
  const paused: string[] = []
  for (const entry of sandbox.world.catalog().strategies) {
    const { constants, chainId, asset } = entry
    if (constants.family !== 'aave-v3') continue
    const data = await sandbox.call(
      chainId,
      constants.pool,
      'function getReserveData(address) view returns (uint256,uint128,uint128)',
      [asset.address],
    )
    const word = (index: number) => BigInt(`0x${data.slice(2 + index * 64, 66 + index * 64)}`)
    expect(word(2), entry.id).toBeGreaterThan(0n)
    if ((word(0) >> 60n) & 1n) paused.push(entry.id)
  }
  expect(paused).toEqual(['aave-v3-WBTC-sandbox-two'])
})

test('a reset restores the genesis state at the same addresses', async () => {
  const usdc = sandbox.token(31338, 'USDC').address
  const url = sandbox.chain(31338).rpcUrl
  await sandbox.world.fund(sandbox.user.address, { symbol: 'USDC', amount: 1n })
  await sandbox.world.reset()
  expect(sandbox.chain(31338).rpcUrl).toBe(url)
  expect(await sandbox.balanceOf(31338, usdc, sandbox.user.address)).toBe(100_000_000000n)
})

async function send(to: `0x${string}`, signature: string, args: readonly unknown[]): Promise<void> {
  const receipt = await sandbox.sendAs(31337, sandbox.user.address, { to, data: calldata(signature, args) })
  expect(receipt.status).toBe('0x1')
}
