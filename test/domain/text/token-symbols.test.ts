import { describe, expect, test } from 'vitest'
import { wholeCatalog } from '../../../src/app/profiles/catalog-of-configured-networks.ts'
import { assetFilter } from '../../../src/commands/strategies/list.ts'
import { AppError } from '../../../src/domain/errors.ts'
import { didYouMean } from '../../../src/domain/text/did-you-mean.ts'
import {
  otherSymbols,
  plainSymbol,
  slugsOfSameAsset,
  symbolMeant,
} from '../../../src/domain/text/token-symbols.ts'
import { nativeToken, type Token, tokenNamed } from '../../../src/domain/token.ts'

const { networks, tokens, strategies } = await wholeCatalog({ cache: '', data: '', config: '' } as never, {})
const hereOn = (chainId: number): Token[] => [
  ...networks.filter((one) => one.chainId === chainId).map(nativeToken),
  ...tokens.filter((one) => one.chainId === chainId),
]
/** Every symbol and other symbol of the catalogue, and assets that it does not have. */
const words = [
  ...new Set([
    ...networks
      .flatMap(({ chainId }) => hereOn(chainId))
      .flatMap((one) => [one.symbol, ...otherSymbols(one)]),
    ...[
      'USDD',
      'USDP',
      'TUSD',
      'BUSD',
      'USDX',
      'GUSD',
      'USDR',
      'USDB',
      'USD+',
      'crvUSD',
      'sUSD',
      'DAIx',
      'BTC',
      'WBTC2',
      'stBTC',
    ],
  ]),
]

/** What a word names on a network: a token, or the refusal. */
function named(chainId: number, word: string): Token | AppError {
  try {
    return tokenNamed(tokens, networks.find((one) => one.chainId === chainId)!, word)
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
}

describe('symbols of the catalogue', () => {
  test('every token has its own symbol, and its other symbols where no token of the network has them itself', () => {
    const wrong = networks.flatMap(({ chainId }) => {
      const here = hereOn(chainId)
      return here.flatMap((token) =>
        [token.symbol, ...otherSymbols(token)].flatMap((word) => {
          const own = here.filter(({ symbol }) => symbol.toLowerCase() === word.toLowerCase())
          const plain = here.filter(({ symbol }) => plainSymbol(symbol) === plainSymbol(word))
          const [expected] = own.length > 0 ? own : plain.length > 0 ? plain : [token]
          const found = named(chainId, word)
          // Two tokens with one symbol are named by their addresses.
          if (own.length > 1)
            return found instanceof AppError && found.code === 'AMBIGUOUS_TOKEN' ? [] : [`${chainId} ${word}`]
          return 'address' in found && found.address === expected!.address ? [] : [`${chainId} ${word}`]
        }),
      )
    })
    expect(wrong).toEqual([])
  })

  test.each([
    [42161, 'USDT', 'USDT0'],
    [137, 'usdt', 'USDT0'],
    [137, 'MATIC', 'POL'],
    [137, 'WMATIC', 'WPOL'],
    [42161, 'USD₮0', 'USDT0'],
    [42161, 'USDC', 'USDC'],
    [42161, 'USDCe', 'USDC.e'],
  ])('on %i, %s is %s', (chainId, word, symbol) => {
    expect(named(chainId, word)).toMatchObject({ symbol })
  })

  test('no suggestion names another asset', () => {
    const wrong = networks.flatMap(({ chainId }) =>
      words.flatMap((word) => {
        const found = named(chainId, word)
        const guess =
          found instanceof AppError ? /did you mean ([^?]+)\?/.exec(found.message)?.[1] : undefined
        return guess === undefined ? [] : [`${chainId}: ${word} is not ${guess}`]
      }),
    )
    expect(wrong).toEqual([])
    expect(symbolMeant('UDSC', ['USDT', 'USDC'])).toBe('; did you mean USDC?')
  })

  test('no suggestion for a strategy names one of another asset', () => {
    const symbols = [...strategies.map(({ asset }) => asset.symbol), ...tokens.map(({ symbol }) => symbol)]
    const slugs = strategies.map(({ slug }) => slug)
    // One market of each asset and protocol, and the words that are near enough to its symbol to be taken for it.
    const kinds = new Map(strategies.map((one) => [`${one.asset.symbol} ${one.slug.split('-')[0]}`, one]))
    const wrong = [...kinds.values()].flatMap(({ slug, asset }) =>
      words.flatMap((word) => {
        if (didYouMean(plainSymbol(word), [plainSymbol(asset.symbol)]) === '') return []
        const part = plainSymbol(asset.symbol)
        const typed = slug
          .split('-')
          .map((one) => (one === part ? plainSymbol(word) : one))
          .join('-')
        if (typed === slug) return []
        const guess = /did you mean ([^?]+)\?/.exec(
          didYouMean(typed, slugsOfSameAsset(typed, slugs, symbols)),
        )?.[1]
        const meant = strategies.find((one) => one.slug === guess)
        const isSame = !meant || plainSymbol(meant.asset.symbol) === plainSymbol(word)
        return isSame ? [] : [`${typed} is not ${guess}`]
      }),
    )
    expect(wrong).toEqual([])
    expect(didYouMean('aave-v3-udsc-base', slugsOfSameAsset('aave-v3-udsc-base', slugs, symbols))).toBe(
      '; did you mean aave-v3-usdc-base?',
    )
  })

  test('strategies list --asset finds the markets of a renamed token, and of no bridged one beside the asset itself', () => {
    const listed = (chainId: number, word: string) => {
      const every = strategies.filter((one) => one.chainId === chainId)
      return [...new Set(every.filter(assetFilter(word, tokens, every)).map(({ asset }) => asset.symbol))]
    }
    expect([listed(42161, 'USDT'), listed(137, 'usdt'), listed(1, 'USDT')]).toEqual([
      ['USDT0'],
      ['USDT0'],
      ['USDT'],
    ])
    expect(listed(42161, 'USDC')).toEqual(['USDC'])
    expect(listed(8453, 'USDT')).toEqual([])
  })
})
