import { describe, expect, test } from 'vitest'
import { didYouMean, didYouMeanWhole } from '../../../src/domain/text/did-you-mean.ts'

describe('didYouMean', () => {
  test.each([
    ['sandbox-oen', '; did you mean sandbox-one?'],
    ['udsc', '; did you mean USDC?'],
    // A correct word gets no suggestion.
    ['usdc', ''],
    ['mars', ''],
  ])('%s: %j', (word, says) => {
    expect(didYouMean(word, ['USDC', 'sandbox-one'])).toBe(says)
  })
})

describe('didYouMeanWhole', () => {
  const known = ['aave-v3-usdc-base', 'aave-v3-usdc-arbitrum', 'morpho-usdc-base', 'aave-v3-weth-base']
  test.each([
    ['aave-usdc', '; did you mean aave-v3-usdc-base or aave-v3-usdc-arbitrum?'],
    ['USDC-base', '; did you mean morpho-usdc-base or aave-v3-usdc-base?'],
    ['base-weth', '; did you mean aave-v3-weth-base?'],
    ['aave-dai', ''],
    // A whole id is known or unknown, and has nothing left out.
    ['aave-v3-usdc-base', ''],
  ])('%s: %j', (typed, says) => {
    expect(didYouMeanWhole(typed, known)).toBe(says)
  })
})
