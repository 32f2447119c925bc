import { parseAbi } from 'viem/utils'
import { ask } from '../../chain/ask.ts'
import { type Call, contract, type Reading, together } from '../../chain/call.ts'
import type { Chain } from '../../chain/network-client.ts'
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
} from '../../protocols/shared/contract-assertions.ts'
import { swapDefinitions } from '../../swaps/swap-provider-registry.ts'
import { isSymbol } from './known-symbols.ts'

/** The name of a feed (source: Chainlink, AggregatorV3Interface). */
const abi = parseAbi(['function description() view returns (string)'])

const readOf = (address: Address, functionName: string, args: readonly unknown[] = []): Call =>
  contract(address, abi)(functionName, ...args)

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
    ...swapDefinitions.flatMap(({ assertions }) => assertions(here, chainId)),
  ]
  const [actual, firstBlockFaults] = await Promise.all([
    ask(chain, together(claims)),
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
  const reads = lent
    .slice(0, probedTokens)
    .map(({ asset }): Call => contract(oracle, aaveV3OracleAbi)('getAssetPrice', asset.address))
  const unit: Call = contract(oracle, aaveV3OracleAbi)('BASE_CURRENCY_UNIT')
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
    mustAnswer(`the decimals of ${what}`, contract(feed, feedAbi)('decimals'), decimals),
    mustAnswer(`the name of ${what}`, readOf(feed, 'description'), named, (actual) => {
      const [of = '', by = ''] = String(actual).split('/')
      return priced && isSymbol(of, priced) && isSymbol(by, { ...priced, symbol: 'USD' }) ? named : actual
    }),
  ]
}

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
    ask(chain, together(claims)),
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
