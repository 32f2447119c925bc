import { parseUnits } from 'viem/utils'
import { type Address, nativeAddress } from '../../domain/address.ts'
import { maxUint256 } from '../../domain/amount.ts'
import { ownContract, published, publishedAbi } from './artifacts.ts'
import type { Deployer } from './deployer.ts'
import { type Asset, assetFacts, assets, type ChainParameters } from './parameters.ts'
import type { DeployedTokens } from './tokens.ts'

/** The treasury that collects the reserve factor; it has no known key. */
const treasury: Address = '0x000000000000000000000000000000000000dEaD'

const ray = (percent: number): bigint => BigInt(Math.round(percent * 1e7)) * 10n ** 18n

/** The addresses of a chain's Aave market. */
export type Aave = { pool: Address; oracle: Address; aTokens: Record<Asset, Address> }

/**
 * Deploys an Aave v3 market with five reserves and seeds it with deposits and loans, so that every reserve has a rate
 * above zero.
 */
export async function deployAave(
  d: Deployer,
  parameters: ChainParameters,
  tokens: DeployedTokens,
): Promise<Aave> {
  const providerArtifact = published('PoolAddressesProvider')
  const provider = d.deploy(providerArtifact, ['Sandbox market', d.from])
  const configure = (name: string, ...args: unknown[]) => d.call(providerArtifact.abi, provider, name, args)

  const poolArtifact = published('Pool', deployLibraries(d))
  const poolImplementation = d.deploy(poolArtifact, [provider])
  const configuratorArtifact = published('PoolConfigurator', {
    ConfiguratorLogic: d.deploy(published('ConfiguratorLogic')),
  })
  const configuratorImplementation = d.deploy(configuratorArtifact)
  configure('setACLAdmin', d.from)
  const aclArtifact = published('ACLManager')
  const acl = d.deploy(aclArtifact, [provider])
  configure('setACLManager', acl)
  for (const role of ['addPoolAdmin', 'addEmergencyAdmin', 'addRiskAdmin', 'addAssetListingAdmin'])
    d.call(aclArtifact.abi, acl, role, [d.from])

  const oracle = deployOracle(d, provider, tokens)
  configure('setPriceOracle', oracle)
  configure('setPoolImpl', poolImplementation)
  configure('setPoolConfiguratorImpl', configuratorImplementation)
  const dataArtifact = published('AaveProtocolDataProvider')
  const data = d.deploy(dataArtifact, [provider])
  configure('setPoolDataProvider', data)
  const pool = await d.read<Address>(providerArtifact.abi, provider, 'getPool')
  const configurator = await d.read<Address>(providerArtifact.abi, provider, 'getPoolConfigurator')

  initReserves(d, { provider, pool, configurator, tokens })
  for (const asset of assets) {
    const token = tokens.assets[asset]
    const set = (name: string, ...args: unknown[]) =>
      d.call(configuratorArtifact.abi, configurator, name, [token, ...args])
    set('configureReserveAsCollateral', 7500n, 8000n, 10500n)
    set('setReserveBorrowing', true)
    set('setReserveFactor', 1000n)
  }
  seed(d, pool, parameters, tokens)
  for (const asset of parameters.pausedReserves)
    d.call(configuratorArtifact.abi, configurator, 'setReservePause', [tokens.assets[asset], true])

  const aTokens: Partial<Record<Asset, Address>> = {}
  for (const asset of assets)
    aTokens[asset] = (
      await d.read<readonly Address[]>(dataArtifact.abi, data, 'getReserveTokensAddresses', [
        tokens.assets[asset],
      ])
    )[0]!
  return { pool, oracle, aTokens: aTokens as Record<Asset, Address> }
}

function deployLibraries(d: Deployer): Record<string, Address> {
  const libraries: Record<string, Address> = {}
  const names = [
    'SupplyLogic',
    'BorrowLogic',
    'LiquidationLogic',
    'EModeLogic',
    'BridgeLogic',
    'PoolLogic',
    'FlashLoanLogic',
  ] as const
  for (const name of names) libraries[name] = d.deploy(published(name, libraries))
  return libraries
}

function deployOracle(d: Deployer, provider: Address, tokens: DeployedTokens): Address {
  const aggregator = published('MockAggregator')
  return d.deploy(published('AaveOracle'), [
    provider,
    assets.map((asset) => tokens.assets[asset]),
    assets.map((asset) => d.deploy(aggregator, [assetFacts[asset].usd])),
    nativeAddress,
    nativeAddress,
    100000000n,
  ])
}

type Market = { provider: Address; pool: Address; configurator: Address; tokens: DeployedTokens }

function initReserves(d: Deployer, { provider, pool, configurator, tokens }: Market): void {
  const strategy = (optimal: number, base: number, slope1: number, slope2: number) =>
    d.deploy(published('DefaultReserveInterestRateStrategy'), [
      provider,
      ...[optimal, base, slope1, slope2, 0.5, 60, 1, 8, 20].map(ray),
    ])
  const stable = strategy(90, 0, 5.5, 60)
  const volatile = strategy(80, 1, 3.8, 80)
  const aToken = d.deploy(published('AToken'), [pool])
  const stableDebt = d.deploy(published('StableDebtToken'), [pool])
  const variableDebt = d.deploy(published('VariableDebtToken'), [pool])
  const inputs = assets.map((asset) => ({
    aTokenImpl: aToken,
    stableDebtTokenImpl: stableDebt,
    variableDebtTokenImpl: variableDebt,
    underlyingAssetDecimals: assetFacts[asset].decimals,
    interestRateStrategyAddress: asset === 'WETH' || asset === 'WBTC' ? volatile : stable,
    underlyingAsset: tokens.assets[asset],
    treasury,
    incentivesController: nativeAddress,
    aTokenName: `Aave Sandbox ${asset}`,
    aTokenSymbol: `a${asset}`,
    variableDebtTokenName: `Aave Sandbox Variable Debt ${asset}`,
    variableDebtTokenSymbol: `variableDebt${asset}`,
    stableDebtTokenName: `Aave Sandbox Stable Debt ${asset}`,
    stableDebtTokenSymbol: `stableDebt${asset}`,
    params: '0x10',
  }))
  d.call(publishedAbi('PoolConfigurator'), configurator, 'initReserves', [inputs])
}

function seed(d: Deployer, pool: Address, parameters: ChainParameters, tokens: DeployedTokens): void {
  const abi = publishedAbi('Pool')
  const units = (asset: Asset, whole: bigint) => parseUnits(String(whole), assetFacts[asset].decimals)
  for (const asset of assets) {
    const token = tokens.assets[asset]
    d.call(ownContract('SandboxToken').abi, token, 'approve', [pool, maxUint256])
    d.call(abi, pool, 'supply', [token, units(asset, parameters.lending[asset].supplied), d.from, 0])
  }
  const variableRate = 2n
  for (const asset of assets) {
    const { supplied, borrowedPercent } = parameters.lending[asset]
    const amount = units(asset, (supplied * borrowedPercent) / 100n)
    d.call(abi, pool, 'borrow', [tokens.assets[asset], amount, variableRate, 0, d.from])
  }
}
