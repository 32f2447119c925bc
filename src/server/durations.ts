/** How long requests took, by route, as a histogram of Prometheus. Every request is in it: to count one looks nothing up but its route. */
export type Durations = { observe: (route: string, seconds: number) => void; text: () => string }

/** The upper ends of the buckets, in seconds. */
const ends = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** An empty histogram; `text` is its part of the page. A route is one of ours and needs no escapes. */
export function durations(name: string, help: string): Durations {
  const routes = new Map<string, { counts: number[]; sum: number }>()
  const lines = (route: string, { counts, sum }: { counts: readonly number[]; sum: number }) => {
    let below = 0
    const buckets = counts.map((count, at) => {
      below += count
      return `${name}_bucket{le="${ends[at] ?? '+Inf'}",route="${route}"} ${below}`
    })
    return [...buckets, `${name}_sum{route="${route}"} ${sum}`, `${name}_count{route="${route}"} ${below}`]
  }
  return {
    observe: (route, seconds) => {
      const found = routes.get(route) ?? { counts: [...ends, 0].map(() => 0), sum: 0 }
      routes.set(route, found)
      let bucket = 0
      while (seconds > ends[bucket]!) bucket++
      found.counts[bucket]!++
      found.sum += seconds
    },
    text: () =>
      `${[`# HELP ${name} ${help}`, `# TYPE ${name} histogram`, ...[...routes].flatMap(([route, found]) => lines(route, found))].join('\n')}\n`,
  }
}
