const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/**
 * A time in ms in one unit, rounded: `20 minutes`, `2 days`. The unit is the largest of which there are at least two and whose rounding changes the
 * time by at most 10%: 150 s are `150 seconds`. Every duration that is printed in words comes from here. `round` is for one that must not be
 * longer (`Math.floor`), or should not be shorter (`Math.ceil`): up to 5% above a whole number it is that number, so a wait of 121 s is `2 minutes`.
 */
export function spanText(ms: number, round: (value: number) => number = Math.round): string {
  const seconds = Math.max(0, round(ms / 1000))
  const all = units.filter(([, size]) => seconds >= 2 * size)
  for (const [name, size] of all.length > 0 ? all : units.filter(([, one]) => seconds >= one)) {
    const exact = seconds / size
    const [near, bound] = [Math.round(exact), round(exact)]
    const count = near < bound && exact - near <= exact / 20 ? near : bound
    if (Math.abs(count - exact) <= exact / 10) return `${count} ${name}${count === 1 ? '' : 's'}`
  }
  return '0 seconds'
}

/** A time in epoch ms in UTC, to the second: `2026-11-29 12:00:00Z`. */
export const momentText = (at: number): string =>
  new Date(at)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.[0-9]+Z$/, 'Z')
