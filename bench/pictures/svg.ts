import { type Run, size } from './screen.ts'

const cell = { width: 8.4, height: 19 }
const edge = 16
const bar = 30

/** The eight colours on a light and a dark background, each with readable contrast; bright colours are the same. */
const light = ['#24292f', '#b31d28', '#116329', '#7d4e00', '#0550ae', '#8250df', '#1b6f7a', '#57606a']
const dark = ['#8b949e', '#ff8f85', '#7ee787', '#e3b341', '#79c0ff', '#d2a8ff', '#76e3ea', '#c9d1d9']

const colours = (list: readonly string[]) => list.map((colour, at) => `.c${at}{fill:${colour}}`).join('')

const style = [
  '.ground{fill:#fff;stroke:#d0d7de}.bar{fill:#f6f8fa}.dot{fill:#d0d7de}',
  `text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;fill:#1f2328;white-space:pre}`,
  '.b{font-weight:700}.d{fill:#57606a}',
  colours(light),
  '@media(prefers-color-scheme:dark){.ground{fill:#0d1117;stroke:#30363d}.bar{fill:#161b22}.dot{fill:#30363d}text{fill:#e6edf3}.d{fill:#9198a1}',
  colours(dark),
  '}',
].join('')

/** A screen as a self-contained SVG: real text with a title and a description, in the colour scheme of the reader. */
export function svg(rows: readonly (readonly Run[])[], title: string, description: string): string {
  const width = Math.round(size.cols * cell.width + 2 * edge)
  const height = Math.round(rows.length * cell.height + bar + 2 * edge)
  const lines = rows.flatMap((row, at) => row.map((run) => textOf(run, at)))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title description" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<title id="title">${escaped(title)}</title>`,
    `<desc id="description">${escaped(description)}</desc>`,
    `<style>${style}</style>`,
    `<rect class="ground" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8"/>`,
    `<path class="bar" d="M1 ${bar}V9a8 8 0 0 1 8-8H${width - 9}a8 8 0 0 1 8 8V${bar}z"/>`,
    ...[20, 40, 60].map((x) => `<circle class="dot" cx="${x}" cy="15" r="6"/>`),
    `<text class="d" x="${width / 2}" y="20" text-anchor="middle">${escaped(title)}</text>`,
    ...lines,
    '</svg>',
    '',
  ].join('\n')
}

/** A run has a fixed width in every font, so that columns stay aligned. */
function textOf({ column, text, colour, bold, dim }: Run, row: number): string {
  const looks = [bold && 'b', dim && 'd', colour !== undefined && `c${colour % 8}`].filter(Boolean).join(' ')
  const x = number(edge + column * cell.width)
  const y = number(bar + edge + row * cell.height + 13)
  const long = number([...text].length * cell.width)
  const css = looks && ` class="${looks}"`
  return `<text x="${x}" y="${y}" textLength="${long}" lengthAdjust="spacingAndGlyphs"${css}>${escaped(text)}</text>`
}

const number = (value: number): string => String(Math.round(value * 10) / 10)

/** Text escaped for XML. */
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
