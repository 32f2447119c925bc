import type { Address } from '../../../src/domain/address.ts'
import { maxUint256 } from '../../../src/domain/amount.ts'
import { roles, sandboxAddress } from '../../../src/sandbox/accounts.ts'
import { word } from '../../support/engine.ts'
import { reserveOf } from '../../support/market-constants.ts'
import type { TestSandbox } from '../../support/use-sandbox.ts'
import { deployMorpho, inOrder, marketTuple } from '../fixtures/morpho.ts'
import { blocksADay, deployVenus } from '../fixtures/venus.ts'
import { chainId, compounded, day, ether, evenly, handOn, kept, ray, type Year, year } from './year.ts'

/** The Aave reserve of every sandbox. */
export async function aave(sandbox: TestSandbox): Promise<Year> {
  const entry = sandbox.strategy('aave-v3-USDC-sandbox-one')
  const { pool, aToken } = reserveOf(entry)
  const { send, ask, later } = handOn(sandbox)
  const [usdc, wallet] = [entry.asset.address, sandbox.user.address]
  const [borrower, toucher] = [sandboxAddress(roles.owner), sandboxAddress(2)]
  for (const who of [borrower, toucher])
    await send(who, usdc, 'function approve(address,uint256)', [pool, maxUint256])
  const data = await sandbox.call(chainId, pool, 'function getReserveData(address) view', [usdc])
  const debt: Address = `0x${word(data, 10).toString(16).padStart(40, '0')}`
  const more = kept()
  const income = () => ask(pool, 'function getReserveNormalizedIncome(address) view', [usdc])
  const scaled = () => ask(aToken, 'function scaledBalanceOf(address) view', [wallet])
  return {
    entry,
    amounts: [100, 9_000],
    settles: 1,
    apart: 60,
    pass: async (seconds) => {
      await later(seconds)
      await send(toucher, pool, 'function supply(address,uint256,address,uint16)', [usdc, 1n, toucher, 0])
      const borrowed = await ask(debt, 'function totalSupply() view')
      const over = more(borrowed, borrowed + (await sandbox.balanceOf(chainId, usdc, aToken)))
      if (over <= 0n) return
      await send(borrower, pool, 'function repay(address,uint256,uint256,address)', [
        usdc,
        over,
        2n,
        borrower,
      ])
    },
    index: income,
    // Rounds half up, like Aave (WadRayMath of `@aave/core-v3`).
    worth: async () => ((await scaled()) * (await income()) + ray / 2n) / ray,
    left: scaled,
    over: (before, apy, seconds) => before * (1 + (Math.log1p(apy) * seconds) / year),
    aYear: compounded,
  }
}

/** A Venus market: of USDC, or of the native coin. */
export const venus =
  (at: 0 | 1) =>
  async (sandbox: TestSandbox, isDaily: boolean): Promise<Year> => {
    // Mining blocks takes most of the time of a year.
    const blocks = isDaily ? blocksADay : 3
    const { entries, vUsdc, vCoin } = await deployVenus(sandbox, chainId, blocks)
    const [entry, market] = [entries[at]!, [vUsdc, vCoin][at]!]
    const { send, ask, rpc } = handOn(sandbox)
    const [borrower, helper] = [sandboxAddress(at === 0 ? 4 : 3), sandboxAddress(2)]
    if (at === 0)
      await send(borrower, entry.asset.address, 'function approve(address,uint256)', [market, maxUint256])
    const more = kept()
    const price = () => ask(market, 'function exchangeRateCurrent()')
    const shares = () => sandbox.balanceOf(chainId, market, sandbox.user.address)
    const apart = day / blocks
    return {
      entry,
      amounts: at === 0 ? [100, 9_000] : [1, 9],
      settles: 8,
      apart: 60,
      pass: async (seconds) => {
        const passing = Math.round(seconds / apart)
        await rpc.request('anvil_mine', [`0x${(passing - 2).toString(16)}`, `0x${apart.toString(16)}`])
        await rpc.request('evm_increaseTime', [apart])
        await send(helper, market, 'function accrueInterest()')
        const [borrowed, cash, own] = await Promise.all(
          ['totalBorrows', 'getCash', 'totalReserves'].map((name) => ask(market, `function ${name}() view`)),
        )
        const over = more(borrowed!, borrowed! + cash! - own!)
        await rpc.request('evm_increaseTime', [apart])
        if (over <= 0n) await rpc.request('evm_mine')
        else if (at === 0) await send(borrower, market, 'function repayBorrow(uint256)', [over])
        else await send(borrower, market, 'function repayBorrow() payable', [], over)
      },
      index: price,
      worth: async () => ((await shares()) * (await price())) / ether,
      left: shares,
      // Simple interest over all blocks since the last touch.
      over: (before, apy, seconds) => before * (1 + ((1 + apy) ** (1 / 365) - 1) * (seconds / day)),
      aYear: compounded,
    }
  }

/** A Morpho vault, known as such or as a plain ERC-4626 vault. */
export const morpho =
  (isKnown: boolean) =>
  async (sandbox: TestSandbox): Promise<Year> => {
    const { vault, morpho: core, params, ...at } = await deployMorpho(sandbox, chainId)
    const { send, ask, later } = handOn(sandbox)
    const [lender, borrower] = [sandboxAddress(3), sandboxAddress(4)]
    const id = await sandbox.call(chainId, vault, 'function withdrawQueue(uint256) view', [0n])
    const here = inOrder(params)
    await send(borrower, params.loanToken, 'function approve(address,uint256)', [core, maxUint256])
    // 90 % utilization, where the rate model keeps its rate.
    const more = kept((ray * 9n) / 10n)
    const hold = async () => {
      const said = await sandbox.call(chainId, core, 'function market(bytes32) view', [id])
      const over = more(word(said, 2), word(said, 0))
      const about = [here, over > 0n ? over : -over, 0n, borrower]
      if (over > 0n)
        await send(borrower, core, `function repay(${marketTuple},uint256,uint256,address,bytes)`, [
          ...about,
          '0x',
        ])
      else if (over < 0n)
        await send(borrower, core, `function borrow(${marketTuple},uint256,uint256,address,address)`, [
          ...about,
          borrower,
        ])
    }
    const worthOf = (shares: bigint) => ask(vault, 'function convertToAssets(uint256)', [shares])
    const shares = () => sandbox.balanceOf(chainId, vault, sandbox.user.address)
    const constants = { family: 'erc4626', vault } as const
    return {
      entry: isKnown ? at.entry : { ...at.entry, implementationSelector: 'erc4626@1', constants },
      amounts: [100, 2_000],
      settles: isKnown ? 1 : 9,
      apart: 60,
      pass: async (seconds) => {
        await later(seconds)
        await send(lender, vault, 'function deposit(uint256,address)', [1_000n, lender])
        await hold()
      },
      index: () => worthOf(10n ** 33n),
      worth: async () => worthOf(await shares()),
      left: shares,
      over: evenly,
      aYear: compounded,
    }
  }
