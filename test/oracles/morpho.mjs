// Prints, as JSON, the rates that @morpho-org/blue-sdk computes for random vaults. No network: each market has the state of its last touch, a minute to three days ago.
import { createRequire } from 'node:module'
import { AccrualPosition, AccrualVault, Market, MarketParams } from '@morpho-org/blue-sdk'

const random = createRequire(import.meta.url)('./random.cjs')
const { big, address, next, whole } = random(20260401)

const wad = 10n ** 18n
/** A random fraction up to `most`, scaled by 1e18. */
const part = (most) => (BigInt(Math.floor(next() * 1e15)) * 1000n * BigInt(Math.round(most * 1000))) / 1000n
const now = 1_800_000_000n
const zero = `0x${'0'.repeat(40)}`

const aMarket = (loanToken) => {
  const totalSupplyAssets = big(90) + 1_000n
  const touched = now - 60n - BigInt(whole(3 * 86_400 - 60))
  // One in ten is the idle market that holds a vault's unlent assets: it has no borrowers and no rate model.
  const isIdle = next() < 0.1
  const market = new Market({
    params: new MarketParams({
      loanToken,
      collateralToken: isIdle ? zero : address(),
      oracle: address(),
      irm: isIdle ? zero : address(),
      lltv: (wad * 86n) / 100n,
    }),
    totalSupplyAssets,
    totalBorrowAssets: isIdle ? 0n : (totalSupplyAssets * part(1)) / wad,
    totalSupplyShares: totalSupplyAssets * 1_000_000n - (totalSupplyAssets * 1_000_000n * part(0.2)) / wad,
    totalBorrowShares: 1n,
    lastUpdate: touched,
    fee: next() < 0.5 ? 0n : part(0.25),
    ...(!isIdle && { rateAtTarget: next() < 0.05 ? 0n : (wad / 1000n + part(0.5)) / 31_536_000n }),
  })
  return { market, supplyShares: (market.totalSupplyShares * part(1)) / wad }
}

const vaults = []
for (let at = 0; at < 100; at++) {
  const [at4626, asset] = [address(), address()]
  const fee = next() < 0.3 ? 0n : part(0.5)
  const lent = Array.from({ length: 1 + whole(6) }, () => aMarket(asset))
  const allocations = lent.map(({ market, supplyShares }) => ({
    config: { vault: at4626, marketId: market.id, cap: 2n ** 100n, enabled: true },
    position: new AccrualPosition({ user: at4626, supplyShares, borrowShares: 0n, collateral: 0n }, market),
  }))
  const there = allocations.reduce((sum, { position }) => sum + position.supplyAssets, 0n)
  const counts = next() < 0.5
  const lostAssets = next() < 0.5 ? 0n : (there * part(0.1)) / wad
  const lastTotalAssets = (there * (wad + part(0.1))) / wad
  const vault = new AccrualVault(
    {
      address: at4626,
      asset,
      decimals: 18,
      symbol: 'v',
      name: 'v',
      decimalsOffset: 12n,
      pendingTimelock: { value: 0n, validAt: 0n },
      fee,
      totalSupply: wad,
      lastTotalAssets,
      // Vaults of v1.0 do not track lost assets.
      ...(counts && { lostAssets }),
    },
    allocations,
  )
  vaults.push({
    fee: String(fee),
    ...(counts && { lost: { assets: String(lostAssets), lastTotalAssets: String(lastTotalAssets) } }),
    lent: lent.map(({ market, supplyShares }) => ({
      totalSupplyAssets: String(market.totalSupplyAssets),
      totalSupplyShares: String(market.totalSupplyShares),
      totalBorrowAssets: String(market.totalBorrowAssets),
      lastUpdate: String(market.lastUpdate),
      fee: String(market.fee),
      supplyShares: String(supplyShares),
      ...(market.rateAtTarget !== undefined && { rateAtTarget: String(market.rateAtTarget) }),
    })),
    netApy: vault.accrueInterest(now).getNetApy(now),
  })
}
process.stdout.write(JSON.stringify({ now: String(now), vaults }))
