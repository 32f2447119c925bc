import { encodeAbiParameters, keccak256, parseAbiParameters } from 'viem/utils'
import { type Address, nativeAddress } from '../../domain/address.ts'
import { maxUint256 } from '../../domain/amount.ts'
import type { UniswapV2Constants } from '../../swaps/uniswap-v2/constants-schema.ts'
import type { UniswapV3Constants } from '../../swaps/uniswap-v3/constants-schema.ts'
import type { UniswapV4Constants } from '../../swaps/uniswap-v4/constants-schema.ts'
import { ownContract, published } from './artifacts.ts'
import type { Deployer } from './deployer.ts'
import type { Asset, ChainParameters } from './parameters.ts'
import { type PoolSide, poolSide, squareRoot } from './pool-math.ts'
import type { DeployedTokens } from './tokens.ts'

/** The native coin or an asset. */
type Held = Asset | 'ETH'

type Pool = { pair: readonly [Held, Held]; fee: number; tickSpacing: number; usdEachSide: bigint }

/**
 * The only pool of USDT and BRLA, and pools of the native coin and of WETH that are shallower than those of Uniswap
 * v3.
 */
const pools: readonly Pool[] = [
  { pair: ['USDT', 'BRLA'], fee: 500, tickSpacing: 10, usdEachSide: 5_000_000n },
  { pair: ['ETH', 'USDC'], fee: 3000, tickSpacing: 60, usdEachSide: 1_000_000n },
  { pair: ['ETH', 'USDT'], fee: 3000, tickSpacing: 60, usdEachSide: 500_000n },
  { pair: ['ETH', 'WBTC'], fee: 3000, tickSpacing: 60, usdEachSide: 500_000n },
  { pair: ['USDC', 'WETH'], fee: 3000, tickSpacing: 60, usdEachSide: 500_000n },
]

const maxTick = 887272
/** Gas limit for notifying a subscriber of a position; the sandbox has no subscribers. */
const unsubscribeGas = 300_000n
/** `MINT_POSITION`, `SETTLE_PAIR` and `SWEEP` (Actions of `@uniswap/v4-periphery`). */
const minting = '0x020d14'

const keyStruct =
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }'
const mint = parseAbiParameters([
  'PoolKey key, int24 tickLower, int24 tickUpper, uint256 liquidity, uint128 amount0Max, uint128 amount1Max, address owner, bytes hookData',
  keyStruct,
])
const two = parseAbiParameters('address, address')
const actionsAndParams = parseAbiParameters('bytes actions, bytes[] params')

/**
 * Deploys Uniswap v4 with its quoter, Permit2 and the Universal Router, and seeds full-range positions in pools
 * without hooks.
 */
export function deployUniswapV4(
  d: Deployer,
  { chainId }: ChainParameters,
  { assets }: DeployedTokens,
  { v3, v2 }: { v3: UniswapV3Constants; v2: UniswapV2Constants },
): UniswapV4Constants {
  const poolManager = d.deploy(published('PoolManager'), [d.from])
  const permit2 = d.deploy(published('Permit2'))
  const quoter = d.deploy(published('V4Quoter'), [poolManager])
  const stateView = d.deploy(published('StateView'), [poolManager])
  // The descriptor only draws the picture of a position.
  const ofPosition = [poolManager, permit2, unsubscribeGas, nativeAddress, assets.WETH]
  const positions = d.deploy(published('PositionManager'), ofPosition)
  const poolV3 = published('UniswapV3Pool')
  const universalRouter = d.deploy(published('UniversalRouter'), [
    {
      permit2,
      weth9: assets.WETH,
      v2Factory: v2.factory,
      v3Factory: v3.factory,
      pairInitCodeHash: v2.initCodeHash,
      poolInitCodeHash: keccak256(poolV3.bytecode),
      v4PoolManager: poolManager,
      // Only used to migrate v3 positions.
      v3NFTPositionManager: nativeAddress,
      v4PositionManager: positions,
    },
  ])
  const token = (held: Held): Address => (held === 'ETH' ? nativeAddress : assets[held])
  const held = new Set(pools.flatMap(({ pair }) => pair.flatMap((one) => (one === 'ETH' ? [] : [one]))))
  for (const asset of held) {
    d.call(ownContract('SandboxToken').abi, assets[asset], 'approve', [permit2, maxUint256])
    d.call(published('Permit2').abi, permit2, 'approve', [assets[asset], positions, mostEver, latestEver])
  }
  for (const { pair, fee, tickSpacing, usdEachSide } of pools) {
    const [a, b] = pair.map((one) => poolSide(one === 'ETH' ? 'WETH' : one, token(one), usdEachSide)) as [
      PoolSide,
      PoolSide,
    ]
    const [zero, one] = BigInt(a.token) < BigInt(b.token) ? [a, b] : [b, a]
    const key = { currency0: zero.token, currency1: one.token, fee, tickSpacing, hooks: nativeAddress }
    const price = squareRoot((one.amount << 192n) / zero.amount)
    d.call(published('PoolManager').abi, poolManager, 'initialize', [key, price])
    const edge = Math.floor(maxTick / tickSpacing) * tickSpacing
    // Slightly less than the amounts allow, so that they suffice.
    const liquidity = (squareRoot(zero.amount * one.amount) * 999n) / 1000n
    const amounts = [zero.amount, one.amount] as const
    const params = [
      encodeAbiParameters(mint, [key, -edge, edge, liquidity, ...amounts, d.from, '0x']),
      encodeAbiParameters(two, [zero.token, one.token]),
      encodeAbiParameters(two, [zero.token, d.from]),
    ]
    const value = zero.token === nativeAddress ? zero.amount : 0n
    const unlocking = encodeAbiParameters(actionsAndParams, [minting, params])
    d.call(published('PositionManager').abi, positions, 'modifyLiquidities', [unlocking, maxUint256], value)
  }
  return {
    chainId,
    poolManager,
    quoter,
    stateView,
    universalRouter,
    permit2,
    via: [assets.USDC, assets.USDT],
  }
}

/** The maximum amount and expiry of a Permit2 allowance. */
const [mostEver, latestEver] = [2n ** 160n - 1n, 2 ** 48 - 1]
