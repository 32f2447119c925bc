import { expect, test } from 'vitest'
import { escapeJsonText, sanitizeOutput, sanitizeText } from '../../../src/domain/text/terminal-sanitizing.ts'

const unseen = ['\u2028', '\u2029', '\u202e', '\u2066', '\u200b', '\u{e0041}', '\u{e007f}', '\u0085']

test.each(unseen)(
  'invisible and line-ending characters are removed from text and escaped in JSON (%j)',
  (character) => {
    const text = `USD${character}C`
    expect(sanitizeText(text)).toBe('USDC')
    expect(sanitizeOutput(text, true)).toBe('USDC')
    const json = escapeJsonText(JSON.stringify({ text }))
    expect(json).toMatch(/^[\x20-\x7e]*$/)
    expect(JSON.parse(json)).toEqual({ text })
  },
)

test('visible characters of every script stay unchanged', () => {
  const text = 'Zürich 東京 🦊 e\u0301'
  expect(sanitizeText(text)).toBe(text)
  expect(escapeJsonText(JSON.stringify(text))).toBe(JSON.stringify(text))
})
