/** Eight heights, the lowest first. */
const blocks = [...'▁▂▃▄▅▆▇█']
const letters = [...'_.-:=+*#']
/** What changes by a smaller part of itself is drawn as what stays: else the last digits would look like a fall. */
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
