import { type Address, sameAddress } from '../domain/address.ts'
import type { Catalog } from './catalog.ts'

/**
 * Why funds sent to an address are lost, as the end of a sentence; `undefined` if they may be recoverable. The lowest addresses are precompiled
 * contracts without a key; for a router of Uniswap, 1 and 2 are the caller and the router (source: `Constants.MSG_SENDER` and
 * `Constants.ADDRESS_THIS` of @uniswap/swap-router-contracts). A contract of the catalogue keeps tokens that are transferred to it, or gives them to
 * its next caller. The coin (`isCoin`) may be sent to contracts, because some are used so.
 */
export function whyLost(catalog: Catalog, chainId: number, to: Address, isCoin = false): string | undefined {
  if (BigInt(to) === 0n) return 'the zero address'
  if (BigInt(to) < 0x1_0000n) return `${to}, which nobody has the key of`
  if (/^0xe{40}$/i.test(to)) return 'what stands for the native coin'
  if (isCoin) return undefined
  const isHere = (one: { chainId: number }) => one.chainId === chainId
  const token = catalog.tokens.find((one) => isHere(one) && sameAddress(one.address, to))
  if (token) return `the token ${token.symbol}`
  if (catalog.networks.some((one) => isHere(one) && sameAddress(one.multicall3 ?? '', to)))
    return 'Multicall3, which does for anybody what that asks for'
  const strategy = catalog.strategies.find(
    (one) =>
      isHere(one) && [one.receipt.address, ...addressesIn(one.constants)].some((at) => sameAddress(at, to)),
  )
  if (strategy) return `a contract of ${strategy.slug}`
  if (
    [...catalog.uniswapV3, ...catalog.cctpV2]
      .filter(isHere)
      .flatMap(addressesIn)
      .some((at) => sameAddress(at, to))
  )
    return 'a contract that swaps, and keeps nothing for anybody'
  return undefined
}

const addressesIn = (constants: object): string[] =>
  Object.values(constants).flatMap((value) =>
    typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value)
      ? [value]
      : typeof value === 'object' && value !== null
        ? addressesIn(value)
        : [],
  )
