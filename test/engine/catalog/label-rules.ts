import { type CatalogFile, isOfFamily, slugOf } from '../../../src/app/profiles/catalog-file.ts'
import type { Network } from '../../../src/domain/networks.ts'

type Row = CatalogFile['strategies'][number]
type Family = Row['constants']['family']

/** The version of each protocol's calls; change it here when the calls change. */
const versions: Partial<Record<Family, number>> = { 'compound-v3': 2 }

/** Names that do not start with the name of their protocol. */
const written: Record<string, string> = { spark: 'sparklend' }

/** The hosts that publish token logos. */
const pictures = [
  'raw.githubusercontent.com',
  'assets.coingecko.com',
  'coin-images.coingecko.com',
  'ethereum-optimism.github.io',
  'arbitrum.foundation',
  'basescan.org',
]

/** A source names a package or a repository. */
const isSource = (text: string) => /(npm|repo):@?[\w.-]+/.test(text)

/** The fee tiers of Uniswap v3 (source: Uniswap/v3-core, and the tiers that its governance added since) and of its forks. */
const tiers: Readonly<Record<string, readonly number[]>> = {
  'uniswap-v3': [100, 200, 300, 400, 500, 3000, 10_000],
  // FeeAmount of @pancakeswap/v3-sdk 3.10.2
  'pancakeswap-v3': [100, 500, 2500, 10_000],
}

/** The names of networks in the order book of CoW Protocol that differ from ours (source: `@cowprotocol/sdk-order-book` 4.1.0, ORDER_BOOK_PROD_CONFIG). */
const orderBooks: Readonly<Record<string, string>> = {
  ethereum: 'mainnet',
  gnosis: 'xdai',
  arbitrum: 'arbitrum_one',
}

/** The service that suggests the fees of Across (source: `@across-protocol/app-sdk` 0.4.4, constants). */
const acrossApi = (testnet: boolean) => `https://${testnet ? 'testnet' : 'app'}.across.to/api`

/** Scroll, which the service of Across left on 2026-04-30 (source: docs.across.to/chains-and-contracts). */
const acrossLeft = 534352

/** The service that signs CCTP messages, for mainnets and for testnets (source: developers.circle.com, CCTP). */
const attestation = (testnet: boolean) =>
  testnet ? 'https://iris-api-sandbox.circle.com' : 'https://iris-api.circle.com'

/** The contract of Maker that holds the DAI of the savings vault (source: sky-ecosystem, chainlog, MCD_POT). */
const pot = '0x197E90f9FAD81970bA7976f33CbD77088E5D7cf7'

/** The rate of a savings vault must come from the vault itself, or from the contract that vaults of its kind share. */
function statedFaults({ protocol, constants }: Row, { strategies }: CatalogFile): string[] {
  if (!('stated' in constants) || constants.stated === undefined) return []
  const { at, name } = constants.stated
  const own = name === 'vsr' || (name === 'ssr' && protocol === 'sky')
  if (own) return at === constants.vault ? [] : ['its rate is stated by another vault']
  if (name === 'dsr') return at === pot ? [] : ['its rate is not that of DAI']
  const others = strategies.flatMap(({ protocol: whose, constants: other }): string[] => {
    if (name === 'getSSR') return other.family === 'spark-psm3' ? [other.oracle] : []
    return whose === 'sky' && 'stated' in other && other.stated?.name === 'ssr' ? [other.vault] : []
  })
  return others.every((one) => one === at) ? [] : ['its rate is stated elsewhere than that of sUSDS']
}

/** Venus has rates per block and pauses by action; other Compound v2 forks have rates per second and a pause guardian. */
function lenderFaults({ protocol, constants }: Row): string[] {
  if (constants.family !== 'compound-v2') return []
  const isVenus = protocol === 'venus'
  return [
    ...((constants.rate === 'block') === isVenus ? [] : ['its rate is stated otherwise']),
    ...((constants.compounds === 'daily') === (protocol === 'moonwell')
      ? []
      : ['its rate is compounded otherwise']),
    ...((constants.pauses === 'action') === isVenus ? [] : ['it is paused otherwise']),
  ]
}

/** A market must be named after its protocol: an id that leads to another market sends money there. */
function nameFaults({ protocol, name, receipt }: Row, { strategies }: CatalogFile): string[] {
  const begins = protocol.replace(/-[0-9]+$/, '')
  const called = slugOf(name)
  const others = strategies.filter((other) => other.protocol !== protocol)
  // Two Compound v3 markets on one network may have the same symbol.
  const isAlone = strategies.every(
    (other) =>
      other.receipt.address === receipt.address ||
      other.receipt.symbol !== receipt.symbol ||
      protocol === 'compound-v3',
  )
  return [
    ...(isAlone ? [] : [`another receipt is called ${receipt.symbol}`]),
    ...(called.startsWith(written[begins] ?? begins) ? [] : [`it is called ${name}`]),
    ...(others.some((other) => receipt.symbol.startsWith(`${other.protocol}-`)) &&
    !receipt.symbol.startsWith(`${protocol}-`)
      ? [`its receipt is called ${receipt.symbol}`]
      : []),
  ]
}

/** The init code hash that determines the addresses of Uniswap v2 pairs (source: UniswapV2Library.pairFor of @uniswap/v2-periphery), and of its forks. */
const initCodeHashes: Readonly<Record<string, string>> = {
  'uniswap-v2': '0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f',
  // SUSHISWAP_V2_INIT_CODE_HASH of @sushiswap/v2-sdk 0.0.11
  'sushiswap-v2': '0xe18a34eb0e04b04f7a0ac29a6e80748dca96319b42c54d679cb821dca90c6303',
}

/** The address of Permit2 on every network (source: PERMIT2_ADDRESS of @uniswap/permit2-sdk 1.4.0). */
const permit2 = '0x000000000022D473030F116dDEE9F6B43aC78BA3'

/** The address of the Balancer v2 Vault on every network (source: `@balancer-labs/v2-deployments` 3.2.0, 20210418-vault). */
const vault = '0xBA12222222228d8Ba445958a75a0704d566BF2C8'

/**
 * Relay is on every mainnet, at one address except on networks without newer opcodes (source: addresses.prod.json of
 * relayprotocol/relay-depository, and deployments/v3/addresses.json of relayprotocol/relay-periphery for its router). Its solver is the same
 * on every network (source: relay-docs, input-validation).
 */
function relayFaults({ swaps: { relay }, network }: CatalogFile, testnet: boolean): string[] {
  if (!relay) return testnet ? [] : ['Relay is missing']
  const depository =
    network === 'linea'
      ? '0x59916DA825D2D2eC1BF878D71c88826F6633ecca'
      : '0x4cD00E387622C35bDDB9b4c962C136462338BC31'
  const router =
    network === 'linea'
      ? '0x9EF6d3c2F60d7b9008D74CAb1FC0F899c957C819'
      : '0xb92fe925DC43a0ECdE6c8b1a2709c170Ec4fFf4f'
  // docs.relay.link, changelog of October 2026.
  const router32 =
    network === 'linea'
      ? '0x6328ea02d28131e58B28E55c6258258A30d90E05'
      : '0x0729E2a4716d9f7dD17858d5d504426D228697f7'
  return [
    ...(testnet ? ['Relay carries nothing between test networks'] : []),
    ...(relay.api === 'https://api.relay.link' ? [] : ['its Relay is somebody else']),
    ...(relay.depository === depository ? [] : ['its depository of Relay is somewhere else']),
    ...(relay.router === router ? [] : ['its router of Relay is somewhere else']),
    ...(relay.router32 === router32 ? [] : ['its router 3.2 of Relay is somewhere else']),
    ...(relay.chain === network ? [] : ['Relay calls it otherwise']),
    ...(relay.solverChain === 'base' && relay.solver === '0xf70da97812CB96acDF810712Aa562db8dfA3dbEF'
      ? []
      : ['the solver of Relay is somebody else']),
  ]
}

/** The day on which the first of our networks began (Ethereum, 30 July 2015). */
const firstDay = '2015-07-30'

/** A launch is that of one market and lies between the first network and today; the schema asks for its page. */
const launchFaults = ({ launches, strategies }: CatalogFile): string[] =>
  launches.flatMap(({ protocol, asset, date }, at) =>
    [
      strategies.some((row) => row.protocol === protocol && row.asset === asset)
        ? ''
        : 'nothing was launched',
      launches.findIndex((one) => one.protocol === protocol && one.asset === asset) === at
        ? ''
        : 'it was launched twice',
      date > firstDay && Date.parse(date) <= Date.now() ? '' : 'nobody can have launched it then',
    ].flatMap((fault) => (fault === '' ? [] : [`${protocol} ${asset}: ${fault}`])),
  )

/** A launch of a family dates markets, each by one entry, is not after the launch of one of them, and lies in the past. */
const familyLaunchFaults = ({ familyLaunches, launches, strategies }: CatalogFile): string[] =>
  familyLaunches.flatMap(({ protocol, date }, at) => {
    const isOf = (row: { protocol: string }) => isOfFamily(protocol, row.protocol)
    const rows = strategies.filter(isOf)
    return [
      rows.length > 0 ? '' : 'it has no market',
      familyLaunches.some(
        (other, index) => index !== at && rows.some((row) => isOfFamily(other.protocol, row.protocol)),
      )
        ? 'a market has two families'
        : '',
      launches.some((one) => isOf(one) && one.date < date) ? 'a market is older than its family' : '',
      date > firstDay && Date.parse(date) <= Date.now() ? '' : 'nobody can have launched it then',
    ].flatMap((fault) => (fault === '' ? [] : [`${protocol}: ${fault}`]))
  })

/** Faults in the names of the markets of a file, and in the data beside their addresses. */
export function labelFaults(file: CatalogFile, { chainId, testnet, native }: Network): string[] {
  const hubs = [`W${native.symbol}`, 'USDC', 'USDT']
  const symbolOf = (address: string) => file.tokens.find((token) => token.address === address)?.symbol ?? ''
  const {
    kyberswap: kyberSwap,
    'uniswap-v4': uniswapV4,
    cctp: cctpV2,
    across,
    cow,
    'balancer-v2': balancerV2,
    lifi,
  } = file.swaps
  const { priceOracle, strategies } = file
  const sources = [
    ...Object.values(file.swaps),
    ...(balancerV2?.pools ?? []),
    priceOracle,
    ...file.priceFeeds,
    ...file.tokens,
    ...strategies,
  ]
  return [
    ...strategies.flatMap((row) => {
      const { protocol, asset, constants, startDate, logourl, implementationSelector } = row
      const { family } = constants
      return [
        ...nameFaults(row, file),
        ...statedFaults(row, file),
        ...lenderFaults(row),
        ...(family === 'lido' && constants.holds === 'wstETH' && constants.staker === constants.wstEth
          ? ['what wraps stETH takes no coin']
          : []),
        ...(implementationSelector === `${family}@${versions[family] ?? 1}`
          ? []
          : ['it is of another version']),
        ...(startDate === null || Date.parse(startDate) <= Date.now() ? [] : ['it has not begun yet']),
        ...(logourl === null
          ? ['it has no picture']
          : pictures.includes(new URL(logourl).host)
            ? []
            : ['its picture is somewhere else']),
      ].map((fault) => `${protocol} ${asset}: ${fault}`)
    }),
    ...launchFaults(file),
    ...familyLaunchFaults(file),
    ...(strategies.filter(({ isDefault }) => isDefault).length > 1 ? ['two markets are the default'] : []),
    ...sources.flatMap((one) => (one && !isSource(one.source) ? [`${one.source} is no source`] : [])),
    ...Object.entries(file.swaps).flatMap(([provider, one]) =>
      'feeTiers' in one
        ? one.feeTiers.flatMap((tier) =>
            tiers[provider]?.includes(tier) ? [] : [`there is no tier ${tier} of ${provider}`],
          )
        : [],
    ),
    ...Object.values(file.swaps)
      .flatMap((one) => ('via' in one && one !== uniswapV4 ? one.via : []))
      .flatMap((at) => (hubs.includes(symbolOf(at)) ? [] : [`nobody swaps by ${symbolOf(at)}`])),
    // Pools of Uniswap v4 hold the native coin itself.
    ...(uniswapV4?.via ?? []).flatMap((at) =>
      hubs.slice(1).includes(symbolOf(at)) ? [] : [`nobody swaps by ${symbolOf(at)} in Uniswap v4`],
    ),
    ...(uniswapV4 && uniswapV4.permit2 !== permit2 ? ['its Permit2 is somewhere else'] : []),
    ...Object.entries(file.swaps).flatMap(([provider, one]) =>
      'initCodeHash' in one && one.initCodeHash !== initCodeHashes[provider]
        ? ['its pairs are somewhere else']
        : [],
    ),
    ...(kyberSwap && !/^https:\/\/aggregator-api\.kyberswap\.com\/[a-z]+\/api\/v1$/.test(kyberSwap.api ?? '')
      ? ['its aggregator is somebody else']
      : []),
    ...(lifi && lifi.api !== 'https://li.quest/v1' ? ['its LI.FI is somebody else'] : []),
    ...(file.swaps['1inch'] && file.swaps['1inch'].api !== `https://api.1inch.com/swap/v6.1/${chainId}`
      ? ['another service is given the key of 1inch']
      : []),
    ...relayFaults(file, testnet),
    ...(balancerV2 && balancerV2.vault !== vault ? ['its Vault is somewhere else'] : []),
    ...(cow && cow.api !== `https://api.cow.fi/${orderBooks[file.network] ?? file.network}`
      ? ['its order book is somebody else']
      : []),
    ...(across && across.api !== (chainId === acrossLeft ? null : acrossApi(testnet))
      ? ['Across is of another environment']
      : []),
    ...(cctpV2 && cctpV2.attestation !== attestation(testnet)
      ? ['the bridge is of another environment']
      : []),
  ]
}
