import { type Address, nativeAddress, sameAddress } from './address.ts'
import { AppError } from './errors.ts'
import { type Network, sandboxNetworks } from './networks.ts'
import { advice, sluice } from './text/next-step.ts'
import { symbolMeant, tokensCalled } from './text/token-symbols.ts'

/** The unit of an amount: its symbol and number of decimals. */
export type Unit = { symbol: string; decimals: number }

/**
 * A token, identified by (chainId, address); the symbol is not unique. The native coin has the zero address.
 * `isShares` marks a vault's internal shares, which are no ERC-20: `getShares` reads them, and they cannot be
 * approved.
 */
export type Token = {
  chainId: number
  address: Address
  symbol: string
  decimals: number
  name: string
  isShares?: true
}

/** The native coin of a network, as a token. */
export const nativeToken = ({ chainId, native }: Network): Token => ({
  chainId,
  address: nativeAddress,
  symbol: native.symbol,
  decimals: native.decimals,
  name: native.symbol,
})

/** Finds a token by its chain and address. */
export const tokenAt = (tokens: readonly Token[], chainId: number, address: string): Token | undefined =>
  tokens.find((token) => token.chainId === chainId && sameAddress(token.address, address))

/** Lists the symbols of tokens; a symbol that several share is followed by the address. */
export const symbolsOf = (tokens: readonly Pick<Token, 'symbol' | 'address'>[]): string => {
  const isShared = ({ symbol }: Pick<Token, 'symbol'>) =>
    tokens.filter((other) => other.symbol.toLowerCase() === symbol.toLowerCase()).length > 1
  const names = tokens.map((token) => `${token.symbol}${isShared(token) ? ` (${token.address})` : ''}`)
  return [...new Set(names)].join(', ')
}

/** Returns the token with a name on a network: an address, or a symbol of exactly one known token, its own or another one of it. */
export function tokenNamed(tokens: readonly Token[], network: Network, name: string): Token {
  const here = [nativeToken(network), ...tokens.filter((token) => token.chainId === network.chainId)]
  const found = name.startsWith('0x')
    ? here.filter((token) => sameAddress(token.address, name))
    : tokensCalled(here, name)
  if (found.length === 1) return found[0]!
  if (found.length > 1)
    throw new AppError(
      'AMBIGUOUS_TOKEN',
      `${found.length} tokens on ${network.name} are called ${name}: ${found.map((token) => `${token.address} (${token.name})`).join(', ')}`,
      {
        details: { addresses: found.map((token) => token.address) },
      },
    )
  throw new AppError(
    'UNKNOWN_TOKEN',
    `There is no token "${name}" on ${network.name}${
      symbolMeant(
        name,
        here.map((token) => token.symbol),
      ) || '.'
    } Known: ${symbolsOf(here)}`,
    sandboxNetworks.some(({ chainId }) => chainId === network.chainId)
      ? { next: advice`Use one of these. For their addresses: ${sluice('sandbox status')}` }
      : {},
  )
}

/**
 * Returns the token that wraps the native coin: WETH, or wS on Sonic; `undefined` unless exactly one token has that
 * symbol.
 */
export function wrappedOf(
  { tokens }: { tokens: readonly Token[] },
  { chainId, symbol }: Pick<Token, 'chainId' | 'symbol'>,
): Token | undefined {
  const called = (name: string) =>
    tokens.filter((token) => token.chainId === chainId && token.symbol === name)
  const usual = called(`W${symbol}`)
  const found = usual.length > 0 ? usual : called(`w${symbol}`)
  return found.length === 1 ? found[0] : undefined
}

/** Returns the wrapped native coin of a chain; `undefined` if the catalogue has none. */
export function wrappedOn(
  catalog: { networks: readonly Network[]; tokens: readonly Token[] },
  chainId: number,
): Address | undefined {
  const network = catalog.networks.find((one) => one.chainId === chainId)
  return network && wrappedOf(catalog, { chainId, symbol: network.native.symbol })?.address
}
