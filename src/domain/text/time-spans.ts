const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/**
 * A time in ms in one unit, rounded: `20 minutes`, `1 day`. A unit is used from two of it on, so that little is lost. Every duration
 * that is printed in words comes from here; `round` is for one that must not be shorter (`Math.ceil`) or longer (`Math.floor`).
 */
export function spanText(ms: number, round: (value: number) => number = Math.round): string {
  const seconds = Math.max(0, round(ms / 1000))
  const [name, size] = units.find(([, one]) => seconds >= 2 * one) ??
    units.find(([, one]) => seconds >= one) ?? ['second', 1]
  const count = round(seconds / size)
  return `${count} ${name}${count === 1 ? '' : 's'}`
}

/** A time in epoch ms in UTC, to the second: `2026-11-29 12:00:00Z`. */
export const momentText = (at: number): string =>
  new Date(at)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.[0-9]+Z$/, 'Z')
