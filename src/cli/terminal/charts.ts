import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { percent } from './format.ts'
import type { Stream } from './io-types.ts'

/** Eight heights, the lowest first. */
const blocks = [...'▁▂▃▄▅▆▇█']
const letters = [...'_.-:=+*#']
/** A series with a tiny relative change is drawn flat, else its last digits would look like a fall. */
const least = 0.01

/**
 * A series as one character a value, the lowest value the lowest character: `▁▃▆█`. A series that is longer than `width` is
 * averaged; one that hardly changes, by less than a hundredth of itself, is a line in the middle; one of nothing is an empty text.
 */
export function sparkline(
  values: readonly number[],
  { width, ascii = false }: { width: number; ascii?: boolean },
): string {
  const shown = averaged(values, width)
  const [low, high] = [Math.min(...shown), Math.max(...shown)]
  const isFlat = high - low <= Math.abs(high) * least
  const heights = ascii ? letters : blocks
  const top = heights.length - 1
  return shown
    .map((value) => heights[!isFlat ? Math.round(((value - low) / (high - low)) * top) : top >> 1]!)
    .join('')
}

/** A series in no more than so many values, each the mean of its part. */
function averaged(values: readonly number[], width: number): readonly number[] {
  if (values.length <= width) return values
  return Array.from({ length: width }, (_, at) => {
    const part = values.slice(
      Math.floor((at * values.length) / width),
      Math.floor(((at + 1) * values.length) / width),
    )
    return part.reduce((sum, value) => sum + value, 0) / part.length
  })
}

type Point = { at: string; apy: number }

const height = 10
const asciiSymbols = ['+', '|', '-', '-', '-', '\\', '/', '\\', '/', '|']

/** A history of rates as a chart as wide as the terminal: the axis in percent, the first and the last day below. At least one point. */
export async function plot(points: readonly Point[], to: Stream): Promise<string> {
  const { default: chart } = await import('asciichart')
  // An absurd rate would flatten all others.
  const rates = points.map(({ apy }) => Math.max(-1e6, Math.min(1e6, apy)))
  const [low, high] = [Math.min(...rates), Math.max(...rates)]
  const spread = high - low
  const isFlat = spread < 1e-9
  // As many decimals as the steps of the axis differ by.
  const digits = isFlat ? 2 : Math.min(8, Math.max(2, Math.ceil(-Math.log10((100 * spread) / height))))
  const axis = Math.max(...rates.map((rate) => percent(rate, digits).length))
  const room = Math.max(8, Math.min(to.columns, 100) - axis - 1)
  const drawn = chart.plot(stretched(rates, room), {
    height,
    offset: 2,
    // A rate that never changes is drawn in the middle.
    ...(isFlat && { min: low - 0.001, max: high + 0.001 }),
    format: (rate) => percent(rate, digits).padStart(axis),
    ...(to.ascii && { symbols: asciiSymbols }),
  })
  const [first, last] = [points[0]!, points.at(-1)!].map(({ at }) => sanitizeText(at).slice(0, 10)) as [
    string,
    string,
  ]
  const width = Math.max(...drawn.split('\n').map((line) => line.trimEnd().length))
  const days = first === last ? first : `${first}${last.padStart(width - axis - 1 - first.length)}`
  return `${drawn
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')}\n${' '.repeat(axis + 1)}${days}`
}

/** A series resampled to a number of values, in steps: no value is interpolated between measured days. */
const stretched = (values: readonly number[], width: number): number[] =>
  Array.from({ length: width }, (_, at) => values[Math.floor((at * values.length) / width)]!)
