import type { Abi } from 'viem'
import { toFunctionSelector } from 'viem/utils'
import type { Address, Hex } from '../../src/domain/address.ts'
import { maxUint256 } from '../../src/domain/amount.ts'
import { networkNamed } from '../../src/domain/networks.ts'
import { nativeToken } from '../../src/domain/token.ts'
import type { StrategyEntry } from '../../src/protocols/catalog-types.ts'
import { roles, sandboxAddress } from '../../src/sandbox/accounts.ts'
import { type Deployer, startDeployer } from '../../src/sandbox/genesis/deployer.ts'
import { calldata, type TestSandbox } from '../support/sandbox.ts'
import { around, theirs } from './artifacts.ts'

/** Where the core pool of Venus is on a chain of a test: a market of USDC, and one of the native coin. */
export type Venus = {
  comptroller: Address
  vUsdc: Address
  vCoin: Address
  entries: readonly StrategyEntry[]
}

const ether = 10n ** 18n
/** Blocks a day, as the rate model is told: so few that a test can mine months of them, and that a node keeps those of a week. */
export const blocksADay = 12

/** Puts the core pool of Venus on a chain, by the bytecode that Venus published, with lenders and borrowers in both markets. */
export async function deployVenus(
  sandbox: TestSandbox,
  chainId: number,
  blocks = blocksADay,
): Promise<Venus> {
  const { rpc } = sandbox.chain(chainId)
  const d = await startDeployer(rpc, sandboxAddress(roles.owner))
  const others = around('Surroundings')
  const world = d.deploy(others)
  const comptroller = deployComptroller(d, world)
  // No more than 5e-6 a block may be asked of borrowers: the fewer blocks there are, the less it is in a year.
  const rates = [0n, (BigInt(blocks) * ether) / 400n, ether, (8n * ether) / 10n, BigInt(365 * blocks)]
  const model = d.deploy(theirs('JumpRateModel'), rates)
  const usdc = sandbox.token(chainId, 'USDC')
  const rate = (decimals: number) => 2n * 10n ** BigInt(8 + decimals)
  const delegate = d.deploy(theirs('VBep20Delegate'))
  const about = ['Venus USDC', 'vUSDC', 8, d.from, delegate, '0x']
  const vUsdc = d.deploy(theirs('VBep20Delegator'), [usdc.address, comptroller, model, rate(6), ...about])
  const vCoin = d.deploy(theirs('VBNB'), [comptroller, model, rate(18), 'Venus BNB', 'vBNB', 8, d.from])

  d.call(others.abi, world, 'set', [vUsdc, 10n ** 30n])
  d.call(others.abi, world, 'set', [vCoin, 3000n * ether])
  const { abi: policy } = theirs('MarketFacet')
  const { abi: setter } = theirs('SetterFacet')
  for (const at of [vUsdc, vCoin]) {
    d.call(policy, comptroller, 'supportMarket', [at])
    d.call(setter, comptroller, 'setMarketSupplyCaps', [[at], [maxUint256]])
    d.call(setter, comptroller, 'setMarketBorrowCaps', [[at], [maxUint256]])
    d.call(setter, comptroller, 'setIsBorrowAllowed', [0n, at, true])
    keepReserves(d, at, world)
    d.call(collateral(setter), comptroller, 'setCollateralFactor', [
      at,
      (8n * ether) / 10n,
      (8n * ether) / 10n,
    ])
  }
  await d.flush()
  await lendAndBorrow(sandbox, chainId, usdc.address, { comptroller, vUsdc, vCoin })
  const coin = nativeToken(networkNamed(sandbox.world.catalog().networks, chainId))
  const entry = (asset: typeof coin, market: Address, symbol: string, isCoin: boolean): StrategyEntry => ({
    ...sandbox.strategy('aave-v3-USDC-sandbox-one'),
    id: `venus-${asset.symbol}-sandbox-one`,
    slug: `venus-${asset.symbol.toLowerCase()}-sandbox-one`,
    name: `Venus ${asset.symbol}`,
    protocol: 'venus',
    startDate: null,
    isDefault: false,
    asset,
    receipt: { chainId, address: market, symbol, decimals: 8, name: symbol },
    implementationSelector: 'compound-v2@1',
    constants: {
      family: 'compound-v2',
      market,
      comptroller,
      rate: 'block',
      pauses: 'action',
      ...(isCoin && { coin: 'market' as const }),
    },
  })
  const entries = [entry(usdc, vUsdc, 'vUSDC', false), entry(coin, vCoin, 'vBNB', true)]
  return { comptroller, vUsdc, vCoin, entries }
}

/** The comptroller is a proxy to a diamond of facets. Each selector goes to the first facet that has it. */
function deployComptroller(d: Deployer, world: Address): Address {
  const [proxy, diamond] = [theirs('Unitroller'), theirs('Diamond')]
  const comptroller = d.deploy(proxy)
  const behind = d.deploy(diamond)
  d.call(proxy.abi, comptroller, '_setPendingImplementation', [behind])
  d.call(diamond.abi, behind, '_become', [comptroller])
  const known = new Set<Hex>()
  const cuts = ['MarketFacet', 'PolicyFacet', 'SetterFacet'].map((name) => {
    const facet = theirs(name)
    const selectors = facet.abi
      .flatMap((item) => (item.type === 'function' ? [toFunctionSelector(item)] : []))
      .filter((selector) => !known.has(selector))
    for (const selector of selectors) known.add(selector)
    return { facetAddress: d.deploy(facet), action: 0, functionSelectors: selectors }
  })
  d.call(diamond.abi, comptroller, 'diamondCut', [cuts])
  const { abi } = theirs('SetterFacet')
  d.call(abi, comptroller, '_setAccessControl', [world])
  d.call(abi, comptroller, '_setPriceOracle', [world])
  d.call(abi, comptroller, 'setDeviationBoundedOracle', [world])
  d.call(abi, comptroller, '_setComptrollerLens', [d.deploy(theirs('ComptrollerLens'))])
  return comptroller
}

/** A tenth of the interest stays with the market, and there: who is paid is no part of this. */
function keepReserves(d: Deployer, market: Address, world: Address): void {
  const { abi } = theirs('VBep20Delegate')
  d.call(abi, market, 'setAccessControlManager', [world])
  d.call(abi, market, 'setReduceReservesBlockDelta', [10n ** 9n])
  d.call(abi, market, '_setReserveFactor', [ether / 10n])
}

/** The function of that name for the core pool: the facet has another for others. */
const collateral = (abi: Abi): Abi =>
  abi.filter(
    (item) => item.type === 'function' && item.name === 'setCollateralFactor' && item.inputs.length === 3,
  )

async function lendAndBorrow(
  sandbox: TestSandbox,
  chainId: number,
  usdc: Address,
  { comptroller, vUsdc, vCoin }: Omit<Venus, 'entries'>,
): Promise<void> {
  const [lender, borrower] = [sandboxAddress(3), sandboxAddress(4)]
  const send = async (from: Address, to: Address, signature: string, args: unknown[] = [], value = 0n) => {
    const { status } = await sandbox.sendAs(chainId, from, { to, data: calldata(signature, args), value })
    if (status !== '0x1') throw new Error(`${signature} reverted`)
  }
  await send(lender, usdc, 'function approve(address,uint256)', [vUsdc, maxUint256])
  await send(lender, vUsdc, 'function mint(uint256)', [50_000_000_000n])
  await send(lender, comptroller, 'function enterMarkets(address[])', [[vUsdc]])
  await send(borrower, vCoin, 'function mint()', [], 20n * ether)
  await send(borrower, comptroller, 'function enterMarkets(address[])', [[vCoin]])
  await send(borrower, vUsdc, 'function borrow(uint256)', [30_000_000_000n])
  await send(lender, vCoin, 'function borrow(uint256)', [10n * ether])
}
