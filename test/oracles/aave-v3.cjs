// Prints, as JSON, the calldata and rates that @aave/contract-helpers and @aave/math-utils compute for random inputs. No network: the gas estimate is a stub.
const { Pool, PoolBundle } = require('@aave/contract-helpers')
const { formatReserve } = require('@aave/math-utils')
const {
  calculateIncentiveAPR,
} = require('@aave/math-utils/dist/cjs/formatters/incentive/calculate-incentive-apr')
const ethers = require('ethers')
const random = require('./random.cjs')

const { big, address, next } = random(20260101)
const provider = new ethers.providers.StaticJsonRpcProvider('http://127.0.0.1:1', 8453)
provider.estimateGas = async () => ethers.BigNumber.from(210000)
const decimals = 6

async function main() {
  const supply = Array.from({ length: 100 }, () => {
    const [pool, reserve, onBehalfOf] = [address(), address(), address()].map(ethers.utils.getAddress)
    const amount = big(240).toString()
    const bundle = new PoolBundle(provider, { POOL: pool, WETH_GATEWAY: pool })
    const { to, data } = bundle.supplyTxBuilder.generateTxData({
      user: onBehalfOf,
      reserve,
      amount,
      onBehalfOf,
      referralCode: '0',
    })
    return { pool, asset: reserve, onBehalfOf, amount, to, data }
  })
  const withdraw = []
  for (let at = 0; at < 100; at++) {
    const [pool, reserve, user, aToken] = [address(), address(), address(), address()].map(
      ethers.utils.getAddress,
    )
    const isAll = at % 4 === 0
    const raw = big(100)
    const helper = new Pool(provider, { POOL: pool, WETH_GATEWAY: pool })
    helper.erc20Service.decimalsOf = async () => decimals
    const [transaction] = await helper.withdraw({
      user,
      reserve,
      amount: isAll ? '-1' : ethers.utils.formatUnits(raw.toString(), decimals),
      aTokenAddress: aToken,
    })
    const { to, data } = await transaction.tx()
    withdraw.push({
      pool,
      asset: reserve,
      to: user,
      amount: isAll ? ((1n << 256n) - 1n).toString() : raw.toString(),
      target: to,
      data,
    })
  }
  const rates = Array.from({ length: 200 }, () => {
    const liquidityRate = ((BigInt(Math.floor(next() ** 3 * 1e15)) * 10n ** 27n) / 10n ** 15n).toString()
    const { supplyAPY, supplyAPR } = formatReserve({ reserve: reserveOf(liquidityRate), currentTimestamp: 1 })
    return { liquidityRate, supplyAPY, supplyAPR }
  })
  // Prices share one currency; amounts are in smallest units.
  const incentives = Array.from({ length: 200 }, () => {
    const [decimals, rewardTokenDecimals] = [6 + Math.floor(next() * 13), 6 + Math.floor(next() * 13)]
    const whole = (most) => Math.floor(next() * most) + 1
    const asked = {
      emissionPerSecond: (BigInt(whole(1e6)) * 10n ** BigInt(rewardTokenDecimals - 6)).toString(),
      rewardTokenPriceInMarketReferenceCurrency: String(whole(1e10)),
      priceInMarketReferenceCurrency: String(whole(1e10) + 1e6),
      totalTokenSupply: (BigInt(whole(1e9)) * 10n ** BigInt(decimals) + big(20)).toString(),
      decimals,
      rewardTokenDecimals,
    }
    return { ...asked, apr: calculateIncentiveAPR(asked) }
  })
  process.stdout.write(JSON.stringify({ supply, withdraw, rates, incentives }))
}

const reserveOf = (liquidityRate) => ({
  decimals,
  liquidityRate,
  reserveFactor: '0',
  baseLTVasCollateral: '0',
  averageStableRate: '0',
  stableDebtLastUpdateTimestamp: 0,
  liquidityIndex: '1000000000000000000000000000',
  reserveLiquidationThreshold: '0',
  reserveLiquidationBonus: '0',
  variableBorrowIndex: '1000000000000000000000000000',
  variableBorrowRate: '0',
  availableLiquidity: '0',
  stableBorrowRate: '0',
  totalPrincipalStableDebt: '0',
  totalScaledVariableDebt: '0',
  lastUpdateTimestamp: 0,
  borrowCap: '0',
  supplyCap: '0',
  debtCeiling: '0',
  debtCeilingDecimals: 2,
  isolationModeTotalDebt: '',
  unbacked: '0',
  symbol: 'X',
  underlyingAsset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  virtualUnderlyingBalance: '0',
  flashLoanEnabled: true,
  isActive: true,
  isFrozen: false,
  borrowingEnabled: true,
})

main()
