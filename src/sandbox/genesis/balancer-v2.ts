import { encodeAbiParameters, getContractAddress, parseAbi, parseAbiParameters, parseEther } from 'viem/utils'
import { type Hex, nativeAddress } from '../../domain/address.ts'
import { maxUint256 } from '../../domain/amount.ts'
import type { BalancerV2Constants } from '../../swaps/balancer-v2/constants-schema.ts'
import { ownContract, published } from './artifacts.ts'
import type { Deployer } from './deployer.ts'
import type { Asset, ChainParameters } from './parameters.ts'
import { poolSide } from './pool-math.ts'
import type { DeployedTokens } from './tokens.ts'

/** A weighted pool: the weight of each asset in percent, its fee in percent, and its total value in USD. */
type Pool = { weights: Partial<Record<Asset, bigint>>; feePercent: string; usd: bigint }

/** The only pool of WBTC and BRLA, with a low fee, and a high-fee pool that connects other assets to it. */
const pools: readonly Pool[] = [
  { weights: { WBTC: 60n, BRLA: 40n }, feePercent: '0.05', usd: 20_000_000n },
  { weights: { WETH: 50n, WBTC: 30n, USDT: 20n }, feePercent: '1', usd: 2_000_000n },
]

const pause = { window: 7_776_000n, buffer: 2_592_000n }
const idAbi = parseAbi(['function getPoolId() view returns (bytes32)'])
/** User data of the first join of a weighted pool: the kind INIT and the amount of each token. */
const firstJoin = parseAbiParameters('uint256 kind, uint256[] amountsIn')

/**
 * Deploys the Vault of Balancer v2 with its authorizer, its queries and weighted pools, from the published contracts.
 */
export async function deployBalancerV2(
  d: Deployer,
  { chainId }: ChainParameters,
  { assets }: DeployedTokens,
): Promise<BalancerV2Constants> {
  const [vaultArtifact, factoryArtifact] = [published('Vault'), published('WeightedPoolFactory')]
  const authorizer = d.deploy(published('Authorizer'), [d.from])
  const vault = d.deploy(vaultArtifact, [authorizer, assets.WETH, pause.window, pause.buffer])
  const queries = d.deploy(published('BalancerQueries'), [vault])
  const factory = d.deploy(factoryArtifact, [vault])
  for (const asset of new Set(pools.flatMap(({ weights }) => Object.keys(weights) as Asset[])))
    d.call(ownContract('SandboxToken').abi, assets[asset], 'approve', [vault, maxUint256])
  const made = pools.map(({ weights, feePercent, usd }, at) => {
    const sides = (Object.entries(weights) as [Asset, bigint][])
      .map(([asset, percent]) => ({ percent, ...poolSide(asset, assets[asset], (usd * percent) / 100n) }))
      .sort((a, b) => (BigInt(a.token) < BigInt(b.token) ? -1 : 1))
    const name = Object.keys(weights).join('-')
    const shares = sides.map(({ percent }) => percent * 10n ** 16n)
    const [tokens, amounts] = [sides.map(({ token }) => token), sides.map(({ amount }) => amount)]
    const fee = parseEther(feePercent) / 100n
    d.call(factoryArtifact.abi, factory, 'create', [name, name, tokens, shares, fee, nativeAddress])
    const pool = getContractAddress({ from: factory, nonce: BigInt(at + 1) })
    return { pool, tokens, amounts }
  })
  const ids: Hex[] = []
  for (const { pool } of made) ids.push(await d.read<Hex>(idAbi, pool, 'getPoolId'))
  for (const [at, { tokens, amounts }] of made.entries()) {
    const userData = encodeAbiParameters(firstJoin, [0n, amounts])
    const request = { assets: tokens, maxAmountsIn: amounts, userData, fromInternalBalance: false }
    d.call(vaultArtifact.abi, vault, 'joinPool', [ids[at], d.from, d.from, request])
  }
  return { chainId, vault, queries, pools: made.map(({ tokens }, at) => ({ id: ids[at]!, tokens })) }
}
