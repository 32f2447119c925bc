import { parseAbi, toFunctionSelector } from 'viem/utils'
import { type Read, type Reading, together } from '../../chain/composable-reading.ts'
import type { Chain } from '../../chain/network-client.ts'
import { read } from '../../chain/run-readings.ts'
import { type Address, type Hex, nativeAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { aaveV3OracleAbi } from '../../protocols/aave-v3/abi.ts'
import { catalogOn } from '../../protocols/catalog-operations.ts'
import type { Catalog, PriceFeed, StrategyEntry } from '../../protocols/catalog-types.ts'
import type { Market } from '../../protocols/market-adapter.ts'
import { feedAbi } from '../../protocols/oracle-prices.ts'
import {
  type ContractAssertion,
  hasDecimals,
  mustAnswer,
  mustRespond,
} from '../../protocols/shared/contract-assertions.ts'
import { type AcrossConstants, acrossContracts } from '../../swaps/across/constants-schema.ts'
import { type BalancerV2Constants, balancerV2Contracts } from '../../swaps/balancer-v2/constants-schema.ts'
import { priceQueries } from '../../swaps/balancer-v2/path-quote.ts'
import { type CctpV2Constants, cctpV2Contracts } from '../../swaps/cctp-v2/constants-schema.ts'
import { type CowConstants, cowContracts } from '../../swaps/cow/constants-schema.ts'
import { orderDomain } from '../../swaps/cow/order.ts'
import { type KyberSwapConstants, kyberSwapContracts } from '../../swaps/kyberswap/constants-schema.ts'
import { diamondAbi } from '../../swaps/lifi/abi.ts'
import { type LifiConstants, lifiContracts } from '../../swaps/lifi/constants-schema.ts'
import { oneInchContracts } from '../../swaps/oneinch/constants-schema.ts'
import { relayContracts } from '../../swaps/relay/constants-schema.ts'
import { contractsIn } from '../../swaps/swap-contracts.ts'
import { type UniswapV2Constants, uniswapV2Contracts } from '../../swaps/uniswap-v2/constants-schema.ts'
import {
  pancakeSwapV3Contracts,
  type UniswapV3Constants,
  uniswapV3Contracts,
} from '../../swaps/uniswap-v3/constants-schema.ts'
import { type UniswapV4Constants, uniswapV4Contracts } from '../../swaps/uniswap-v4/constants-schema.ts'
import { isSymbol } from './known-symbols.ts'

/**
 * Getters by which the other contracts of a catalogue identify themselves (sources: Chainlink, AggregatorV3Interface; Uniswap v2-core,
 * v2-periphery, v3-core, v3-periphery, swap-router-contracts, v4-periphery and universal-router; circlefin/evm-cctp-contracts; SpokePool
 * of Across; GPv2Settlement of CoW Protocol; BalancerQueries).
 */
const abi = parseAbi([
  'function facetAddress(bytes4 selector) view returns (address)',
  'function allPairsLength() view returns (uint256)',
  'function chainId() view returns (uint256)',
  'function domainSeparator() view returns (bytes32)',
  'function vaultRelayer() view returns (address)',
  'function description() view returns (string)',
  'function factory() view returns (address)',
  'function WETH() view returns (address)',
  'function factoryV2() view returns (address)',
  'function feeAmountTickSpacing(uint24 fee) view returns (int24)',
  'function fillDeadlineBuffer() view returns (uint32)',
  'function localDomain() view returns (uint32)',
  'function version() view returns (uint32)',
  'function messageBodyVersion() view returns (uint32)',
  'function localMessageTransmitter() view returns (address)',
  'function poolManager() view returns (address)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function vault() view returns (address)',
  'function eip712Domain() view returns (bytes1 fields, string name, string version, uint256 chainId, address verifyingContract, bytes32 salt, uint256[] extensions)',
])

/** The function of LI.FI that every swap needs. */
const lifiSwap = toFunctionSelector(
  diamondAbi.find(({ name }) => name === 'swapTokensMultipleV3ERC20ToERC20')!,
)

const readOf = (address: Address, functionName: string, args: readonly unknown[] = []): Read => ({
  address,
  abi,
  functionName,
  args,
})

/**
 * Checks the price, swap and bridge contracts of one chain against the catalogue, and that the first block of each
 * market is possible; `head` is the number of the newest block. Returns the faults; an empty list means that the
 * catalogue is right.
 */
export async function dependencyFaults(chain: Chain, catalog: Catalog, head: bigint): Promise<string[]> {
  const { chainId } = chain.network
  const here = catalogOn(catalog, (id) => id === chainId)
  const claims = [
    ...oracleClaims(here, chainId),
    ...here.priceFeeds.flatMap((feed) => feedClaims(here, feed)),
    ...contractsIn(here, uniswapV3Contracts).flatMap((one) => swapClaims('Uniswap v3', one, [3000, 60])),
    ...contractsIn(here, pancakeSwapV3Contracts).flatMap((one) =>
      swapClaims('PancakeSwap v3', one, [2500, 50]),
    ),
    ...contractsIn(here, uniswapV2Contracts).flatMap(pairClaims),
    ...contractsIn(here, kyberSwapContracts).map(aggregatorClaim),
    ...contractsIn(here, uniswapV4Contracts).flatMap(v4Claims),
    ...contractsIn(here, cctpV2Contracts).flatMap(bridgeClaims),
    ...contractsIn(here, acrossContracts).flatMap(poolClaims),
    ...contractsIn(here, cowContracts).flatMap(orderClaims),
    ...contractsIn(here, balancerV2Contracts).flatMap(vaultClaims),
    ...contractsIn(here, lifiContracts).map(diamondClaim),
    // The EIP-712 name under which the orders it fills are signed (source: EIP712 of AggregationRouterV6).
    ...contractsIn(here, oneInchContracts).map(({ router }) =>
      signedFor('router of 1inch', router, '1inch Aggregation Router,6'),
    ),
    // The EIP-712 name under which its allocator signs (source: RelayDepository.sol of
    // relayprotocol/relay-depository).
    ...contractsIn(here, relayContracts).map((one) =>
      signedFor('depository of Relay', one.depository, 'RelayDepository,1'),
    ),
  ]
  const [actual, firstBlockFaults] = await Promise.all([
    read(chain, together(claims)),
    Promise.all(here.strategies.map((entry) => startFaults(chain, entry, head))),
  ])
  return [...actual, ...firstBlockFaults].flat()
}

/** The number of tokens probed. An oracle that prices none of them is wrong. */
const probedTokens = 3

function oracleClaims({ priceOracles, strategies }: Catalog, chainId: number): ContractAssertion[] {
  const oracle = priceOracles[chainId]
  if (!oracle) return []
  // A token lent in a market of this oracle has a price; other tokens may have none.
  const lent = strategies.filter(
    ({ constants }) => constants.family === 'aave-v3' && constants.oracle === oracle,
  )
  const reads = lent.slice(0, probedTokens).map(
    ({ asset }): Read => ({
      address: oracle,
      abi: aaveV3OracleAbi,
      functionName: 'getAssetPrice',
      args: [asset.address],
    }),
  )
  const unit: Read = { address: oracle, abi: aaveV3OracleAbi, functionName: 'BASE_CURRENCY_UNIT' }
  const prices: ContractAssertion = {
    reads,
    parse: (all) =>
      reads.length === 0 || all.some((price) => typeof price === 'bigint' && price > 0n)
        ? []
        : [`the oracle ${oracle} prices no token`],
  }
  return [mustAnswer('the unit of the price oracle', unit, 10n ** 8n), prices]
}

/** A feed must have the known decimals and the name of its token; otherwise another token's price would be used. */
function feedClaims({ tokens }: Catalog, { token, feed, decimals }: PriceFeed): ContractAssertion[] {
  const priced = tokens.find(({ address }) => address === token)
  const what = `the feed of ${priced?.symbol ?? token}`
  const named = `${priced?.symbol} / USD`
  return [
    mustAnswer(
      `the decimals of ${what}`,
      { address: feed, abi: feedAbi, functionName: 'decimals' },
      decimals,
    ),
    mustAnswer(`the name of ${what}`, readOf(feed, 'description'), named, (actual) => {
      const [of = '', by = ''] = String(actual).split('/')
      return priced && isSymbol(of, priced) && isSymbol(by, { ...priced, symbol: 'USD' }) ? named : actual
    }),
  ]
}

const swapClaims = (
  name: string,
  { factory, quoterV2, swapRouter02, feeTiers }: UniswapV3Constants,
  [first, apart]: readonly [tier: number, spacing: number],
): ContractAssertion[] => [
  // A tier that every factory has from the start.
  mustAnswer(`a tier of ${name}`, readOf(factory, 'feeAmountTickSpacing', [first]), apart),
  ...feeTiers.map((tier) =>
    mustAnswer(
      `the tier ${tier} of ${name}`,
      readOf(factory, 'feeAmountTickSpacing', [tier]),
      'a tier',
      (spacing) => (Number(spacing) > 0 ? 'a tier' : 'none'),
    ),
  ),
  mustAnswer(`the factory of the quoter of ${name}`, readOf(quoterV2, 'factory'), factory),
  mustAnswer(`the factory of the router of ${name}`, readOf(swapRouter02, 'factory'), factory),
  // The earlier router supports v3 pools only, and lacks this getter.
  mustRespond(`the other factory of the router of ${name}`, readOf(swapRouter02, 'factoryV2')),
]

const pairClaims = ({ factory, router02 }: UniswapV2Constants): ContractAssertion[] => [
  mustAnswer('the factory of the router of Uniswap v2', readOf(router02, 'factory'), factory),
  mustRespond('the number of pairs of Uniswap v2', readOf(factory, 'allPairsLength')),
]

const aggregatorClaim = ({ router }: KyberSwapConstants): ContractAssertion =>
  mustRespond('the wrapped coin of the router of KyberSwap', readOf(router, 'WETH'))

/** A contract must state this name and version for its signatures (EIP-5267). */
const signedFor = (what: string, address: Address, name: string): ContractAssertion => ({
  reads: [readOf(address, 'eip712Domain')],
  parse: ([domain]) =>
    Array.isArray(domain) && domain.slice(1, 3).join() === name
      ? []
      : [`the name of the ${what} is not returned by ${address}`],
})

const v4Claims = (one: UniswapV4Constants): ContractAssertion[] => [
  mustAnswer('the pools of the quoter of Uniswap v4', readOf(one.quoter, 'poolManager'), one.poolManager),
  mustAnswer('the pools of the prices of Uniswap v4', readOf(one.stateView, 'poolManager'), one.poolManager),
  mustAnswer(
    'the pools of the router of Uniswap v4',
    readOf(one.universalRouter, 'poolManager'),
    one.poolManager,
  ),
  mustRespond('the domain of Permit2', readOf(one.permit2, 'DOMAIN_SEPARATOR')),
]

/** The earlier version of the bridge has the same getters; its versions are 0. */
const bridgeClaims = ({
  domain,
  tokenMessenger,
  messageTransmitter,
}: CctpV2Constants): ContractAssertion[] => [
  mustAnswer('the domain of the bridge', readOf(messageTransmitter, 'localDomain'), domain),
  mustAnswer('the version of messages', readOf(messageTransmitter, 'version'), 1),
  mustAnswer('the sender of messages', readOf(tokenMessenger, 'localMessageTransmitter'), messageTransmitter),
  mustAnswer('the version of burn messages', readOf(tokenMessenger, 'messageBodyVersion'), 1),
]

/** Each function of a diamond must have a facet (ERC-2535). */
const diamondClaim = ({ diamond }: LifiConstants): ContractAssertion =>
  mustAnswer(
    'the facet of LI.FI that swaps tokens',
    readOf(diamond, 'facetAddress', [lifiSwap]),
    'a facet',
    (facet) => (facet === nativeAddress ? 'none' : 'a facet'),
  )

const poolClaims = ({ chainId, spokePool }: AcrossConstants): ContractAssertion[] => [
  mustAnswer('the chain of the pool of Across', readOf(spokePool, 'chainId'), chainId),
  mustRespond('the longest fill deadline', readOf(spokePool, 'fillDeadlineBuffer')),
]

/** The domain binds an order's hash to its chain and contract. */
const orderClaims = (here: CowConstants): ContractAssertion[] => [
  mustAnswer('the relayer of CoW Protocol', readOf(here.settlement, 'vaultRelayer'), here.vaultRelayer),
  mustAnswer(
    'the domain of the orders of CoW Protocol',
    readOf(here.settlement, 'domainSeparator'),
    orderDomain(here),
  ),
]

/** A pool must have exactly the listed tokens, and weights. */
const vaultClaims = ({ vault, queries, pools }: BalancerV2Constants): ContractAssertion[] => [
  mustAnswer('the Vault of the queries of Balancer v2', readOf(queries, 'vault'), vault),
  ...pools.flatMap(({ id, tokens }) => {
    const [held, weights] = priceQueries(vault, { tokens, pools: [id] }) as [Read, Read]
    return [
      mustAnswer(`the tokens of the pool ${id}`, held, tokens.join(), (said) =>
        (said as Address[][])[0]!.join(),
      ),
      mustRespond(`the weights of the pool ${id}`, weights),
    ]
  }),
]

/** The receipt must have no code before the first block from which events are read. A node without old states cannot tell. */
async function startFaults(
  { rpc }: Chain,
  { slug, receipt, fromBlock }: StrategyEntry,
  head: bigint,
): Promise<string[]> {
  if (fromBlock === 0n) return []
  if (fromBlock > head) return [`${slug} is read from block ${fromBlock}, but the newest block is ${head}`]
  try {
    const code = await rpc.request<Hex>('eth_getCode', [
      receipt.address,
      `0x${(fromBlock - 1n).toString(16)}`,
    ])
    return code === '0x' ? [] : [`${slug} is read from block ${fromBlock}, but was deployed earlier`]
  } catch (error) {
    if (error instanceof AppError && error.code === 'RPC_ERROR') return []
    throw error
  }
}

/** A market that differs on its chain from the catalogue. */
export type FaultyMarket = { market: Market; faults: string[] }

/**
 * Checks the contracts of many markets of one chain against the catalogue, and that every known address has code. Returns the markets that
 * fail, with every reason; an empty list means that the catalogue is right.
 */
export async function marketFaults(chain: Chain, markets: readonly Market[]): Promise<FaultyMarket[]> {
  const claims = markets.map(
    ({ entry, contractAssertions: claims }): Reading<string[]> =>
      joinClaims([
        ...hasDecimals(entry.asset),
        ...(entry.receipt.isShares ? [] : hasDecimals(entry.receipt)),
        ...claims,
      ]),
  )
  const [actual, withoutCodeSet] = await Promise.all([
    read(chain, together(claims)),
    withoutCode(chain, markets),
  ])
  return markets.flatMap((market, at) => {
    const empty = addressesOf(market.entry).filter((address) => withoutCodeSet.has(address))
    const faults = [...actual[at]!, ...empty.map((address) => `there is no contract at ${address}`)]
    return faults.length > 0 ? [{ market, faults }] : []
  })
}

function joinClaims(claims: readonly Reading<string[]>[]): Reading<string[]> {
  const { reads, parse } = together(claims)
  return { reads, parse: (answers) => parse(answers).flat() }
}

async function withoutCode({ rpc }: Chain, markets: readonly Market[]): Promise<Set<Address>> {
  const all = [...new Set(markets.flatMap(({ entry }) => addressesOf(entry)))]
  const codes = await rpc.batch(all.map((address) => ['eth_getCode', [address, 'latest']]))
  return new Set(all.filter((_, at) => codes[at] === '0x'))
}

/** Every contract address of a market. */
function addressesOf({ asset, receipt, constants }: StrategyEntry): Address[] {
  const texts = JSON.stringify([asset.address, receipt.address, constants]).match(/0x[0-9a-fA-F]{40}/g) ?? []
  return [...new Set(texts as Address[])].filter((address) => address !== nativeAddress)
}
