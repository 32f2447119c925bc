import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { pictures } from '../bench/pictures/shown.ts'
import { svg } from '../bench/pictures/svg.ts'
import { useCommands } from './support/use-commands.ts'
import { useSandbox } from './support/use-sandbox.ts'

const { run } = useCommands(useSandbox())
const root = join(import.meta.dirname, '..')
const read = (...path: string[]) => readFileSync(join(root, ...path), 'utf8')
const documents = [
  read('README.md').replaceAll('(docs/', '('),
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => read('docs', name)),
].join('\n')

describe.each(pictures)('the picture $name', ({ name, alt, before, lines, until }) => {
  const shown = read('docs', 'pictures', `${name}.svg`)

  test('is on a page with its alt text, and has its commands as title and its alt text as description', () => {
    expect(documents).toContain(`![${alt}](pictures/${name}.svg)`)
    const [title, description, ...texts] = textsOf(shown)
    expect(title).toBe(lines.map((line) => `sluice ${line}`).join(', '))
    expect(description).toBe(alt)
    if (name !== 'demo') for (const line of lines) expect(texts).toContain(`sluice ${line}`)
    if (until !== undefined) expect(texts.join(' ')).toContain(until)
  })

  test('is well-formed XML below 60 kB without scripts, references or local paths', () => {
    expect(isWellFormed(shown)).toBe(true)
    expect(shown.length).toBeLessThan(60_000)
    expect(shown.replace('xmlns="http://www.w3.org/2000/svg"', '')).not.toMatch(
      /<script|<image|<foreignObject|href|url\(|@import|http|\/(tmp|home|root)\/|127\.0\.0\.1/,
    )
  })

  // The demo has its own tests; the `before` lines of the strategies picture only change rates.
  test.skipIf(name === 'demo')('shows commands that still succeed', async () => {
    try {
      if (name === 'explain') for (const line of before) expect([0, 20]).toContain((await run(line)).exit)
      for (const line of lines) {
        const { exit } = await run(until === undefined ? line : `${line} --dry-run`)
        expect(exit).toBe(0)
      }
    } finally {
      await run('sandbox fault clear')
    }
  })
})

test('docs/pictures has exactly the pictures that are generated', () => {
  expect(readdirSync(join(root, 'docs', 'pictures')).sort()).toEqual(
    pictures.map(({ name }) => `${name}.svg`).sort(),
  )
})

test('svg escapes markup in text, and gives styled text its class and position', () => {
  const plain = { bold: false, dim: false }
  const odd = [
    { column: 0, text: '</text><script>&"', ...plain },
    { column: 30, text: 'red', colour: 9, bold: true, dim: false },
  ]
  const made = svg([odd, [], [{ column: 2, text: 'low', ...plain }]], 'a < b & c', '"quoted"')
  expect(isWellFormed(made)).toBe(true)
  expect(textsOf(made)).toEqual(['a < b & c', '"quoted"', 'a < b & c', '</text><script>&"', 'red', 'low'])
  expect(made).toMatch(/class="b c1">red</)
  const at = [...made.matchAll(/<text x="([\d.]+)" y="([\d.]+)" textLength="([\d.]+)"/g)].map((one) =>
    one.slice(1).map(Number),
  )
  expect(at.map(([x]) => x)).toEqual([16, 268, 32.8])
  expect(at[2]![1]! - at[0]![1]!).toBe(38)
  expect(at[1]![2]).toBeCloseTo(3 * 8.4)
})

test('isWellFormed rejects documents that are not well-formed', () => {
  for (const bad of ['<a>', '<a></b>', '<a>&</a>', '<a b=c/>', '<a/><b/>', '<a>x</a>y', '<a b="<"/>'])
    expect({ bad, is: isWellFormed(bad) }).toEqual({ bad, is: false })
})

/** Whether a text is one XML element with all elements closed and all texts escaped. */
function isWellFormed(text: string): boolean {
  const open: string[] = []
  let roots = 0
  const tokens = /<(\/?)([A-Za-z]+)((?: [\w-]+="[^"<&]*")*)(\/?)>|((?:[^<&]|&(?:amp|lt|gt|quot);)+)/y
  const whole = text.trim()
  while (tokens.lastIndex < whole.length) {
    const found = tokens.exec(whole)
    if (!found) return false
    const [, closes, name, , empty, words] = found
    if (words !== undefined && open.length === 0) return false
    if (name === undefined) continue
    if (closes && open.pop() !== name) return false
    if (!closes && open.length === 0) roots++
    if (!closes && !empty) open.push(name)
  }
  return open.length === 0 && roots === 1
}

/** The title, the description and the texts of a picture in reading order, unescaped. */
const textsOf = (shown: string): string[] =>
  [...shown.matchAll(/<(?:title|desc|text)[^>]*>([^<]*)</g)].map(([, text]) =>
    text!.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&'),
  )
