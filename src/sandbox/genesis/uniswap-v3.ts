import { nativeAddress } from '../../domain/address.ts'
import { maxUint256 } from '../../domain/amount.ts'
import type { UniswapV3Constants } from '../../swaps/uniswap-v3/constants-schema.ts'
import { ownContract, published } from './artifacts.ts'
import type { Deployer } from './deployer.ts'
import type { Asset, ChainParameters } from './parameters.ts'
import { type PoolSide, poolSide, squareRoot } from './pool-math.ts'
import type { DeployedTokens } from './tokens.ts'

/** Tick spacing by fee tier of the factory; the tiers 0.01 % and 0.25 % must be enabled explicitly. */
const spacing: Record<number, number> = { 100: 1, 500: 10, 3000: 60, 10000: 200 }

const maxTick = 887272

/** A pool of a v3 exchange, with the value of each side in US dollars. */
export type V3Pool = { pair: readonly [Asset, Asset]; fee: number; usdEachSide: bigint }

/** Every pair of the five assets has a route of at most two pools; some have several. */
const pools: readonly V3Pool[] = [
  { pair: ['USDC', 'USDT'], fee: 100, usdEachSide: 20_000_000n },
  { pair: ['USDC', 'USDT'], fee: 500, usdEachSide: 5_000_000n },
  { pair: ['USDC', 'WETH'], fee: 500, usdEachSide: 15_000_000n },
  { pair: ['USDC', 'WETH'], fee: 3000, usdEachSide: 25_000_000n },
  { pair: ['USDC', 'WETH'], fee: 10000, usdEachSide: 1_000_000n },
  { pair: ['USDC', 'BRLA'], fee: 500, usdEachSide: 5_000_000n },
  { pair: ['USDC', 'BRLA'], fee: 3000, usdEachSide: 2_000_000n },
  { pair: ['USDC', 'WBTC'], fee: 3000, usdEachSide: 10_000_000n },
  { pair: ['USDT', 'WETH'], fee: 3000, usdEachSide: 10_000_000n },
  { pair: ['WBTC', 'WETH'], fee: 500, usdEachSide: 15_000_000n },
  { pair: ['WBTC', 'WETH'], fee: 3000, usdEachSide: 10_000_000n },
]

/** Deploys Uniswap v3 with its quoter and router, and seeds full-range positions in its pools. */
export const deployUniswapV3 = (
  d: Deployer,
  parameters: ChainParameters,
  tokens: DeployedTokens,
): UniswapV3Constants => deployV3(d, parameters, tokens, { spacing, pools, via: ['USDC', 'WETH'] })

type Kind = { spacing: Record<number, number>; pools: readonly V3Pool[]; via: readonly Asset[] }

/** Deploys a v3 exchange and its pools. */
export function deployV3(
  d: Deployer,
  parameters: ChainParameters,
  tokens: DeployedTokens,
  { spacing, pools, via }: Kind,
): UniswapV3Constants {
  const weth = tokens.assets.WETH
  const factoryArtifact = published('UniswapV3Factory')
  const factory = d.deploy(factoryArtifact)
  for (const tier of [100, 2500])
    if (spacing[tier]) d.call(factoryArtifact.abi, factory, 'enableFeeAmount', [tier, spacing[tier]])
  const positions = published('NonfungiblePositionManager')
  // The descriptor only draws the picture of a position.
  const manager = d.deploy(positions, [factory, weth, nativeAddress])
  const quoterV2 = d.deploy(published('QuoterV2'), [factory, weth])
  const router = published('SwapRouter02')
  const swapRouter02 = d.deploy(router, [nativeAddress, factory, manager, weth])

  for (const token of Object.values(tokens.assets))
    d.call(ownContract('SandboxToken').abi, token, 'approve', [manager, maxUint256])
  for (const { pair, fee, usdEachSide } of pools) {
    const [a, b] = pair.map((asset) => poolSide(asset, tokens.assets[asset], usdEachSide)) as [
      PoolSide,
      PoolSide,
    ]
    const [zero, one] = a.token.toLowerCase() < b.token.toLowerCase() ? [a, b] : [b, a]
    const price = squareRoot((one.amount << 192n) / zero.amount)
    d.call(positions.abi, manager, 'createAndInitializePoolIfNecessary', [zero.token, one.token, fee, price])
    const edge = Math.floor(maxTick / spacing[fee]!) * spacing[fee]!
    const position = {
      token0: zero.token,
      token1: one.token,
      fee,
      tickLower: -edge,
      tickUpper: edge,
      amount0Desired: zero.amount,
      amount1Desired: one.amount,
      amount0Min: 0n,
      amount1Min: 0n,
      recipient: d.from,
      deadline: maxUint256,
    }
    d.call(positions.abi, manager, 'mint', [position])
  }
  return {
    chainId: parameters.chainId,
    factory,
    quoterV2,
    swapRouter02,
    feeTiers: Object.keys(spacing).map(Number),
    via: via.map((asset) => tokens.assets[asset]),
  }
}
