import { encodeFunctionData, parseAbi } from 'viem/utils'
import { describe, expect, it } from 'vitest'
import { approve, transfer } from '../../../src/chain/erc20.ts'
import { maxUint256 } from '../../../src/domain/amount.ts'
import type { Transaction } from '../../../src/domain/transaction-types.ts'
import { simulateLeg } from '../../../src/guard/simulation/simulate.ts'
import { supply, withdraw } from '../../../src/protocols/aave-v3/encode.ts'
import type { StrategyEntry } from '../../../src/protocols/catalog-types.ts'
import { deposit, redeem } from '../../../src/protocols/erc4626/encode.ts'
import { contractsOn } from '../../../src/swaps/swap-contracts.ts'
import { uniswapV3Contracts } from '../../../src/swaps/uniswap-v3/constants-schema.ts'
import { encodeV3Swap } from '../../../src/swaps/uniswap-v3/encode.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const chainId = 31337
const native = { symbol: 'ETH', decimals: 18 }
const nobody = `0x${'12'.repeat(20)}` as const

const simulate = (
  transactions: Transaction[],
  strategy: StrategyEntry = sandbox.strategy('aave-v3-USDC-sandbox-one'),
  more: Partial<Parameters<typeof simulateLeg>[0]> = {},
) =>
  simulateLeg({
    rpc: sandbox.chain(chainId).rpc,
    chainId,
    native,
    wallet: sandbox.user.address,
    transactions,
    tokens: [strategy.asset, strategy.receipt],
    ...more,
  })
const poolOf = ({ constants }: StrategyEntry) => {
  if (constants.family !== 'aave-v3') throw new Error('not a pool')
  return constants.pool
}
const vaultOf = ({ constants }: StrategyEntry) => {
  if (constants.family !== 'erc4626') throw new Error('not a vault')
  return constants.vault
}
const into = (amount: bigint, approved = amount): Transaction[] => {
  const strategy = sandbox.strategy('aave-v3-USDC-sandbox-one')
  const asset = strategy.asset.address
  return [
    approve({ chainId, token: asset, spender: poolOf(strategy), amount: approved }),
    supply({ chainId, pool: poolOf(strategy), asset, amount, onBehalfOf: sandbox.user.address }),
  ]
}
const hundred = 100_000_000n

describe('a simulated leg', () => {
  it('shows the changes of a deposit into Aave, and changes nothing on chain', async () => {
    const { asset, receipt } = sandbox.strategy('aave-v3-USDC-sandbox-one')
    const before = await sandbox.balanceOf(chainId, asset.address, sandbox.user.address)
    const { changes, allowances, gas, gasUsed } = await simulate(into(hundred))
    expect(changes.map(({ token, delta }) => [token.address, delta])).toEqual([
      [asset.address, -hundred],
      [receipt.address, expect.toSatisfy((delta: bigint) => delta >= hundred - 2n && delta <= hundred)],
    ])
    expect(allowances.map(({ before, after }) => [before, after])).toEqual([[0n, 0n]])
    expect(gas.every((limit, i) => limit >= gasUsed[i]!)).toBe(true)
    expect(await sandbox.balanceOf(chainId, asset.address, sandbox.user.address)).toBe(before)
  })

  it('shows the allowance that remains', async () => {
    const { allowances } = await simulate(into(hundred, 3n * hundred))
    expect(allowances.map(({ after }) => after)).toEqual([2n * hundred])
  })

  it('runs each step on the state of the previous one: deposit into a vault and redeem all', async () => {
    const strategy = sandbox.strategy('sandbox-vault-USDC-sandbox-one')
    const [vault, wallet] = [vaultOf(strategy), sandbox.user.address]
    const entering = [
      approve({ chainId, token: strategy.asset.address, spender: vault, amount: hundred }),
      deposit({ chainId, vault, assets: hundred, receiver: wallet }),
    ]
    const shares = (await simulate(entering, strategy)).changes[1]!.delta
    expect(shares).toBeGreaterThan(0n)
    const leaving = [...entering, redeem({ chainId, vault, shares, receiver: wallet, owner: wallet })]
    const { changes } = await simulate(leaving, strategy)
    expect(changes[1]!.delta).toBe(0n)
    expect(changes[0]!.delta).toBeGreaterThanOrEqual(-2n)
  })

  it('reports INSUFFICIENT_FUNDS with both amounts when the wallet holds too little', async () => {
    const strategy = sandbox.strategy('aave-v3-USDC-sandbox-one')
    const held = await sandbox.balanceOf(chainId, strategy.asset.address, sandbox.user.address)
    const asked = simulate(into(held + 1n), strategy, {
      needs: [{ token: strategy.asset, amount: held + 1n }],
    })
    await expect(asked).rejects.toMatchObject({
      code: 'INSUFFICIENT_FUNDS',
      details: { held: held.toString(), needed: (held + 1n).toString() },
    })
  })

  it('reports INSUFFICIENT_FUNDS when the wallet has no native coin for gas', async () => {
    const { asset } = sandbox.strategy('aave-v3-USDC-sandbox-one')
    const sending = transfer({ chainId, token: asset.address, to: sandbox.user.address, amount: 0n })
    await expect(simulate([sending], undefined, { wallet: nobody })).rejects.toMatchObject({
      code: 'INSUFFICIENT_FUNDS',
      details: { symbol: 'ETH', held: '0' },
    })
  })

  it('names the failing step and explains the error number of Aave', async () => {
    const strategy = sandbox.strategy('aave-v3-USDC-sandbox-one')
    const leaving = withdraw({
      chainId,
      pool: poolOf(strategy),
      asset: strategy.asset.address,
      amount: 10n ** 30n,
      to: sandbox.user.address,
    })
    await expect(simulate([leaving])).rejects.toMatchObject({
      code: 'SIMULATION_REVERTED',
      message: 'Step 1 of 1 would fail: more than the available balance (32)',
    })
  })

  it('names the failing step and explains custom errors', async () => {
    const [approving, supplying] = into(hundred, hundred - 1n)
    await expect(simulate([approving!, supplying!])).rejects.toMatchObject({
      code: 'SIMULATION_REVERTED',
      message: expect.stringContaining('Step 2 of 2 would fail'),
    })
    const strategy = sandbox.strategy('sandbox-vault-USDC-sandbox-one')
    const wallet = sandbox.user.address
    const taking = redeem({
      chainId,
      vault: vaultOf(strategy),
      shares: maxUint256,
      receiver: wallet,
      owner: wallet,
    })
    await expect(simulate([taking], strategy)).rejects.toMatchObject({
      message: expect.stringContaining('more shares than the vault redeems now (ERC4626ExceededMaxRedeem('),
    })
  })

  it('names the failing step and explains the revert strings of the router', async () => {
    const [usdc, usdt] = [sandbox.token(chainId, 'USDC'), sandbox.token(chainId, 'USDT')]
    const { swapRouter02: router } = contractsOn(sandbox.world.catalog(), uniswapV3Contracts, chainId)!
    const swapping = (deadline: number) => [
      approve({ chainId, token: usdc.address, spender: router, amount: hundred }),
      encodeV3Swap({
        chainId,
        router,
        exact: 'in',
        path: { tokens: [usdc.address, usdt.address], fees: [100] },
        amountIn: hundred,
        amountOut: 2n * hundred,
        recipient: sandbox.user.address,
        deadline,
      }),
    ]
    await expect(simulate(swapping(4_000_000_000))).rejects.toMatchObject({
      message: expect.stringContaining('the output would be below the minimum (Too little received)'),
    })
    await expect(simulate(swapping(1))).rejects.toMatchObject({
      message: expect.stringContaining('the deadline has passed (Transaction too old)'),
    })
  })

  it('is refused on a node of another chain', async () => {
    await expect(simulate(into(hundred), undefined, { rpc: sandbox.chain(31338).rpc })).rejects.toMatchObject(
      { code: 'CHAIN_ID_MISMATCH' },
    )
  })

  it('includes the native value of a step', async () => {
    const abi = parseAbi(['function deposit() payable'])
    const weth = sandbox.token(chainId, 'WETH')
    const wrapping = {
      to: weth.address,
      data: encodeFunctionData({ abi, functionName: 'deposit' }),
      value: 10n ** 18n,
      chainId,
    }
    const { changes } = await simulate([wrapping], undefined, { tokens: [weth] })
    expect(changes.map(({ delta }) => delta)).toEqual([10n ** 18n])
  })
})
