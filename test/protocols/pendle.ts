import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { encodeFunctionData, getContractAddress, parseAbi, toFunctionSelector } from 'viem/utils'

import type { Address, Hex } from '../../src/domain/address.ts'
import { maxUint256 } from '../../src/domain/amount.ts'
import { roles, sandboxAddress } from '../../src/sandbox/accounts.ts'
import type { Artifact } from '../../src/sandbox/genesis/artifacts.ts'
import { type Deployer, startDeployer } from '../../src/sandbox/genesis/deployer.ts'
import { calldata, type TestSandbox, topicOf } from '../support/sandbox.ts'
import { around, theirs } from './artifacts.ts'

/** Where Pendle is on a chain of a test: its router and oracle, and a market of the principal and the yield of a vault of USDC. */
export type Pendle = {
  router: Address
  oracle: Address
  market: Address
  pt: Address
  yt: Address
  sy: Address
  /** Unix seconds: from then on a unit of principal is a unit of the asset. */
  expiry: number
}

const wad = 10n ** 18n
const day = 86_400

/** Puts Pendle on a chain, by the bytecode that Pendle published, with liquidity in a market that ends after so many days. */
export async function deployPendle(sandbox: TestSandbox, chainId: number, days = 180): Promise<Pendle> {
  const { rpc } = sandbox.chain(chainId)
  const d = await startDeployer(rpc, sandboxAddress(roles.owner))
  const { asset, receipt } = sandbox.strategy('sandbox-vault-USDC-sandbox-one')
  const others = around('PendleYield')
  const sy = d.deploy(others, [receipt.address, sandbox.token(chainId, 'BRLA').address])
  const { factory, markets } = deployFactories(d, sy)
  const { timestamp } = await rpc.request<{ timestamp: Hex }>('eth_getBlockByNumber', ['latest', false])
  const expiry = (Math.floor(Number(timestamp) / day) + days) * day
  const yielding = theirs('PendleYieldContractFactoryUpg')
  d.call(yielding.abi, factory, 'createYieldContract', [sy, expiry, true])
  const pt = await d.read<Address>(yielding.abi, factory, 'getPT', [sy, expiry])
  const yt = await d.read<Address>(yielding.abi, factory, 'getYT', [sy, expiry])
  const trading = theirs('PendleMarketFactoryV7Upg')
  // How fast the price moves, where it begins, and a fee of a tenth of a percent a year: its logarithm.
  const terms = [pt, 50n * wad, (105n * wad) / 100n, 999_500_333_083_533n] as const
  d.call(trading.abi, markets, 'createNewMarket', terms)
  await d.flush()
  const market = await marketOf(sandbox, chainId, markets)
  const router = deployRouter(d)
  const reading = theirs('PendlePYLpOracle')
  const oracle = proxyOf(d, reading, 'initialize', [1_000, d.from])
  // A price over time needs as many readings.
  const recording = parseAbi(['function increaseObservationsCardinalityNext(uint16)'])
  d.call(recording, market, 'increaseObservationsCardinalityNext', [100])
  await d.flush()
  await addLiquidity(sandbox, chainId, asset.address, { sy, yt, pt, market })
  return { router, oracle, market, pt, yt, sy, expiry }
}

/** The two factories. What they make is too large to lie in them: it lies in two halves beside them. */
function deployFactories(d: Deployer, sy: Address): { factory: Address; markets: Address } {
  const split = theirs('BaseSplitCodeFactoryContract')
  const halves = d.deploy(split)
  let made = 0n
  const inHalves = (name: string, { bytecode }: Artifact): readonly [Address, bigint, Address, bigint] => {
    d.call(split.abi, halves, 'deploy', [name, bytecode])
    const half = () => getContractAddress({ from: halves, nonce: ++made })
    const size = BigInt(bytecode.length / 2 - 1)
    return [half(), size / 2n, half(), size - size / 2n]
  }
  const yt = inHalves('YT', theirs('PendleYieldToken'))
  const yielding = theirs('PendleYieldContractFactoryUpg')
  const terms = [day, (3n * wad) / 100n, 0n, d.from, d.from]
  const factory = proxyOf(d, yielding, 'initialize', terms, yt)
  const market = inHalves('market', theirs('PendleMarketV7', d.deploy(theirs('OracleLib'))))
  const trading = theirs('PendleMarketFactoryV7Upg')
  const markets = proxyOf(d, trading, 'initialize', [d.from, d.from, 80], [factory, ...market, sy])
  return { factory, markets }
}

/** A contract behind a proxy, which is begun with a call. */
function proxyOf(
  d: Deployer,
  artifact: Artifact,
  functionName: string,
  args: readonly unknown[],
  made: readonly unknown[] = [],
): Address {
  const file = createRequire(import.meta.url).resolve(
    '@openzeppelin/contracts/build/contracts/ERC1967Proxy.json',
  )
  const proxy: Artifact = JSON.parse(readFileSync(file, 'utf8'))
  const data = encodeFunctionData({ abi: artifact.abi, functionName, args: [...args] })
  return d.deploy(proxy, [d.deploy(artifact, made), data])
}

/** The router sends each call to the part that has it. */
function deployRouter(d: Deployer): Address {
  const storage = theirs('ActionStorageV4')
  const router = d.deploy(theirs('PendleRouterV4'), [d.from, d.deploy(storage)])
  const parts = ['ActionSwapPTV3', 'ActionSimple', 'ActionMiscV3'].map((name) => {
    const part = theirs(name)
    const selectors = part.abi.flatMap((item) => (item.type === 'function' ? [toFunctionSelector(item)] : []))
    return { facet: d.deploy(part), selectors }
  })
  d.call(storage.abi, router, 'setSelectorToFacets', [parts])
  return router
}

/** The market that was made, by what its factory logged. */
async function marketOf(sandbox: TestSandbox, chainId: number, markets: Address): Promise<Address> {
  const topics = [topicOf('CreateNewMarket(address,address,int256,int256,uint256)')]
  const filter = { address: markets, topics, fromBlock: '0x0', toBlock: 'latest' }
  const [log] = await sandbox.chain(chainId).rpc.request<{ topics: Hex[] }[]>('eth_getLogs', [filter])
  return `0x${log!.topics[1]!.slice(-40)}`
}

async function addLiquidity(
  sandbox: TestSandbox,
  chainId: number,
  usdc: Address,
  { sy, yt, pt, market }: Pick<Pendle, 'sy' | 'yt' | 'pt' | 'market'>,
): Promise<void> {
  const lender = sandboxAddress(3)
  const send = async (to: Address, signature: string, args: readonly unknown[]) => {
    const { status } = await sandbox.sendAs(chainId, lender, { to, data: calldata(signature, args) })
    if (status !== '0x1') throw new Error(`${signature} reverted`)
  }
  const transfer = (token: Address, to: Address, amount: bigint) =>
    send(token, 'function transfer(address,uint256)', [to, amount])
  await send(usdc, 'function approve(address,uint256)', [sy, maxUint256])
  await send(sy, 'function deposit(address,address,uint256,uint256)', [lender, usdc, 80_000_000_000n, 0n])
  const held = await sandbox.balanceOf(chainId, sy, lender)
  await transfer(sy, yt, held / 2n)
  await send(yt, 'function mintPY(address,address)', [lender, lender])
  const principal = await sandbox.balanceOf(chainId, pt, lender)
  await transfer(sy, market, held / 2n)
  await transfer(pt, market, principal)
  await send(market, 'function mint(address,uint256,uint256)', [lender, held / 2n, principal])
}
