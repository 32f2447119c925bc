import { type Address, nativeAddress, sameAddress } from '../../domain/address.ts'
import type { Token } from '../../domain/token.ts'

/** The names of chains in THORChain (recorded: thorchain-inbound-addresses.json of the facts), and of the sandbox's. */
const chains: Readonly<Record<number, string>> = {
  1: 'ETH',
  56: 'BSC',
  8453: 'BASE',
  43114: 'AVAX',
  31337: 'SANDONE',
  31338: 'SANDTWO',
}

/** A token as THORChain names it, such as `ETH.ETH` or `ETH.USDC-0XA0B8…`; `undefined` for a chain that it does not know. */
export function thorAsset({ chainId, address, symbol }: Token): string | undefined {
  const chain = chains[chainId]
  if (chain === undefined) return undefined
  return sameAddress(address, nativeAddress)
    ? `${chain}.${symbol}`
    : `${chain}.${symbol}-${address}`.toUpperCase()
}

/** THORChain counts every asset in 1e-8; what a token has more decimals for is zero, and what it has fewer for is cut off. */
export const fromThor = (amount: bigint, decimals: number): bigint =>
  decimals >= 8 ? amount * 10n ** BigInt(decimals - 8) : amount / 10n ** BigInt(8 - decimals)

/**
 * The memo of a swap: asset, destination and the least that it may bring in 1e-8, `null` without one. `limit` may be written as `12e3`, and
 * be followed by the parts of a streaming swap. `undefined` for a memo that is another one, or that pays a fee to somebody.
 */
export function readSwapMemo(
  memo: string,
): { asset: string; destination: string; limit: bigint | null } | undefined {
  const [, asset, destination, digits, power, affiliate] =
    /^(?:=|s|swap):([^:]+):([^:/]+):(?:(\d{1,30})(?:e(\d{1,2}))?)?(?:\/\d*){0,2}(?::(.*))?$/i.exec(memo) ?? []
  if (asset === undefined || destination === undefined || (affiliate ?? '').replaceAll(':', '') !== '')
    return undefined
  const limit = digits === undefined ? null : BigInt(digits) * 10n ** BigInt(power ?? 0)
  return { asset, destination, limit }
}

/**
 * Whether a memo names a token and nothing else: in full, by the last three or more digits of its contract, as memos are shortened to
 * fit, or by the short code of ETH.ETH (gitlab.com/thorchain/thornode issues 1402 and 1707). A symbol alone may be another token's.
 */
export function namesAsset(named: string, token: Token): boolean {
  const full = thorAsset(token)
  if (full === undefined) return false
  if (sameName(named, full) || (full === 'ETH.ETH' && named === 'e')) return true
  const [symbol, contract] = full.split('-')
  const [, short, digits] = /^(.+)-(?:0x)?([0-9a-f]{3,40})$/i.exec(named) ?? []
  return (
    contract !== undefined &&
    short !== undefined &&
    sameName(short, symbol!) &&
    contract.endsWith(digits!.toUpperCase())
  )
}

const sameName = (a: string, b: string): boolean => a.toUpperCase() === b.toUpperCase()

/** Whether a memo sends to a recipient. */
export const pays = (destination: string, recipient: Address): boolean => sameAddress(destination, recipient)
