import { Chalk } from 'chalk'
import { expect, test, vi } from 'vitest'
import { writeDocument, written } from '../../../src/cli/output/document-writer.ts'
import { compileJq } from '../../../src/cli/output/jq.ts'
import { compileTemplate } from '../../../src/cli/output/template/run-template.ts'
import type { Stream } from '../../../src/cli/terminal/io-types.ts'

const stream = (isTerminal: boolean): Stream => ({
  write: () => undefined,
  isTerminal,
  columns: 80,
  paint: new Chalk({ level: isTerminal ? 1 : 0 }),
})
const document = {
  items: [
    { slug: 'a', apy: 0.05, tags: ['x', 'y'], at: '2026-11-29T08:00:00Z' },
    { slug: 'bbbb', apy: 0.1, tags: [], at: '2024-11-29T08:00:00Z' },
  ],
  total: 2,
  none: null,
  raw: '123456789012345678901234567890',
  foreign: 'x\u001b[31m\u202ey',
}
const now = () => Date.parse('2026-11-29T09:30:00Z')
const templated = (source: string, isTerminal = false) =>
  compileTemplate(source, now)(JSON.stringify(document), stream(isTerminal)).text
const queried = async (expression: string, isTerminal = false, limitMs?: number) => {
  const { shape, end } = await compileJq(expression, limitMs === undefined ? {} : { limitMs })
  try {
    return (await shape(JSON.stringify(document), stream(isTerminal))).text
  } finally {
    end()
  }
}

test.each([
  ['.items[].slug', 'a\nbbbb\n'],
  ['.none', '\n'],
  ['.raw, .total', '123456789012345678901234567890\n2\n'],
  ['.items[0] | {slug, tags}', '{"slug":"a","tags":["x","y"]}\n'],
  ['empty', ''],
  ['[.items[] | select(.apy > 1)]', '[]\n'],
  ['-1', '-1\n'],
  ['', `${JSON.stringify(document).replace('\u202e', '\\u202e')}\n`],
  // Neither the environment nor the files of this machine.
  ['$ENV | has("SLUICE_HOME")', 'false\n'],
])('--jq %s prints what gh prints', async (expression, text) => {
  expect(await queried(expression)).toBe(text)
})

test.each([
  ['.items[', /^--jq: syntax error/],
  ['nonesuch', /^--jq: nonesuch\/0 is not defined at <top-level>, line 1, column 1$/],
  ['import "m" as m; .', /^--jq: module not found: m$/],
])('--jq %s is refused with the words of jq before there is a document', async (expression, message) => {
  await expect(compileJq(expression)).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringMatching(message),
  })
})

test.each(['def f: f; f', 'repeat(1)', 'last(range(1e12))', '[limit(1; repeat(empty))]'])(
  '--jq %s, which never ends, is stopped',
  async (expression) => {
    await expect(queried(expression, false, 500)).rejects.toMatchObject({
      code: 'OUTPUT_FAILED',
      message: '--jq: the expression did not end within 0.5 s, and was stopped',
    })
  },
)

test('an expression that never ends is stopped after 10 s, with or without a time limit of the command', async () => {
  for (const limits of [{}, { timeOver: new AbortController().signal }]) {
    const { shape, end } = await compileJq('def f: f; f', limits)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      let said: unknown
      const shaped = Promise.resolve(shape('{}', stream(false))).catch((error: unknown) => {
        said = error
      })
      await vi.advanceTimersByTimeAsync(9_999)
      expect(said).toBeUndefined()
      await vi.advanceTimersByTimeAsync(1)
      await shaped
      expect(said).toMatchObject({
        code: 'OUTPUT_FAILED',
        message: '--jq: the expression did not end within 10 s, and was stopped',
      })
    } finally {
      vi.useRealTimers()
      end()
    }
  }
})

test('documents are shaped in the order in which they are written, and one that jq refuses fails them all', async () => {
  const shaping = await compileJq('if .n == 9 then error("nine") else .n end')
  const out: string[] = []
  const io = { out: { ...stream(false), write: (text: string) => void out.push(text) }, err: stream(false) }
  for (const n of [1, 2, 3]) writeDocument(io, { n }, { shaping })
  await written({ shaping })
  expect(out).toEqual(['1\n', '2\n', '3\n'])
  writeDocument(io, { n: 9 }, { shaping })
  await expect(written({ shaping })).rejects.toMatchObject({ code: 'OUTPUT_FAILED', message: '--jq: nine' })
  shaping.end()
})

test('a text of a document cannot move the cursor of a terminal through --jq or --template, and a pipe gets it whole', async () => {
  for (const shaped of [
    (on: boolean) => queried('.foreign', on),
    async (on: boolean) => `${templated('{{.foreign}}', on)}\n`,
  ]) {
    expect(await shaped(true)).toBe('x[31my\n')
    expect(await shaped(false)).toBe(`${document.foreign}\n`)
  }
})

test.each([
  ['{{range .items}}{{.slug}} {{.apy}}\n{{end}}', 'a 0.05\nbbbb 0.1\n'],
  [
    '{{range $i, $e := .items}}{{$i}}={{$e.slug}}{{if $e.tags}}:{{join "," $e.tags}}{{else}}!{{end}} {{end}}',
    '0=a:x,y 1=bbbb! ',
  ],
  [
    '{{range .items}}{{if eq .slug "bbbb"}}{{break}}{{end}}{{.slug}}{{end}}{{range .none}}{{else}}none{{end}}',
    'anone',
  ],
  ['{{range .items}}{{if eq .slug "a"}}{{continue}}{{end}}{{.slug}}{{end}}', 'bbbb'],
  ['{{- range .items -}}\n  {{ .slug }}\n{{- end }}', 'abbbb'],
  ['{{with .total}}{{.}}{{end}}{{with $x := .none}}{{$x}}{{else}}-{{end}}{{/* no text */}}', '2-'],
  ['{{$x := 1}}{{if .total}}{{$x = 5}}{{end}}{{range .items}}{{$x := .slug}}{{$x}}{{end}}{{$x}}', 'abbbb5'],
  ['{{.nothing}} {{.none}} {{.items.0}}', /fields/],
  ['{{timeago .none}}{{timefmt "2006" .nothing}}', ''],
  ['{{.nothing}} {{.none.deeper}}', '<no value> <no value>'],
  ['{{(index .items 1).slug}} {{pluck "slug" .items | join "+"}} {{len .items}}', 'bbbb a+bbbb 2'],
  [
    '{{range .items}}{{tablerow .slug (printf "%.2f" .apy) (timeago .at)}}{{end}}',
    'a\t0.05\tabout 1 hour ago\nbbbb\t0.10\tabout 2 years ago\n',
  ],
  [
    '{{timefmt "Jan 2, 2006 15:04 MST" (index .items 0).at}} {{truncate 6 "abcdefghij"}}',
    'Nov 29, 2026 08:00 UTC abc...',
  ],
  ['{{printf "%-4s|%4d|%q|%05.1f|%%" "ab" 42 "q" 3.14159}}', 'ab  |  42|"q"|003.1|%'],
  ['{{color "green+b" "x"}}{{hyperlink "https://a.example" "y"}}', 'xy'],
  ['{{if and .total (not .none) (gt .total 1)}}yes{{else if .total}}no{{else}}never{{end}}', 'yes'],
] as const)('--template %s', (source, text) => {
  if (typeof text === 'string') expect(templated(source)).toBe(text)
  else expect(() => templated(source)).toThrow()
})

test('tablerow aligns on a terminal, and color paints only there', () => {
  const source = '{{range .items}}{{tablerow (color "green" .slug) .apy}}{{end}}'
  expect(templated(source, true)).toBe('\u001b[32ma\u001b[39m     0.05\n\u001b[32mbbbb\u001b[39m  0.1\n')
  expect(templated(source)).toBe('a\t0.05\nbbbb\t0.1\n')
})

test.each([
  ['{{range .items}', 'line 1: unexpected "}"'],
  ['a\n{{range .items}}', 'line 2: {{range}} has no {{end}}'],
  ['{{end}}', 'line 1: {{end}} without an if, range or with before it'],
  ['{{truncat 5 .a}}', 'line 1: unknown function truncat; did you mean truncate?'],
  ['{{join .a}}', 'line 1: join takes 2 arguments, not 1'],
  ['{{.a | .b}}', 'line 1: a pipe leads to a value that is no function'],
  ['{{$z}}', 'line 1: undefined variable $z'],
  ['{{if .a}}{{$y := 1}}{{end}}{{$y}}', 'line 1: undefined variable $y'],
  ['{{break}}', 'line 1: {{break}} outside of a range'],
  ['{{define "x"}}{{end}}', 'line 1: {{define}} is not supported'],
  ['{{"a', 'line 1: unexpected """'],
  ['{{', 'line 1: an action has no }}'],
])('--template %s is refused before there is a document', (source, message) => {
  expect(() => compileTemplate(source, now)).toThrow(`--template, ${message}`)
})
