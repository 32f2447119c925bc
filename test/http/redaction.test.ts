import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sanitizeText } from '../../src/domain/text/terminal-sanitizing.ts'
import { createRedactor } from '../../src/http/redaction.ts'
import { gaps, ways, whole } from '../support/text-spellings.ts'

const visible = fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((n) => String.fromCharCode(n)) })
const key = fc
  .oneof(
    fc.string({ unit: fc.constantFrom(...'abcXYZ0189-_+/=&"\\<'), minLength: 8, maxLength: 40 }),
    fc.base64String({ minLength: 12, maxLength: 64 }),
    visible.filter((one) => one.length >= 8),
  )
  // A key that contains an escape or starts or ends with a backslash may be redacted only in part in mixed spellings.
  .filter((one) => !/%|&[#a-z]|^\\|\\$|\\[uxbfnrt"'/\\]/i.test(one))

describe('redaction of a secret', () => {
  test('removes it in every uniform spelling, even if it contains escapes', () => {
    fc.assert(
      fc.property(
        fc.oneof(key, fc.constantFrom('%41%42%43%44', '&amp;amp;x', 'a\\nb\\u0041', '\\'.repeat(40))),
        fc.constantFrom(...whole),
        (secret, way) => {
          const said = way(secret)
          const left = createRedactor([secret], '*')(`<${said}>`)
          expect(left).toContain('*')
          // Quotes and the base64 of the neighbouring characters may remain.
          expect(left.length).toBeLessThan(25)
        },
      ),
      { numRuns: 2_000 },
    )
  })

  test('removes it when each letter has another spelling and invisible characters are in between', () => {
    const letters = fc.array(fc.tuple(fc.constantFrom(...ways), fc.constantFrom(...gaps)), {
      minLength: 64,
      maxLength: 64,
    })
    fc.assert(
      fc.property(key, letters, (secret, drawn) => {
        const said = [...secret].map((one, at) => {
          const [way, gap] = drawn[at % drawn.length]!
          return `${at === 0 ? '' : gap}${way(one)}`
        })
        const left = createRedactor([secret], '*')(`before ${said.join('')} after`)
        expect(left).toBe('before * after')
      }),
      { numRuns: 2_000 },
    )
  })

  test('removes it when its letters are separated by characters that the terminal output drops', () => {
    for (let code = 0; code < 0x10000; code++) {
      const gap = String.fromCharCode(code)
      if (sanitizeText(gap) !== '') continue
      const left = createRedactor(['slk_secret-key'], '*')([...'slk_secret-key'].join(gap))
      expect({ code, left: sanitizeText(left) }).toEqual({ code, left: '*' })
    }
  })

  test('leaves other text unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(createRedactor(['slk_secret-key'], '*')(text)).toBe(text)
      }),
    )
  })

  test('handles a megabyte of adversarial text without a timeout', () => {
    const size = 1_000_000
    for (const [secret, unit] of [
      [`${'\\'.repeat(40)}x`, '\\'],
      [`${'a'.repeat(500)}b`, 'a'],
      [`b${'a'.repeat(500)}`, 'a'],
      ['%'.repeat(40), '%25'],
      [`${'&'.repeat(40)}x`, '&amp;'],
      ['&#00000000', '&#0'],
      ['xxxxxxxx', '\u200b'],
    ] as const) {
      const text = unit.repeat(size / unit.length)
      expect(createRedactor([secret], '*')(text).length).toBeGreaterThan(0)
    }
  })
})
