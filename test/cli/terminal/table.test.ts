import { stripVTControlCharacters } from 'node:util'
import { Chalk } from 'chalk'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { emitList } from '../../../src/cli/output/output.ts'
import type { Column, ListView } from '../../../src/cli/output/view-types.ts'
import { addressLink, hashLink } from '../../../src/cli/terminal/explorer-links.ts'
import type { Stream } from '../../../src/cli/terminal/io-types.ts'
import { fieldTable, table } from '../../../src/cli/terminal/table.ts'
import { hasUnicode, hyperlink, isPainted } from '../../../src/cli/terminal/terminal-abilities.ts'
import { wrapText } from '../../../src/cli/terminal/text-wrap.ts'
import { adviceText } from '../../../src/domain/text/next-step.ts'
import { sanitizeOutput } from '../../../src/domain/text/terminal-sanitizing.ts'

const stream = (more: Partial<Stream> = {}): Stream => ({
  write: () => undefined,
  isTerminal: true,
  columns: 80,
  paint: new Chalk({ level: 0 }),
  ...more,
})
const lines = (text: string) => text.split('\n')

type Row = { id: string; words: string; count: string }
const columns: Column<Row>[] = [
  { title: 'ID', field: 'id', csv: {}, text: ({ id }) => id },
  { title: 'WORDS', field: 'words', csv: {}, text: ({ words }) => words, drop: 2 },
  { title: 'COUNT', field: 'count', csv: {}, align: 'right', text: ({ count }) => count, drop: 1 },
]
const word = (most: number) => fc.stringMatching(new RegExp(`^[a-z][a-z ]{0,${most}}[a-z]$`))
const row = fc.record({
  id: word(12),
  words: word(60),
  count: fc.bigInt({ min: 0n, max: 10n ** 18n }).map(String),
})

test('table fits its terminal, or shows only the column that cannot be dropped', () => {
  fc.assert(
    fc.property(
      fc.array(row, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 10, max: 100 }),
      (rows, width) => {
        const shown = lines(table(columns, rows, stream({ columns: width })))
        const fits = shown.every((line) => line.length <= width || /^[A-Za-z,()-]+$/.test(line))
        expect(fits || shown[0] === 'ID').toBe(true)
        for (const [at, { id }] of rows.entries()) expect(shown[at + 1]!.startsWith(id)).toBe(true)
        // WORDS (drop 2) goes before COUNT (drop 1), and a number is never cut.
        if (shown[0]!.includes('WORDS')) expect(shown[0]).toContain('COUNT')
        for (const [at, { count }] of rows.entries())
          if (shown[0]!.includes('COUNT')) expect(shown[at + 1]!.endsWith(count)).toBe(true)
      },
    ),
    { numRuns: 300 },
  )
})

test('colours change no line break, no column and no space, at any width', () => {
  const coloured = stream({ paint: new Chalk({ level: 2 }) }).paint
  const plain = stream().paint
  const texts: Column<Row>[] = columns.map((column) => ({
    ...column,
    text: (row, paint) => paint.green(column.text(row, paint, 0)),
  }))
  const shownIn = (rows: Row[], width: number, paint: Stream['paint']) => {
    const to = stream({ columns: width, paint })
    const fields = rows.map(({ id, words }) => [id, paint.red(words)] as const)
    const sentence = `${paint.red('error')} ${rows.map(({ words }) => words).join(' ')} ${paint.dim('(CODE)')}`
    return stripVTControlCharacters(
      [table(texts, rows, to), fieldTable(fields, to), wrapText(sentence, to)].join('\n'),
    )
  }
  fc.assert(
    fc.property(
      fc.array(row, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 30, max: 100 }),
      (rows, width) => {
        expect(shownIn(rows, width, coloured)).toBe(shownIn(rows, width, plain))
      },
    ),
    { numRuns: 100 },
  )
})

test('table drops an empty column before one with content, whatever its rank', () => {
  const rows = [{ id: 'one', words: 'two words', count: '' }]
  const heads = (width: number) => lines(table(columns, rows, stream({ columns: width })))[0]
  expect(heads(30)).toBe('ID   WORDS      COUNT')
  expect(heads(18)).toBe('ID   WORDS')
})

test('table drops a column that is whole where another of its width is shortened', () => {
  const rows = [{ id: 'one', words: '2026-11-29 13:14:59Z', count: '' }]
  const [id, words] = columns as [Column<Row>, Column<Row>]
  const fields = (column: Column<Row>) => lines(table([id, column], rows, stream({ columns: 18 })))
  expect(fields(words)).toEqual(['ID   WORDS', 'one  2026-11-29 1…'])
  expect(fields({ ...words, whole: true }).slice(0, 2)).toEqual(['ID', 'one'])
})

test('table names the columns that it drops, and stacks a row whose columns that never drop are too wide', () => {
  const rows = [{ id: 'one', words: 'two words', count: '12345' }]
  expect(lines(table(columns, rows, stream({ columns: 12 })))).toEqual([
    'ID   COUNT',
    'one  12345',
    'Not shown:',
    'WORDS (a',
    'wider',
    'terminal or',
    '--json shows',
    'them)',
  ])
  const [id, words, count] = columns as [Column<Row>, Column<Row>, Column<Row>]
  const { drop: _, ...status } = { ...words, title: 'STATUS' }
  expect(lines(table([id, status, count], rows, stream({ columns: 13 })))).toEqual([
    'ID',
    '  STATUS',
    'one',
    '  two words',
    'Not shown:',
    'COUNT (a',
    'wider',
    'terminal or',
    '--json shows',
    'them)',
  ])
})

test('table gives the column of hashes its own line where a row does not fit, and cuts none', () => {
  const hash = `0x${'ab'.repeat(32)}`
  const [id, , count] = columns as [Column<Row>, Column<Row>, Column<Row>]
  const { drop: _, ...amount } = count
  const last: Column<Row> = {
    title: 'HASH',
    field: 'words',
    csv: {},
    text: ({ words }) => words,
    ownLine: true,
  }
  const shown = (width: number) =>
    lines(table([id, amount, last], [{ id: 'one', words: hash, count: '12345' }], stream({ columns: width })))
  expect(shown(70)).toEqual(['HASH', '  ID   COUNT', hash, '  one  12345'])
  expect(shown(90)).toEqual(['ID   COUNT  HASH', `one  12345  ${hash}`])
})

test('wrapText breaks lines between words on a terminal, and leaves commands and pipes alone', () => {
  const text =
    'one two three four five six\n  sluice action resume 0f8fad5b --yes\n  seven eight nine ten eleven'
  const to = stream({ columns: 20 })
  expect(lines(wrapText(text, to))).toEqual([
    'one two three four',
    '  five six',
    '  sluice action resume 0f8fad5b --yes',
    '  seven eight nine',
    '    ten eleven',
  ])
  expect(wrapText(text, { ...to, isTerminal: false })).toBe(text)
})

test('table keeps every cell whole in a pipe', () => {
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 8 }), (rows) => {
      const shown = lines(table(columns, rows, stream({ isTerminal: false, columns: 20 })))
      for (const [at, { id, words, count }] of rows.entries())
        for (const part of [id, words, count]) expect(shown[at + 1]).toContain(part)
    }),
  )
})

test('fieldTable wraps long text between words and keeps hashes and commands whole', () => {
  const words = 'one two three four five six seven eight'
  const hash = `0x${'ab'.repeat(32)}`
  const command = 'sluice action resume 0f8fad5b-d9cb-469f-a165-70867728950e --yes'
  const rows = [
    ['said', words],
    ['hash', hash],
    ['next', command],
  ] as const
  expect(lines(fieldTable(rows, stream({ columns: 30 })))).toEqual([
    'said  one two three four five',
    '      six seven eight',
    'hash',
    `    ${hash}`,
    `next  ${command}`,
  ])
  expect(lines(fieldTable(rows, stream({ columns: 30, isTerminal: false })))).toEqual(
    rows.map(([label, text]) => `${label}  ${text}`),
  )
})

test('table ends cut text with an ellipsis and counts wide characters as two columns', () => {
  const one = { id: 'a', words: '漢字漢字漢字漢字漢字', count: '7' }
  const other = { id: 'b', words: 'plain words of it', count: '8' }
  expect(lines(table(columns, [one, other], stream()))).toEqual([
    'ID  WORDS                 COUNT',
    'a   漢字漢字漢字漢字漢字      7',
    'b   plain words of it         8',
  ])
  expect(lines(table(columns, [one, other], stream({ columns: 24 })))).toEqual([
    'ID  WORDS          COUNT',
    'a   漢字漢字漢字…      7',
    'b   plain words …      8',
  ])
})

test('isPainted follows --no-color, NO_COLOR and the terminal; hasUnicode follows the locale', () => {
  const on = (env: Record<string, string>, isTerminal = true, noColor = false) =>
    isPainted({ env, isTerminal, noColor })
  expect(on({ TERM: 'xterm' })).toBe(true)
  expect(on({}, false)).toBe(false)
  expect(on({ TERM: 'dumb' })).toBe(false)
  expect(on({ CLICOLOR: '0' })).toBe(false)
  expect(on({ NO_COLOR: '' })).toBe(true)
  for (const forced of [{ CLICOLOR_FORCE: '1' }, { FORCE_COLOR: '1' }, { FORCE_COLOR: '' }]) {
    expect(on(forced, false)).toBe(false)
    expect(on(forced)).toBe(true)
    expect(on(forced, true, true)).toBe(false)
    expect(on({ ...forced, NO_COLOR: '1' })).toBe(false)
  }
  expect(hasUnicode({ LANG: 'en_US.UTF-8' }, 'linux')).toBe(true)
  expect(hasUnicode({ LANG: 'en_US.UTF-8', LC_ALL: 'C' }, 'linux')).toBe(false)
  expect(hasUnicode({ LANG: 'C.UTF-8', TERM: 'dumb' }, 'linux')).toBe(false)
})

test('hashes and addresses link to the explorer of a known network; other text gets no link', () => {
  const to = stream({ link: hyperlink, paint: new Chalk({ level: 1 }) })
  const hash = `0x${'ab'.repeat(32)}`
  const address = '0x1F708C24a0D3A740cD47cC0444E9480899f3dA7D'
  expect(hashLink(to, 'base', hash)).toBe(
    `\u001b]8;;https://basescan.org/tx/${hash}\u0007${hash}\u001b]8;;\u0007`,
  )
  expect(addressLink(to, 'ethereum', address)).toContain(`https://etherscan.io/address/${address}`)
  for (const [network, text] of [
    ['sandbox-one', hash],
    ['base', `${hash}?`],
    ['base', 'x'],
    ['evil.example', hash],
  ] as const)
    expect(hashLink(to, network, text)).toBe(text)
  expect(hashLink(stream(), 'base', hash)).toBe(hash)
  // sanitizeOutput keeps these links where colours are on, and removes every other control sequence.
  const link = hashLink(to, 'base', hash)
  expect(sanitizeOutput(link, true)).toBe(link)
  expect(sanitizeOutput(link, false)).not.toMatch(/\p{Cc}/u)
  expect(sanitizeOutput(hyperlink('click', 'https://evil.example/'), true)).not.toContain('\u001b]8;;https')
  expect(sanitizeOutput('\u001b[31mred\u001b[39m', false)).toBe('red')
})

test('emitList as CSV marks formulas as text, keeps negative numbers and leaves missing values empty', async () => {
  let out = ''
  const to = stream({
    isTerminal: false,
    write: (text) => {
      out += text
    },
  })
  const globals = {
    json: false,
    csv: true,
    quiet: false,
    raw: false,
    debug: false,
    color: true,
    input: true,
    yes: false,
  }
  const items = [
    '=1+1',
    '+cmd',
    '-cmd',
    '@SUM(A1)',
    '\tx',
    '\r=1',
    ' =1',
    '-5.25',
    '+1',
    '-1e-7',
    '-',
    'a=b',
    'x,y',
    '\u200b=1+1',
    '\u202e\u200b-cmd',
    '\uff1d1',
    '\uff0bcmd',
    '\uff0dcmd',
    '\uff20SUM(A1)',
  ]
  const list = {
    items: items.map((text) => ({ text })),
    page: 1,
    limit: 20,
    total: items.length,
    hasMore: false,
  }
  const view = {
    columns: [{ title: 'TEXT', field: 'text', csv: { text: ({ text }) => text }, text: ({ text }) => text }],
    empty: '',
  } satisfies ListView<{ text: string }>
  await emitList({ out: to, err: to, canAsk: false }, globals, list, view, adviceText)
  expect(lines(out).slice(1, -1)).toEqual([
    "'=1+1",
    "'+cmd",
    "'-cmd",
    "'@SUM(A1)",
    "'x",
    "'=1",
    "' =1",
    '-5.25',
    '+1',
    '-1e-7',
    "'-",
    'a=b',
    '"x,y"',
    "'=1+1",
    "'-cmd",
    "'\uff1d1",
    "'\uff0bcmd",
    "'\uff0dcmd",
    "'\uff20SUM(A1)",
  ])
})
