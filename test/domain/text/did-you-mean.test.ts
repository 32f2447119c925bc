import { describe, expect, test } from 'vitest'
import { didYouMean } from '../../../src/domain/text/did-you-mean.ts'

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
