import { numberToHex, parseEther } from 'viem/utils'
import type { ChainClient } from '../../chain/chain-client.ts'
import { callAt } from '../../chain/eth-call.ts'
import { multicall3 } from '../../domain/networks.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import { acrossContracts } from '../../swaps/across/constants-schema.ts'
import { type AveniaConstants, aveniaContracts } from '../../swaps/avenia/constants-schema.ts'
import { balancerV2Contracts } from '../../swaps/balancer-v2/constants-schema.ts'
import { cowContracts } from '../../swaps/cow/constants-schema.ts'
import { lifiContracts } from '../../swaps/lifi/constants-schema.ts'
import { oneInchContracts } from '../../swaps/oneinch/constants-schema.ts'
import { relayContracts } from '../../swaps/relay/constants-schema.ts'
import { swapRows } from '../../swaps/swap-contracts.ts'
import { pancakeSwapV3Contracts } from '../../swaps/uniswap-v3/constants-schema.ts'
import { roles, sandboxAddress, userIndexes } from '../accounts.ts'
import { readBlockTime } from '../node-reads.ts'
import { deployAave } from './aave.ts'
import { allowFills, deployAcross } from './across.ts'
import { ownContract } from './artifacts.ts'
import { deployBalancerV2 } from './balancer-v2.ts'
import { catalogOf, type Deployed } from './catalog.ts'
import { allowOrders, deployCow } from './cow.ts'
import {
  deployAggregator,
  deployBridge,
  deployLifi,
  deployOneInch,
  deployRelay,
  deployStaking,
  deployVaults,
  linkBridge,
} from './deploy-stand-ins.ts'
import { type Deployer, startDeployer } from './deployer.ts'
import { deployPancakeSwap } from './pancakeswap-v3.ts'
import { type ChainParameters, chainParameters } from './parameters.ts'
import { type DeployedTokens, defaultGrants, deployTokens, transferAssets } from './tokens.ts'
import { deployUniswapV2 } from './uniswap-v2.ts'
import { deployUniswapV3 } from './uniswap-v3.ts'
import { deployUniswapV4 } from './uniswap-v4.ts'

/** Deploys the whole world on two empty nodes, in the order of `sandboxNetworks`, and returns its catalogue. */
export async function deployWorld(nodes: readonly [ChainClient, ChainClient]): Promise<Catalog> {
  const owner = sandboxAddress(roles.owner)
  const ends = await Promise.all(
    chainParameters.map(async (parameters, index) => {
      const rpc = nodes[index]!
      await rpc.request('anvil_setBalance', [owner, numberToHex(parseEther('1000000'))])
      await putMulticall(rpc)
      const d = await startDeployer(rpc, owner)
      return { d, deployed: await deployChain(rpc, d, parameters) }
    }),
  )
  const [one, two] = ends as [(typeof ends)[0], (typeof ends)[0]]
  linkBridge(one.d, one.deployed.bridge, two.deployed.bridge)
  linkBridge(two.d, two.deployed.bridge, one.deployed.bridge)
  const pools = ends.map(({ d, deployed: { parameters, tokens } }) => deployAcross(d, parameters, tokens))
  await Promise.all(ends.map(({ d }) => d.flush()))
  await Promise.all(
    ends.map(async ({ deployed }, index) => {
      const relayer = await startDeployer(nodes[index]!, sandboxAddress(roles.relayer))
      allowFills(relayer, pools[index]!, deployed.tokens)
      await relayer.flush()
    }),
  )
  const cow = await Promise.all(
    ends.map(({ d, deployed }) => deployCow(d, deployed.parameters, deployed.tokens)),
  )
  const balancerV2 = await Promise.all(
    ends.map(({ d, deployed }) => deployBalancerV2(d, deployed.parameters, deployed.tokens)),
  )
  const pancakeSwapV3 = ends.map(({ d, deployed: { parameters, tokens } }) =>
    deployPancakeSwap(d, parameters, tokens),
  )
  await Promise.all(
    ends.map(async ({ d, deployed }, index) => {
      await d.flush()
      const solver = await startDeployer(nodes[index]!, sandboxAddress(roles.solver))
      allowOrders(solver, cow[index]!, deployed.tokens)
      await solver.flush()
    }),
  )
  const avenia = ends.map(({ d, deployed }) => fillDesk(d, deployed.parameters, deployed.tokens))
  const lifi = ends.map(({ d }, index) => deployLifi(d, pools[index]!))
  const oneInch = ends.map(({ d, deployed }) => deployOneInch(d, deployed.parameters))
  const relay = ends.map(({ d, deployed }) => deployRelay(d, deployed.parameters, deployed.tokens))
  await Promise.all(ends.map(({ d }) => d.flush()))
  const catalog = catalogOf([one.deployed, two.deployed])
  return {
    ...catalog,
    swaps: {
      ...catalog.swaps,
      ...swapRows(acrossContracts, pools),
      ...swapRows(cowContracts, cow),
      ...swapRows(balancerV2Contracts, balancerV2),
      ...swapRows(pancakeSwapV3Contracts, pancakeSwapV3),
      ...swapRows(aveniaContracts, avenia),
      ...swapRows(lifiContracts, lifi),
      ...swapRows(oneInchContracts, oneInch),
      ...swapRows(relayContracts, relay),
    },
  }
}

/** Installs the runtime code of Multicall3 at its usual address, without a deployment. */
async function putMulticall(rpc: ChainClient): Promise<void> {
  const code = await callAt(rpc, { data: ownContract('SandboxMulticall').bytecode })
  await rpc.request('anvil_setCode', [multicall3, code])
}

async function deployChain(rpc: ChainClient, d: Deployer, parameters: ChainParameters): Promise<Deployed> {
  for (let sent = 0; sent < parameters.padding; sent++) d.skip()
  const tokens = deployTokens(d, parameters)
  const aave = await deployAave(d, parameters, tokens)
  const vaults = deployVaults(d, parameters, tokens, aave)
  const uniswap = deployUniswapV3(d, parameters, tokens)
  const bridge = deployBridge(d, parameters, tokens)
  const staking = parameters.hasStaking ? deployStaking(d) : null
  const pairs = deployUniswapV2(d, parameters, tokens)
  const aggregator = deployAggregator(d, parameters, tokens)
  const poolsV4 = deployUniswapV4(d, parameters, tokens, { v3: uniswap, v2: pairs })
  for (const index of userIndexes) transferAssets(d, tokens.assets, sandboxAddress(index), defaultGrants)
  await d.flush()
  return {
    parameters,
    tokens,
    aave,
    vaults,
    uniswap,
    pairs,
    aggregator,
    poolsV4,
    bridge,
    staking,
    fromBlock: 0n,
    startDate: new Date((await readBlockTime(rpc, 'latest')) * 1000).toISOString(),
  }
}

/** Funds the ramp desk, which has no contract. */
function fillDesk(d: Deployer, { chainId }: ChainParameters, { assets }: DeployedTokens): AveniaConstants {
  const desk = sandboxAddress(roles.desk)
  transferAssets(d, assets, desk, { USDC: '5000000', BRLA: '25000000' })
  return { chainId, desk, usdc: assets.USDC, brla: assets.BRLA, chain: 'SANDBOX', service: null }
}
