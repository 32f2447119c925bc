import { type Address, nativeAddress, sameAddress } from './address.ts'
import { AppError } from './errors.ts'
import { type Network, sandboxNetworks } from './networks.ts'
import { didYouMean } from './text/did-you-mean.ts'

/**
 * A token. Its identity is (chainId, address); the symbol is only a word. The native coin is the zero address. `isShares`: what a vault keeps
 * to itself, which is no ERC-20: who has how much of it is asked by `getShares`, and nobody can be let to take it.
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

/** The token at an address of a chain, if it is one of these. */
export const tokenAt = (tokens: readonly Token[], chainId: number, address: string): Token | undefined =>
  tokens.find((token) => token.chainId === chainId && sameAddress(token.address, address))

/** The symbols of tokens, in words; where more than one has a symbol, each with its address. */
export const symbolsOf = (tokens: readonly Pick<Token, 'symbol' | 'address'>[]): string => {
  const isShared = ({ symbol }: Pick<Token, 'symbol'>) =>
    tokens.filter((other) => other.symbol.toLowerCase() === symbol.toLowerCase()).length > 1
  const names = tokens.map((token) => `${token.symbol}${isShared(token) ? ` (${token.address})` : ''}`)
  return [...new Set(names)].join(', ')
}

/** The token that a person names on a network: by address, or by a symbol that only one known token has. */
export function tokenNamed(tokens: readonly Token[], network: Network, name: string): Token {
  const here = [nativeToken(network), ...tokens.filter((token) => token.chainId === network.chainId)]
  const found = name.startsWith('0x')
    ? here.filter((token) => sameAddress(token.address, name))
    : here.filter((token) => token.symbol.toLowerCase() === name.toLowerCase())
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
      didYouMean(
        name,
        here.map((token) => token.symbol),
      ) || '.'
    } Known: ${symbolsOf(here)}`,
    sandboxNetworks.some(({ chainId }) => chainId === network.chainId)
      ? { hint: 'Name one of those; see their addresses: sluice sandbox status' }
      : {},
  )
}

/** The token that wraps the native coin and has its price: WETH, or wS on Sonic; `undefined` unless exactly one token has that symbol. */
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

/** The wrapped native coin of a chain; `undefined` if the catalogue has none. */
export function wrappedOn(
  catalog: { networks: readonly Network[]; tokens: readonly Token[] },
  chainId: number,
): Address | undefined {
  const network = catalog.networks.find((one) => one.chainId === chainId)
  return network && wrappedOf(catalog, { chainId, symbol: network.native.symbol })?.address
}
