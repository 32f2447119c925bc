import { acrossYear } from '../../../src/protocols/across-pool/market-adapter.ts'
import { roles, sandboxAddress } from '../../../src/sandbox/accounts.ts'
import type { TestSandbox } from '../../support/use-sandbox.ts'
import { deployAcross, hubOf, liveness } from '../fixtures/across.ts'
import { deployPendle } from '../fixtures/pendle.ts'
import { chainId, compounded, day, ether, evenly, handOn, ray, type Year, year } from './year.ts'

/** A PT, which is redeemed at maturity. */
export async function pendle(sandbox: TestSandbox): Promise<Year> {
  const { entry, constants } = await deployPendle(sandbox, chainId)
  const { send, ask, later } = handOn(sandbox)
  const { market, oracle, yt, expiry } = constants
  const price = () => ask(oracle, 'function getPtToAssetRate(address,uint32) view', [market, 900])
  const held = () => sandbox.balanceOf(chainId, entry.receipt.address, sandbox.user.address)
  return {
    entry,
    amounts: [100, 2_000],
    // Longer than the averaging period of the oracle, so that its price includes the purchase.
    settles: 1,
    apart: 60,
    ends: expiry,
    pass: async (seconds) => {
      await later(seconds)
      await send(sandboxAddress(2), yt, 'function pyIndexCurrent()')
    },
    index: price,
    worth: async () => ((await held()) * (await price())) / ether,
    left: held,
    over: evenly,
    aYear: compounded,
  }
}

/** An Across pool: of USDC, or of WETH that takes the native coin. */
export const across =
  (at: 0 | 1) =>
  async (sandbox: TestSandbox): Promise<Year> => {
    const deployed = await deployAcross(sandbox, chainId)
    const { hubPool, entries, usdc, weth } = deployed
    const [entry, token] = [entries[at]!, [usdc, weth][at]!]
    const { send, ask, later } = handOn(sandbox)
    const hub = hubOf(sandbox, chainId, deployed)
    const owed = () => ask(hubPool, 'function pooledTokens(address) view', [token], 5)
    const each = await ask(hubPool, 'function lpFeeRatePerSecond() view')
    // About 5 % a year at the start of a bundle.
    const all = at === 0 ? 20_000_000_000n : 10n * ether
    const wanted = (all * ether) / (20n * each * BigInt(acrossYear))
    const price = () => ask(hubPool, 'function exchangeRateCurrent(address)', [token])
    const shares = () => sandbox.balanceOf(chainId, entry.receipt.address, sandbox.user.address)
    return {
      entry,
      amounts: at === 0 ? [100, 4_000] : [1, 3],
      settles: 1,
      // Owed fees are paid out in 7.7 days (source: HubPool, lpFeeRatePerSecond); nothing accrues after that.
      apart: 7,
      pass: async (seconds) => {
        const before = await owed()
        const fees = wanted - before + (before * each * BigInt(seconds)) / ether
        await later(seconds - liveness - 4)
        await hub.propose({ token, fees })
        await later(liveness + 1)
        await send(sandboxAddress(2), hubPool, 'function exchangeRateCurrent(address)', [token])
        await hub.execute({ token, fees })
      },
      index: price,
      worth: async () => ((await shares()) * (await price())) / ether,
      left: shares,
      // The amount paid per second stays constant and is not compounded.
      over: (before, apy, seconds) => before + (apy * seconds) / acrossYear,
      aYear: (growth, seconds) => ((growth - 1) * acrossYear) / seconds,
    }
  }

/** Lido-like staking with the sandbox contract; withdrawals wait in a queue. */
export async function lido(sandbox: TestSandbox): Promise<Year> {
  const entry = sandbox.strategy('sandbox-lido-wsteth-ETH-sandbox-one')
  const { constants } = entry
  if (constants.family !== 'lido' || constants.holds !== 'wstETH') throw new Error('another family')
  const { stEth, wstEth } = constants
  const { send, ask, later } = handOn(sandbox)
  const held = () => sandbox.balanceOf(chainId, entry.receipt.address, sandbox.user.address)
  const ofWrapped = 'function getStETHByWstETH(uint256) view'
  return {
    entry,
    amounts: [1, 3],
    settles: 8,
    apart: 30,
    queued: true,
    pass: async (seconds) => {
      await later(seconds)
      await send(sandboxAddress(roles.keeper), stEth, 'function report()')
    },
    index: () => ask(wstEth, ofWrapped, [ray]),
    worth: async () => ask(wstEth, ofWrapped, [await held()]),
    left: held,
    // A report pays for the time since the previous report, and the paid amount earns from then on.
    over: (before, apy, seconds) => before * (1 + (((1 + apy) ** (day / year) - 1) * seconds) / day),
    aYear: compounded,
  }
}
