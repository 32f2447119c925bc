import { keccak256 } from 'viem/utils'
import { maxUint256 } from '../../domain/amount.ts'
import type { UniswapV2Constants } from '../../swaps/uniswap-v2/constants-schema.ts'
import { ownContract, published } from './artifacts.ts'
import type { Deployer } from './deployer.ts'
import type { Asset, ChainParameters } from './parameters.ts'
import { poolSide } from './pool-math.ts'
import type { DeployedTokens } from './tokens.ts'

type Pair = { pair: readonly [Asset, Asset]; usdEachSide: bigint }

/** Fewer and shallower pools than Uniswap v3 has, as on most networks. */
const pairs: readonly Pair[] = [
  { pair: ['USDC', 'WETH'], usdEachSide: 2_000_000n },
  { pair: ['USDT', 'WETH'], usdEachSide: 1_000_000n },
  { pair: ['WBTC', 'WETH'], usdEachSide: 1_000_000n },
  { pair: ['BRLA', 'WETH'], usdEachSide: 500_000n },
]

/** Deploys Uniswap v2 with its router and seeds its pairs. */
export function deployUniswapV2(
  d: Deployer,
  { chainId }: ChainParameters,
  { assets }: DeployedTokens,
): UniswapV2Constants {
  const factory = d.deploy(published('UniswapV2Factory'), [d.from])
  const router = published('UniswapV2Router02')
  const router02 = d.deploy(router, [factory, assets.WETH])
  for (const asset of new Set(pairs.flatMap(({ pair }) => pair)))
    d.call(ownContract('SandboxToken').abi, assets[asset], 'approve', [router02, maxUint256])
  for (const { pair, usdEachSide } of pairs) {
    const [a, b] = pair.map((asset) => poolSide(asset, assets[asset], usdEachSide))
    const amounts = [a!.amount, b!.amount]
    d.call(router.abi, router02, 'addLiquidity', [
      a!.token,
      b!.token,
      ...amounts,
      ...amounts,
      d.from,
      maxUint256,
    ])
  }
  const initCodeHash = keccak256(published('UniswapV2Pair').bytecode)
  return { chainId, factory, router02, initCodeHash, via: [assets.USDC, assets.WETH] }
}
