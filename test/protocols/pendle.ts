import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Abi } from 'viem'
import { encodeFunctionData, getContractAddress, parseAbi, toFunctionSelector } from 'viem/utils'
import type { Address, Hex } from '../../src/domain/address.ts'
import { maxUint256 } from '../../src/domain/amount.ts'
import type { StrategyEntry } from '../../src/protocols/catalog-types.ts'
import { guess } from '../../src/protocols/pendle-pt/abi.ts'
import type { PendlePtConstants } from '../../src/protocols/pendle-pt/constants-schema.ts'
import { roles, sandboxAddress } from '../../src/sandbox/accounts.ts'
import type { Artifact } from '../../src/sandbox/genesis/artifacts.ts'
import { type Deployer, startDeployer } from '../../src/sandbox/genesis/deployer.ts'
import { calldata, type TestSandbox, topicOf } from '../support/sandbox.ts'
import { around, theirs } from './artifacts.ts'

/** Where a market of Pendle is on a chain of a test: a PT over the sandbox's vault of USDC. */
export type Pendle = { entry: StrategyEntry; constants: PendlePtConstants }

const day = 86_400
const one = 10n ** 18n
/** So long after the day of its deployment it is mature. */
const term = 360

/** Puts Pendle on a chain by the bytecode that Pendle published: SY, PT, YT, a market with funds in it, router and oracle. Trades move a price of more `depth` less. */
export async function deployPendle(sandbox: TestSandbox, chainId: number, depth = 500n): Promise<Pendle> {
  const { rpc } = sandbox.chain(chainId)
  const d = await startDeployer(rpc, sandboxAddress(roles.owner))
  const { timestamp } = await rpc.request<{ timestamp: Hex }>('eth_getBlockByNumber', ['latest', false])
  const expiry = (Math.floor(Number(timestamp) / day) + term) * day
  const { asset: usdc, receipt } = sandbox.strategy('sandbox-vault-USDC-sandbox-one')
  const sy = d.deploy(theirs('PendleERC4626SY'), ['SY Sandbox USDC Vault', 'SY-svUSDC', receipt.address])
  const gauge = d.deploy(around('Gauge'), [sandbox.token(chainId, 'WETH').address])
  const { factory, markets } = deployFactories(d, gauge)
  const yielding = theirs('PendleYieldContractFactoryUpg')
  d.call(yielding.abi, factory, 'createYieldContract', [sy, expiry, true])
  const pt = await d.read<Address>(yielding.abi, factory, 'getPT', [sy, expiry])
  const yt = await d.read<Address>(yielding.abi, factory, 'getYT', [sy, expiry])
  // About 5 % a year where half of it is PT, and next to no fee.
  const terms = [pt, depth * one, (10_495n * one) / 10_000n, one / 1_000_000n]
  d.call(theirs('PendleMarketFactoryV7Upg').abi, markets, 'createNewMarket', terms)
  await d.flush()
  const market = await marketOf(sandbox, chainId, markets)
  // A price over time needs as many readings.
  const recording = parseAbi(['function increaseObservationsCardinalityNext(uint16)'])
  d.call(recording, market, 'increaseObservationsCardinalityNext', [20])
  const router = deployRouter(d)
  const oracle = d.deploy(theirs('PendlePYLpOracle'))
  const routerStatic = staticOf(d)
  await d.flush()
  const constants: PendlePtConstants = {
    family: 'pendle-pt',
    market,
    yt,
    sy,
    router,
    routerStatic,
    oracle,
    expiry,
  }
  await fill(sandbox, chainId, { usdc: usdc.address, pt, ...constants })
  // The oracle looks back a quarter of an hour.
  await sandbox.world.warp(1_800)
  const symbol = 'PT-svUSDC'
  return {
    constants,
    entry: {
      ...sandbox.strategy('aave-v3-USDC-sandbox-one'),
      id: 'pendle-USDC-sandbox-one',
      slug: 'pendle-usdc-sandbox-one',
      name: 'Pendle PT USDC',
      protocol: 'pendle',
      category: 'fixed-yield',
      startDate: null,
      isDefault: false,
      metadata: { en: { maturity: new Date(expiry * 1000).toISOString().slice(0, 10) } },
      asset: usdc,
      receipt: { chainId, address: pt, symbol, decimals: 6, name: symbol },
      implementationSelector: 'pendle-pt@1',
      constants,
    },
  }
}

/** The two factories. What they make is too large to lie in them: it lies in two halves beside them. */
function deployFactories(d: Deployer, gauge: Address): { factory: Address; markets: Address } {
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
  const terms = [day, (3n * one) / 100n, 0n, d.from, d.from]
  const factory = proxyOf(d, yielding, 'initialize', terms, yt)
  const market = inHalves('market', theirs('PendleMarketV7', d.deploy(theirs('OracleLib'))))
  const trading = theirs('PendleMarketFactoryV7Upg')
  const markets = proxyOf(d, trading, 'initialize', [d.from, d.from, 80], [factory, ...market, gauge])
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
  const logs = await sandbox.chain(chainId).rpc.request<{ topics: Hex[] }[]>('eth_getLogs', [filter])
  return `0x${logs.at(-1)!.topics[1]!.slice(-40)}`
}

const selectorsIn = (abi: Abi, names?: readonly string[]): Hex[] =>
  abi.flatMap((item) =>
    item.type === 'function' && (!names || names.includes(item.name)) ? [toFunctionSelector(item)] : [],
  )

/** What the router's calls bring, by a contract beside it that only reads. */
function staticOf(d: Deployer): Address {
  const storage = theirs('ActionStorageStatic')
  const router = d.deploy(theirs('PendleRouterStatic'), [d.from, d.deploy(storage)])
  const facets = ['ActionMarketCoreStatic', 'ActionMarketAuxStatic', 'ActionMintRedeemStatic'].map((name) => {
    const facet = theirs(name)
    return { facet: d.deploy(facet), selectors: selectorsIn(facet.abi) }
  })
  const own = { facet: d.deploy(storage), selectors: selectorsIn(storage.abi, ['setDefaultApproxParams']) }
  d.call(storage.abi, router, 'setFacetForSelectors', [[...facets, own]])
  d.call(storage.abi, router, 'setDefaultApproxParams', [guess])
  return router
}

/** Puts all that the lender can spare into the market, half of it as PT. */
async function fill(
  sandbox: TestSandbox,
  chainId: number,
  { usdc, sy, yt, pt, market }: PendlePtConstants & { usdc: Address; pt: Address },
): Promise<void> {
  const lender = sandboxAddress(3)
  const send = async (to: Address, signature: string, args: unknown[]) => {
    const { status } = await sandbox.sendAs(chainId, lender, { to, data: calldata(signature, args) })
    if (status !== '0x1') throw new Error(`${signature} reverted`)
  }
  const held = (token: Address) => sandbox.balanceOf(chainId, token, lender)
  await send(usdc, 'function approve(address,uint256)', [sy, maxUint256])
  await send(sy, 'function deposit(address,address,uint256,uint256)', [
    lender,
    usdc,
    (await held(usdc)) / 2n,
    0n,
  ])
  await send(sy, 'function transfer(address,uint256)', [yt, (await held(sy)) / 2n])
  await send(yt, 'function mintPY(address,address)', [lender, lender])
  const [syIn, ptIn] = [await held(sy), await held(pt)]
  await send(sy, 'function transfer(address,uint256)', [market, syIn])
  await send(pt, 'function transfer(address,uint256)', [market, ptIn])
  await send(market, 'function mint(address,uint256,uint256)', [lender, syIn, ptIn])
}
