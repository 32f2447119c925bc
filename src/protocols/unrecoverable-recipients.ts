import type { Address } from '../domain/address.ts'
import type { Catalog } from './catalog-types.ts'

/**
 * Why funds sent to an address are lost, as the end of a sentence; `undefined` if they may be recoverable. The lowest addresses are precompiled
 * contracts without a key; for a router of Uniswap, 1 and 2 are the caller and the router (source: `Constants.MSG_SENDER` and
 * `Constants.ADDRESS_THIS` of @uniswap/swap-router-contracts). A contract of the catalogue keeps tokens that are transferred to it, or gives them to
 * its next caller. The coin (`isCoin`) may be sent to contracts, because some are used so.
 */
export function whyLost(catalog: Catalog, chainId: number, to: Address, isCoin = false): string | undefined {
  if (BigInt(to) === 0n) return 'the zero address'
  if (BigInt(to) < 0x1_0000n) return `${to}, an address without a known key`
  if (/^0xe{40}$/i.test(to)) return 'the placeholder address of the native coin'
  if (isCoin) return undefined
  const known = contractsOf.get(catalog) ?? contractsIn(catalog)
  contractsOf.set(catalog, known)
  return known.get(nameOf(chainId, to))
}

/** What the contracts of a catalogue are, by chain and address; made once, as a request looks for two or three addresses among thousands. */
const contractsOf = new WeakMap<Catalog, ReadonlyMap<string, string>>()

const nameOf = (chainId: number, address: string): string => `${chainId} ${address.toLowerCase()}`

function contractsIn(catalog: Catalog): ReadonlyMap<string, string> {
  const all = new Map<string, string>()
  /** Says what an address is, unless it is something already. */
  const add = (chainId: number, address: string, what: string) => {
    const name = nameOf(chainId, address)
    if (!all.has(name)) all.set(name, what)
  }
  for (const { chainId, address, symbol } of catalog.tokens) add(chainId, address, `the token ${symbol}`)
  for (const { chainId, multicall3 } of catalog.networks)
    if (multicall3) add(chainId, multicall3, 'Multicall3, from which anyone can take tokens')
  for (const { chainId, receipt, constants, slug } of catalog.strategies)
    for (const address of [receipt.address, ...addressesIn(constants)])
      add(chainId, address, `a contract of ${slug}`)
  for (const [provider, rows] of Object.entries(catalog.swaps))
    for (const one of rows)
      for (const address of addressesIn(one))
        add(
          one.chainId,
          address,
          `an address of the swap provider ${provider}, which holds no funds for users`,
        )
  for (const [chainId, oracle] of Object.entries(catalog.priceOracles))
    add(Number(chainId), oracle, 'a price oracle')
  for (const { chainId, feed } of catalog.priceFeeds) add(chainId, feed, 'a price feed')
  return all
}

/** Every address in constants, at any depth; the ID of a pool of Balancer v2 begins with the pool's address. */
const addressesIn = (constants: object): string[] =>
  Object.entries(constants).flatMap(([name, value]) =>
    typeof value === 'string' &&
    (/^0x[0-9a-fA-F]{40}$/.test(value) || (name === 'id' && /^0x[0-9a-f]{64}$/.test(value)))
      ? [value.slice(0, 42)]
      : typeof value === 'object' && value !== null
        ? addressesIn(value)
        : [],
  )
