import { describe, expect, test } from 'vitest'
import { didYouMean } from '../../../src/domain/text/did-you-mean.ts'

describe('the word that was probably meant', () => {
  test.each([
    ['sandbox-oen', '; did you mean sandbox-one?'],
    ['udsc', '; did you mean USDC?'],
    // Who wrote it right is not asked whether he meant it.
    ['usdc', ''],
    ['mars', ''],
  ])('%s', (word, says) => {
    expect(didYouMean(word, ['USDC', 'sandbox-one'])).toBe(says)
  })
})
