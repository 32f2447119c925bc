import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CatalogFile } from '../src/app/profiles/catalog-file.ts'
import { type Address, nativeAddress, sameAddress } from '../src/domain/address.ts'
import { type Network, publicNetworks } from '../src/domain/networks.ts'
import { maturityOf } from '../src/protocols/catalog-operations.ts'
import type { SwapsOfFile } from '../src/swaps/swap-provider-registry.ts'
import type { Books } from '../test/oracles/books.ts'
import { logoOf } from './catalog-logos.ts'
import { protocolOf } from './catalog-names.ts'
import { receiptName } from './catalog-symbols.ts'
import { wordsOf } from './catalog-words.ts'

/*
 * Makes src/engine/catalog from a survey of markets (a folder with catalog.json, tokens.json, providers.json and
 * price-feeds.json): npm run catalog:make -- FOLDER. It takes the markets of implemented protocols, and chooses no
 * addresses: each is from the survey, with its source. Markets of protocols outside the survey stay unchanged. The
 * survey's name of each market is stored for `catalog:check`.
 */

/** A market of the survey. `asset` is the receipt there, and `underlyingAsset` the deposited token. */
export type Surveyed = {
  id: string
  protocol: string
  network: string
  chainId: number
  assetName: string
  receiptSymbol: string | null
  asset: Address
  assetDecimals: number
  underlyingAsset: Address
  underlyingSymbol: string
  underlyingDecimals: number
  category: CatalogFile['strategies'][number]['category']
  implementationSelector: string
  contracts: Record<string, Address>
  params: Record<string, unknown>
  note?: string
  source: string
  sourcesSeen: readonly string[]
  apyMethod: string
  nativeHandling: string
  testnet: boolean
}

type Row = CatalogFile['strategies'][number]
/** Protocols whose markets are added by hand. */
const byHand: readonly string[] = ['across', 'stakewise']
type Made = Pick<Row, 'constants' | 'implementationSelector'>

/** The constants for the markets of each protocol of the survey; other protocols are skipped. */
const families: Record<string, (market: Surveyed) => Made | undefined> = {
  'aave-v3': ({ contracts: { pool, aToken, oracle } }) => ({
    implementationSelector: 'aave-v3@1',
    constants: { family: 'aave-v3', pool: pool!, aToken: aToken!, oracle: oracle! },
  }),
  'compound-v3': ({ contracts: { comet, rewards } }) => ({
    implementationSelector: 'compound-v3@2',
    constants: { family: 'compound-v3', comet: comet!, rewards: rewards! },
  }),
  'compound-v2': (market) => lender(market),
  'compound-v2-native': (market) => lender(market, 'market'),
  erc4626: (market) => vault(market, statedBy(market)),
  'erc4626-sky': ({ contracts: { vault: at } }) =>
    vault({ contracts: { vault: at! } }, { at: at!, name: 'ssr' }),
  'erc4626-morpho': (market) =>
    /vault ?v2/i.test(String(market.params.vaultVersion))
      ? vault(market, undefined, { limits: 'none' })
      : {
          implementationSelector: 'morpho@1',
          constants: {
            family: 'morpho',
            vault: market.contracts.vault!,
            morpho: market.contracts.morpho!,
          },
        },
  'erc4626-euler': (market) => vault(market, undefined, { lends: 'euler' }),
  'erc4626-fluid': ({ contracts: { vault: at, lendingResolver } }) => ({
    implementationSelector: 'fluid@1',
    constants: { family: 'fluid', vault: at!, resolver: lendingResolver! },
  }),
  'ethena-susde': ({ contracts: { vault: at } }) => ({
    implementationSelector: 'ethena@1',
    constants: { family: 'ethena', vault: at! },
  }),
  'rocketpool-reth': ({ contracts: { reth, rocketStorage, rocketDepositPool } }) => ({
    implementationSelector: 'rocket-pool@1',
    constants: {
      family: 'rocket-pool',
      token: reth!,
      storage: rocketStorage!,
      depositPool: rocketDepositPool!,
    },
  }),
  etherfi: ({ contracts }) => ({
    implementationSelector: 'ether-fi@1',
    constants: {
      family: 'ether-fi',
      token: contracts.weeth!,
      pool: contracts.liquidityPool!,
      depositAdapter: contracts.depositAdapter!,
      withdrawAdapter: contracts.weethWithdrawAdapter!,
      requests: contracts.withdrawRequestNft!,
    },
  }),
  'frax-ether': ({ contracts: { sfrxeth, minter, redemptionQueue } }) => ({
    implementationSelector: 'frax-ether@1',
    constants: { family: 'frax-ether', token: sfrxeth!, minter: minter!, queue: redemptionQueue! },
  }),
  'stader-ethx': ({ contracts: { ethx, stakePoolsManager, userWithdrawalManager } }) => ({
    implementationSelector: 'stader@1',
    constants: {
      family: 'stader',
      token: ethx!,
      manager: stakePoolsManager!,
      withdrawals: userWithdrawalManager!,
    },
  }),
  'lista-slisbnb': ({ contracts: { slisbnb, stakeManager } }) => ({
    implementationSelector: 'lista@1',
    constants: { family: 'lista', token: slisbnb!, manager: stakeManager! },
  }),
  'benqi-savax': ({ contracts: { savax } }) => ({
    implementationSelector: 'benqi-staking@1',
    constants: { family: 'benqi-staking', token: savax! },
  }),
  'gnosis-sdai': ({ contracts: { vault: token, adapter, wxdai } }) => ({
    implementationSelector: 'gnosis-sdai@1',
    constants: { family: 'gnosis-sdai', token: token!, adapter: adapter!, wrapped: wxdai! },
  }),
  'spark-psm3': ({ contracts: { psm3, ssrOracle } }) => ({
    implementationSelector: 'spark-psm3@1',
    constants: { family: 'spark-psm3', psm: psm3!, oracle: ssrOracle! },
  }),
  // An expired market takes no deposits, and the survey does not record where it was sold.
  'pendle-pt': ({ contracts, params }) =>
    params.expired === false
      ? {
          implementationSelector: 'pendle-pt@1',
          constants: {
            family: 'pendle-pt',
            market: contracts.market!,
            yt: contracts.yt!,
            sy: contracts.sy!,
            router: contracts.router!,
            routerStatic: contracts.routerStatic!,
            oracle: contracts.ptOracle!,
            expiry: Number(params.expiry),
          },
        }
      : undefined,
  'lido-steth': ({ contracts: { steth, withdrawalQueue } }) => ({
    implementationSelector: 'lido@1',
    constants: { family: 'lido', holds: 'stETH', stEth: steth!, queue: withdrawalQueue! },
  }),
  'lido-wsteth': ({ contracts: { steth, wsteth, referralStaker, withdrawalQueue } }) => ({
    implementationSelector: 'lido@1',
    constants: {
      family: 'lido',
      holds: 'wstETH',
      stEth: steth!,
      wstEth: wsteth!,
      staker: referralStaker!,
      queue: withdrawalQueue!,
    },
  }),
  'erc4626-yearn-v3': ({ contracts: { vault: at } }) => ({
    implementationSelector: 'yearn-v3@1',
    constants: { family: 'yearn-v3', vault: at! },
  }),
}

/** A Compound v2 market. If it pays wrapped coins out as native ones, deposits in the native coin use its router. */
function lender(market: Surveyed, own?: 'market'): Made | undefined {
  const { contracts, apyMethod, protocol, nativeHandling, testnet } = market
  const coin = own ?? (nativeHandling === 'router-payable' ? { router: contracts.wethRouter! } : undefined)
  // On its test network the token does not wrap the native coin.
  if (testnet && coin) return undefined
  return {
    implementationSelector: 'compound-v2@1',
    constants: {
      family: 'compound-v2',
      market: contracts.market!,
      comptroller: contracts.comptroller!,
      rate: apyMethod === 'cToken-rate-per-timestamp' ? 'second' : 'block',
      ...(protocol === 'Moonwell' && { compounds: 'daily' as const }),
      pauses: protocol === 'Venus' ? 'action' : 'guardian',
      ...(coin && { coin }),
    },
  }
}

type Stated = { at: Address; name: 'ssr' | 'vsr' | 'dsr' | 'getSSR' }

const vault = (
  { contracts }: Pick<Surveyed, 'contracts'>,
  stated?: Stated,
  rules?: { limits: 'none' } | { lends: 'euler' },
): Made => ({
  implementationSelector: 'erc4626@1',
  constants: {
    family: 'erc4626',
    vault: contracts.vault!,
    ...(stated && { stated }),
    ...rules,
  },
})

/** The contract that states the rate of a savings vault, according to the survey. */
function statedBy({ contracts, params }: Surveyed): Stated | undefined {
  const { vault: at, pot, susds, ssrOracle } = contracts
  if (pot) return { at: pot, name: 'dsr' }
  if (ssrOracle) return { at: ssrOracle, name: 'getSSR' }
  if (susds) return { at: susds, name: 'ssr' }
  return /vsr\(\)/.test(String(params.erc4626)) ? { at: at!, name: 'vsr' } : undefined
}

type SurveyedToken = {
  address: Address
  symbol: string
  decimals: number
  inCatalog: boolean
  logoURI?: string
  sources: string[]
}

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('npm run catalog:make -- FOLDER')
const survey = (name: string) => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'))
// Some markets of the survey have no address yet; they are skipped.
const markets: Surveyed[] = survey('catalog')
  .strategies.filter(
    (market: { asset: unknown; underlyingAsset: unknown }) => market.asset && market.underlyingAsset,
  )
  // Index numbers that others cannot look up are no source.
  .map((market: Surveyed) => ({
    ...market,
    // The survey may cite a position in its own index, which is no public source.
    source: citable(market.source, market.sourcesSeen)
      .replace(/; code index ids [^(]*\([^)]*\)/, '')
      .replace('>=6 independent public files in the code index (', '')
      .replace(/ (definition|test|discovery|tests) ids? [0-9/]+/g, ' $1')
      .replace(/\)(?=; V1:)/, ''),
  }))
const tokens: Record<string, SurveyedToken[]> = survey('tokens').chains
const feeds = survey('price-feeds').chains
const { providers } = survey('providers')

/** A source without index numbers; if nothing else is left, the repositories that contain the address. */
function citable(source: string, seen: readonly string[] = []): string {
  const [, place] = /^index: find_string ids .*; comptroller: (.+)$/.exec(source) ?? []
  if (place) return [...seen, `repo:${place} (comptroller)`].join('; ')
  return source.replace(/; (index )?find_string ids [0-9, ]*[0-9]( \([^)]*\))?/, '')
}

function fileOf(network: Network, before: CatalogFile | undefined): CatalogFile {
  const { name, chainId } = network
  const here = markets.filter((market) => market.network === name)
  const strategies = here.flatMap((market) => strategyOf(market))
  const cctpV2 = bridgeOn(network)
  const assets = here.filter((market) =>
    strategies.some(({ asset }) => sameAddress(asset, market.underlyingAsset)),
  )
  const known = new Map<string, CatalogFile['tokens'][number]>()
  const add = (token: CatalogFile['tokens'][number]) => {
    const there = known.get(token.address)
    if (there && there.decimals !== token.decimals) throw new Error(`${token.address}: two decimals`)
    if (!there && token.address !== nativeAddress) known.set(token.address, token)
  }
  for (const { address, symbol, decimals, inCatalog, sources } of tokens[chainId] ?? [])
    if (inCatalog || isPaidOut(symbol, strategies))
      add({ address, symbol, decimals, source: citable(sources.join('; ')) })
  for (const { underlyingAsset, underlyingSymbol, underlyingDecimals, source } of assets)
    add({
      address: underlyingAsset,
      symbol: underlyingSymbol,
      decimals: underlyingDecimals,
      source,
    })
  if (cctpV2) add({ address: cctpV2.token, symbol: 'USDC', decimals: 6, source: cctpV2.source })
  const brla = providers.brla.tokens[chainId]
  if (brla)
    add({
      address: brla.address,
      symbol: 'BRLA',
      decimals: brla.decimals,
      source: citable(providers.brla.source),
    })
  const lent = here.filter(({ implementationSelector }) => implementationSelector === 'aave-v3')
  const main = feeds[chainId]?.aave?.oracle ?? lent[0]?.contracts.oracle
  const oracle = lent.find(({ contracts }) => contracts.oracle === main)
  return {
    network: name,
    priceOracle: oracle ? { address: main, source: oracle.source } : null,
    priceFeeds: feedsOn(network, [...known.values()], strategies),
    // Launch dates are written by hand.
    launches: before?.launches ?? [],
    familyLaunches: before?.familyLaunches ?? [],
    swaps: {
      ...given('uniswap-v3', swapsOn(network, [...known.values()])),
      ...given('uniswap-v2', pairsOn(network, [...known.values()])),
      ...given('kyberswap', aggregatorOn(network)),
      ...given('uniswap-v4', poolsOn(network, [...known.values()])),
      ...given('cctp', cctpV2),
      ...given('across', acrossOn(network, before?.swaps.across?.tokens)),
      ...given('cow', ordersOn(network)),
      ...given('balancer-v2', vaultOn(network)),
      ...given('pancakeswap-v3', forkOn(network, [...known.values()])),
      ...given('lifi', diamondOn(network)),
      ...given('1inch', oneInchOn(network)),
      ...given('relay', relayOn(network)),
    },
    tokens: [...known.values()],
    strategies,
  }
}

function strategyOf(market: Surveyed): Row[] {
  const made = families[market.implementationSelector]?.(market)
  const isCoin = made?.constants.family === 'compound-v2' && made.constants.coin !== undefined
  const asset = isCoin ? nativeAddress : market.underlyingAsset
  if (!made || sameAddress(market.asset, market.underlyingAsset)) return []
  const { protocol, name } = protocolOf(market)
  const logo = tokens[market.chainId]?.find(({ address }) => sameAddress(address, market.underlyingAsset))
  const maturity = maturityOf(made)
  const called = receiptName(market, protocol)
  const said = {
    ...wordsOf(market),
    ...(maturity && { maturity }),
  }
  return [
    {
      protocol,
      name: `${name} ${isCoin ? market.underlyingSymbol.replace(/^W/, '') : market.underlyingSymbol}`,
      category: market.category,
      asset,
      receipt: {
        address: market.asset,
        symbol: called.symbol,
        decimals: market.assetDecimals,
      },
      startDate: null,
      isDefault: protocol === 'aave-v3' && market.underlyingSymbol === 'USDC',
      metadata: Object.keys(said).length > 0 ? { en: said } : null,
      logourl: logo?.logoURI?.startsWith('https://') ? logo.logoURI : logoOf(market.network, asset),
      fromBlock: '0',
      source: called.source ? `${market.source}; ${called.source}` : market.source,
      ...made,
    },
  ]
}

/** Whether some markets pay a token as a reward besides their interest. */
function isPaidOut(symbol: string, rows: Row[]): boolean {
  return symbol === 'COMP' && rows.some(({ constants }) => constants.family === 'compound-v3')
}

/** Feeds for deposited or reward tokens that the Aave oracle does not list: the pair of the symbol, if only one token has it. */
function feedsOn({ chainId }: Network, known: CatalogFile['tokens'], rows: Row[]): CatalogFile['priceFeeds'] {
  const { aave, chainlink = {} } = feeds[chainId] ?? {}
  const listed = new Set(Object.keys(aave?.assets ?? {}))
  return known.flatMap(({ address, symbol }) => {
    const pair = chainlink[`${symbol}/USD`]
    const isNeeded =
      !listed.has(address) && (rows.some(({ asset }) => asset === address) || isPaidOut(symbol, rows))
    const isOnly = known.filter((other) => other.symbol === symbol).length === 1
    if (!pair || !isNeeded || !isOnly || /may be/.test(pair.source)) return []
    return [{ token: address, feed: pair.address, decimals: pair.decimals, source: pair.source }]
  })
}

/** The tokens that a path of two hops may pass through. */
function hubsOn(
  { native }: Network,
  known: CatalogFile['tokens'],
): CatalogFile['tokens'][number]['address'][] {
  return [`W${native.symbol}`, 'USDC', 'USDT'].flatMap((symbol) => {
    const found = known.filter((token) => token.symbol === symbol)
    return found.length === 1 ? [found[0]!.address] : []
  })
}

/** The entry of a provider in a file, if it has contracts on the network. */
const given = <name extends keyof SwapsOfFile>(name: name, one: SwapsOfFile[name]): SwapsOfFile =>
  one ? { [name]: one } : {}

function swapsOn(network: Network, known: CatalogFile['tokens']): SwapsOfFile['uniswap-v3'] {
  const { feeTiers, source, chains } = providers['uniswap-v3']
  const there = chains[network.chainId]
  if (!there) return undefined
  const { factory, quoterV2, swapRouter02 } = there
  return { factory, quoterV2, swapRouter02, feeTiers, via: hubsOn(network, known), source }
}

function pairsOn(network: Network, known: CatalogFile['tokens']): SwapsOfFile['uniswap-v2'] {
  const { source, chains } = providers['uniswap-v2']
  const there = chains[network.chainId]
  if (!there) return undefined
  const { factory, router: router02 } = there
  // The addresses of pairs are derived from it, on every network.
  const initCodeHash = '0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f'
  const cited = `${source}; npm:@uniswap/v2-sdk@4.21.4 INIT_CODE_HASH`
  return { factory, router02, initCodeHash, via: hubsOn(network, known), source: cited }
}

function aggregatorOn({ chainId, name }: Network): SwapsOfFile['kyberswap'] {
  const { chains, source } = providers.kyberswap
  const router = chains[chainId]?.router
  if (!router) return undefined
  // The network names of the service (provider-samples/kyberswap-routes-shape.json).
  const chain = name === 'bnb' ? 'bsc' : name
  return {
    router,
    api: `https://aggregator-api.kyberswap.com/${chain}/api/v1`,
    source,
  }
}

function diamondOn({ chainId }: Network): SwapsOfFile['lifi'] {
  const { chains, http, source } = providers.lifi
  const diamond = chains[chainId]?.diamond
  return diamond ? { diamond, api: http, source } : undefined
}

function oneInchOn({ chainId }: Network): SwapsOfFile['1inch'] {
  const { chains, source } = providers['1inch']
  const router = chains[chainId]?.router
  const listed =
    'repo:ethereum/clear-signing-erc7730-registry registry/1inch/calldata-AggregationRouterV6.json'
  if (!router) return undefined
  return { router, api: `https://api.1inch.com/swap/v6.1/${chainId}`, source: `${source}; ${listed}` }
}

/** Networks with another Relay depository (relayprotocol/relay-depository, addresses.prod.json). */
const otherDepositories: Readonly<Record<string, Address>> = {
  linea: '0x59916DA825D2D2eC1BF878D71c88826F6633ecca',
}

/** The contract through which the Relay solver pays native coins, and its exceptions (relayprotocol/relay-periphery, deployments/v3). */
const relayRouter: Address = '0xb92fe925DC43a0ECdE6c8b1a2709c170Ec4fFf4f'
const otherRelayRouters: Readonly<Record<string, Address>> = {
  linea: '0x9EF6d3c2F60d7b9008D74CAb1FC0F899c957C819',
}

/** The same contract in version 3.2, and its exceptions among our networks (docs.relay.link, changelog of October 2026). */
const relayRouter32: Address = '0x0729E2a4716d9f7dD17858d5d504426D228697f7'
const otherRelayRouters32: Readonly<Record<string, Address>> = {
  linea: '0x6328ea02d28131e58B28E55c6258258A30d90E05',
}

/** Relay uses the network names of this program, and one solver for every order (relay-docs, input-validation). */
function relayOn({ name, testnet }: Network): SwapsOfFile['relay'] {
  const { depository, http } = providers.relay
  if (testnet) return undefined
  return {
    depository: otherDepositories[name] ?? depository,
    chain: name,
    router: otherRelayRouters[name] ?? relayRouter,
    router32: otherRelayRouters32[name] ?? relayRouter32,
    solver: '0xf70da97812CB96acDF810712Aa562db8dfA3dbEF',
    solverChain: 'base',
    api: http,
    source:
      'repo:relayprotocol/relay-depository packages/ethereum-vm/deployments/addresses.prod.json; repo:relayprotocol/relay-docs references/api/api_core_concepts/input-validation.mdx; repo:relayprotocol/relay-periphery deployments/v3/addresses.json; https://docs.relay.link/changelog (router 3.2)',
  }
}

function poolsOn(network: Network, known: CatalogFile['tokens']): SwapsOfFile['uniswap-v4'] {
  const { source, chains } = providers['uniswap-v4']
  const there = chains[network.chainId]
  if (!there) return undefined
  const { poolManager, quoter, stateView, universalRouter, permit2 } = there
  // The pools hold the native coin itself, so no path uses its wrapped form.
  const wrapped = known.filter(({ symbol }) => symbol === `W${network.native.symbol}`)
  const via = hubsOn(network, known).filter((at) => wrapped.every(({ address }) => address !== at))
  const cited = `${source}; npm:@uniswap/universal-router-sdk@5.13.0 UNIVERSAL_ROUTER_ADDRESS (2.0)`
  return { poolManager, quoter, stateView, universalRouter, permit2, via, source: cited }
}

function bridgeOn({ chainId, testnet }: Network): SwapsOfFile['cctp'] {
  const { chains, http, source } = providers['cctp-v2']
  const there = chains[chainId]
  if (!there) return undefined
  if (there.testnet !== testnet) throw new Error(`${chainId}: another environment`)
  return {
    domain: there.domain,
    token: there.usdc,
    tokenMessenger: there.tokenMessengerV2,
    messageTransmitter: there.messageTransmitterV2,
    attestation: testnet ? http.testnet : http.mainnet,
    source,
  }
}

/** The services that suggest Across fees (`@across-protocol/app-sdk` 0.4.4, MAINNET_API_URL and TESTNET_API_URL). */
const acrossApis = { main: 'https://app.across.to/api', test: 'https://testnet.across.to/api' }
/** The chains that the service left, whose pool is still known: Scroll. */
const acrossLeft: Readonly<Record<number, string>> = {
  534352: 'https://docs.across.to/chains-and-contracts (no quotes from or to Scroll since 2026-04-30)',
}

/** `tokens` are written by hand (`@across-protocol/constants` 3.1.127, TOKEN_SYMBOLS_MAP); without any, there is no entry. */
function acrossOn(
  { chainId, testnet }: Network,
  tokens: Readonly<Record<string, Address>> = {},
): SwapsOfFile['across'] {
  const { source, chains } = providers.across
  const there = chains[chainId]
  if (!there || Object.keys(tokens).length === 0) return undefined
  return {
    spokePool: there.spokePool,
    api: acrossLeft[chainId] ? null : testnet ? acrossApis.test : acrossApis.main,
    tokens,
    source: [
      `${source}; npm:@across-protocol/app-sdk@0.4.4 constants; npm:@across-protocol/constants@3.1.127 TOKEN_SYMBOLS_MAP`,
      ...(acrossLeft[chainId] ? [acrossLeft[chainId]] : []),
    ].join('; '),
  }
}

/** The network names of the CoW Protocol order book (`@cowprotocol/sdk-order-book` 4.1.0, ORDER_BOOK_PROD_CONFIG). */
const orderBooks: Readonly<Record<string, string>> = {
  ethereum: 'mainnet',
  gnosis: 'xdai',
  arbitrum: 'arbitrum_one',
  base: 'base',
  sepolia: 'sepolia',
  polygon: 'polygon',
  avalanche: 'avalanche',
  bnb: 'bnb',
  // @cowprotocol/sdk-config 2.4.0, chain LINEA
  linea: 'linea',
}

/** Networks whose CoW contracts another package lists. */
const orderContracts: Readonly<Record<string, string>> = {
  linea:
    'npm:@cowprotocol/sdk-config@2.4.0 COW_PROTOCOL_SETTLEMENT_CONTRACT_ADDRESS, COW_PROTOCOL_VAULT_RELAYER_ADDRESS, chain LINEA',
}

/** The contracts of CoW Protocol have the same addresses on each of these networks (`networks.json` of `@cowprotocol/contracts` 1.8.0). */
function ordersOn({ name }: Network): SwapsOfFile['cow'] {
  const book = orderBooks[name]
  if (book === undefined) return undefined
  return {
    settlement: '0x9008D19f58AAbD9eD0D60971565AA8510560ab41',
    vaultRelayer: '0xC92E8bdf79f0507f65a392b0ab4667716BFE0110',
    api: `https://api.cow.fi/${book}`,
    source: `${orderContracts[name] ?? 'npm:@cowprotocol/contracts@1.8.0 networks.json'}; npm:@cowprotocol/sdk-order-book@4.1.0 ORDER_BOOK_PROD_CONFIG`,
  }
}

/** PancakeSwap v3; its SmartRouter has the functions of SwapRouter02. */
function forkOn(network: Network, known: CatalogFile['tokens']): SwapsOfFile['pancakeswap-v3'] {
  const { feeTiers, source, chains } = providers['pancakeswap-v3']
  const there = chains[network.chainId]
  if (!there) return undefined
  const { factory, quoterV2, smartRouter: swapRouter02 } = there
  return { factory, quoterV2, swapRouter02, feeTiers, via: hubsOn(network, known), source }
}

/** The Balancer v2 Vault, without pools: no published source has both ID and tokens of a weighted pool. */
function vaultOn({ chainId }: Network): SwapsOfFile['balancer-v2'] {
  const { source, chains } = providers.balancer
  const there = chains[chainId]
  if (!there) return undefined
  return { vault: there.v2Vault, queries: there.v2Queries, pools: [], source }
}

/** JSON with one token and one market per line, for readable diffs. */
function written({ launches, familyLaunches, swaps, tokens: all, strategies, ...rest }: CatalogFile): string {
  const list = (items: readonly unknown[]) =>
    items.length === 0 ? '[]' : `[\n${items.map((item) => `    ${JSON.stringify(item)}`).join(',\n')}\n  ]`
  const head = Object.entries(rest).map(([name, value]) => `  "${name}": ${JSON.stringify(value)},\n`)
  const contracts = Object.entries(swaps).map(([name, value]) => `    "${name}": ${JSON.stringify(value)}`)
  const providers = contracts.length === 0 ? '{}' : `{\n${contracts.join(',\n')}\n  }`
  return `{\n${head.join('')}  "launches": ${list(launches)},\n  "familyLaunches": ${list(familyLaunches)},\n  "swaps": ${providers},\n  "tokens": ${list(all)},\n  "strategies": ${list(strategies)}\n}\n`
}

const out = join(import.meta.dirname, '..', 'src', 'engine', 'catalog')
const surveyed: Books['survey'] = {}
mkdirSync(out, { recursive: true })
for (const network of publicNetworks) {
  const path = join(out, `${network.name}.json`)
  const before: CatalogFile | undefined = existsSync(path)
    ? JSON.parse(readFileSync(path, 'utf8'))
    : undefined
  const file = fileOf(network, before)
  surveyed[network.name] = Object.fromEntries(
    file.strategies.map(({ protocol, asset, receipt, name }) => [
      `${protocol} ${asset}`,
      [receipt.address, receipt.symbol, name],
    ]),
  )
  // Forks and others that the survey lacks are written by hand.
  file.swaps = { ...before?.swaps, ...file.swaps }
  file.strategies.push(
    ...(before?.strategies
      .filter(({ constants: { family } }) => byHand.includes(family))
      .map((row) => ({ ...row, logourl: row.logourl ?? logoOf(network.name, row.asset) })) ?? []),
  )
  writeFileSync(path, written(file))
  process.stdout.write(
    `${network.name}: ${file.strategies.length} markets, ${file.tokens.length} tokens${file.swaps['uniswap-v3'] ? ', swaps' : ''}${file.swaps.cctp ? ', bridge' : ''}\n`,
  )
}
writeFileSync(
  join(import.meta.dirname, '..', 'test', 'oracles', 'fixtures', 'survey.json'),
  `${JSON.stringify(surveyed)}\n`,
)
