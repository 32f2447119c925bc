import fc from 'fast-check'
import { expect, test } from 'vitest'
import { brokenBetweenWords } from '../../../src/domain/text/broken-lines.ts'

test('brokenBetweenWords keeps every word whole, and a line is only as long as its terminal or one word', () => {
  const word = fc.stringMatching(/^[0-9a-zA-Z.]{1,42}$/)
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 1, maxLength: 20 }),
      fc.integer({ min: 20, max: 120 }),
      (words, width) => {
        const lines = brokenBetweenWords(words.join(' '), width).split('\n')
        expect(lines.flatMap((line) => line.trim().split(' '))).toEqual(words)
        for (const line of lines) expect(line.length <= width || !line.trim().includes(' ')).toBe(true)
      },
    ),
  )
  expect(brokenBetweenWords('signing: Allow 0xabc to take 100 USDC', 33)).toBe(
    'signing: Allow 0xabc to take 100\n  USDC',
  )
})
