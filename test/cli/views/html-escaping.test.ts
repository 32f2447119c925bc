import fc from 'fast-check'
import { expect, test } from 'vitest'
import { html, pageText } from '../../../src/cli/views/evidence-page.ts'

test('html escapes foreign text in attributes and elements', () => {
  const foreign = fc.string({ unit: fc.constantFrom('"', "'", '<', '>', '&', '=', ' ', 'a', '`') })
  fc.assert(
    fc.property(foreign, (text) => {
      const page = pageText(html`<a title="${text}" href='${text}'>${text}</a>`)
      const [, double, single, inside] = /^<a title="([^"]*)" href='([^']*)'>([^<]*)<\/a>$/.exec(page) ?? []
      const words = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }
      for (const part of [double, single, inside]) {
        const read = part!.replace(/&[a-z#0-9]+;/g, (entity) => words[entity as keyof typeof words])
        expect(read).toBe(text)
      }
    }),
    { numRuns: 300 },
  )
})
