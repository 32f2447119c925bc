/** A value of the metrics page that is read when the page is. `type` as in the text format of Prometheus; a label identifies no caller. */
export type Measure = {
  name: string
  help: string
  type: 'gauge' | 'counter'
  samples: readonly { labels?: Readonly<Record<string, string>>; value: number }[]
}

const escaped = (text: string): string =>
  text.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n')

/** Measures in the text format of Prometheus, version 0.0.4. */
export const measureText = (measures: readonly Measure[]): string =>
  measures
    .flatMap(({ name, help, type, samples }) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...samples.map(({ labels = {}, value }) => {
        const named = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`)
        return `${name}${named.length > 0 ? `{${named.join(',')}}` : ''} ${value}`
      }),
    ])
    .map((line) => `${line}\n`)
    .join('')
