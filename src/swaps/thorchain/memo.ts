import { type Address, nativeAddress, sameAddress } from '../../domain/address.ts'
import type { Token } from '../../domain/token.ts'

/** The chain names of THORChain (recorded: test/swaps/samples/thorchain-inbound-addresses.json), and those of the sandbox. */
const chains: Readonly<Record<number, string>> = {
  1: 'ETH',
  56: 'BSC',
  8453: 'BASE',
  43114: 'AVAX',
  31337: 'SANDONE',
  31338: 'SANDTWO',
}

/** The short codes that nodes write for coins in memos (`ShortCode` of thornode, common/asset.go). */
const shortCodes: Readonly<Record<string, string>> = {
  'ETH.ETH': 'e',
  'BASE.ETH': 'f',
  'AVAX.AVAX': 'a',
  'BSC.BNB': 's',
}

/** The THORChain name of a token, such as `ETH.ETH` or `ETH.USDC-0XA0B8…`; `undefined` for an unsupported chain. */
export function thorAsset({ chainId, address, symbol }: Token): string | undefined {
  const chain = chains[chainId]
  if (chain === undefined) return undefined
  return sameAddress(address, nativeAddress)
    ? `${chain}.${symbol}`
    : `${chain}.${symbol}-${address}`.toUpperCase()
}

/** Converts an amount from THORChain's 1e-8 to the token's decimals; excess digits are cut off. */
export const fromThor = (amount: bigint, decimals: number): bigint =>
  decimals >= 8 ? amount * 10n ** BigInt(decimals - 8) : amount / 10n ** BigInt(8 - decimals)

/**
 * Parses a swap memo: asset, destination and minimum output in 1e-8, `null` without one. The minimum may be written as `12e3`, and
 * streaming parameters may follow it. `undefined` for other memos, and for one with an affiliate fee.
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
 * Whether a memo's asset is exactly this token: its full name, the last three or more digits of its contract (memos are shortened to fit),
 * or the short code of a coin. A symbol alone could be another token.
 */
export function namesAsset(named: string, token: Token): boolean {
  const full = thorAsset(token)
  if (full === undefined) return false
  if (sameName(named, full) || shortCodes[full] === named) return true
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

/** Whether a memo's destination is the recipient. */
export const isDestination = (destination: string, recipient: Address): boolean =>
  sameAddress(destination, recipient)
