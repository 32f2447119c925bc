import { Chalk, type ChalkInstance } from 'chalk'

type Env = Readonly<Record<string, string | undefined>>

/** How a stream may be painted. */
type Palette = { noColor: boolean; env: Env; isTerminal: boolean }

const isSaid = (value: string | undefined): boolean => value !== undefined && value !== ''

/** Decides about all colours and links: on terminals that support them, unless `--no-color` or `NO_COLOR`; never in a pipe. */
export function isPainted({ noColor, env, isTerminal }: Palette): boolean {
  if (noColor || isSaid(env.NO_COLOR)) return false
  return isTerminal && env.TERM !== 'dumb' && env.CLICOLOR !== '0'
}

/** Passes the decision to libraries that read the environment (prompts, spinner). */
export function tellLibraries(env: Record<string, string | undefined>, isOn: boolean): void {
  delete env.FORCE_COLOR
  delete env.CLICOLOR_FORCE
  if (!isOn) env.NO_COLOR = '1'
}

/** Whether a terminal shows more than ASCII: a locale of UTF-8, and a terminal that is one. On Windows every one in use does. */
export function hasUnicode(env: Env, platform: string = process.platform): boolean {
  if (env.TERM === 'dumb' || env.TERM === 'linux') return false
  if (platform === 'win32') return true
  const locale = [env.LC_ALL, env.LC_CTYPE, env.LANG].find(isSaid)
  return /utf-?8/i.test(locale ?? '')
}

/** Paint that leaves every text as it is. */
export const unpainted: ChalkInstance = new Chalk({ level: 0 })

const colourNames = 'black red green yellow blue magenta cyan white'.split(' ')
const attributes: Readonly<Record<string, 'bold' | 'dim' | 'underline' | 'inverse' | 'strikethrough'>> = {
  b: 'bold',
  d: 'dim',
  u: 'underline',
  i: 'inverse',
  s: 'strikethrough',
}

/** The paint of a style such as `green`, `red+b` or `black:white+h` (colour, attributes, background); `undefined` for an unknown one. */
export function paintFor(style: string, paint: ChalkInstance): ChalkInstance | undefined {
  const [, front = '', marks = '', back = '', backMarks = ''] =
    /^([a-z]*)(?:\+([bduish]+))?(?::([a-z]*)(?:\+(h))?)?$/.exec(style) ?? []
  if (style === '' || ![front, back].every((name) => ['', 'default', ...colourNames].includes(name)))
    return undefined
  let painted = paint
  const isColour = (name: string) => colourNames.includes(name)
  if (isColour(front)) painted = painted[`${front}${marks.includes('h') ? 'Bright' : ''}` as 'red']
  if (isColour(back))
    painted =
      painted[`bg${back[0]!.toUpperCase()}${back.slice(1)}${backMarks === 'h' ? 'Bright' : ''}` as 'bgRed']
  for (const mark of marks) if (attributes[mark]) painted = painted[attributes[mark]]
  return front === '' && marks === '' && back === '' ? undefined : painted
}

/** A text that opens an address when it is clicked, for a terminal that understands it. */
export const hyperlink = (text: string, url: string): string =>
  `\u001b]8;;${url}\u0007${text}\u001b]8;;\u0007`

/** Whether a variable of the environment is set to something other than `false`. */
export const isSet = (value: string | undefined): boolean =>
  value !== undefined && value !== '' && value !== 'false'
