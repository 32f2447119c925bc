import { parseArgs } from 'node:util'

/** What a campaign is told on its command line: `--cells N --seed S`, and what it takes where nothing is said. */
export function campaignArguments(cells: number, seed = 1): { cells: number; seed: number } {
  const { values } = parseArgs({ options: { cells: { type: 'string' }, seed: { type: 'string' } } })
  const whole = (text: string | undefined, otherwise: number, what: string): number => {
    if (text === undefined) return otherwise
    if (/^[0-9]{1,9}$/.test(text)) return Number(text)
    throw new Error(`${what} is a whole number, not "${text}"`)
  }
  return { cells: whole(values.cells, cells, '--cells'), seed: whole(values.seed, seed, '--seed') }
}

/** Prints the last line of a campaign and sets the exit code by it. */
export function campaignEnds(name: string, cells: number, wrong: number, seed: number): void {
  console.log(`campaign=${name} cells=${cells} wrong=${wrong} seed=${seed}`)
  if (wrong > 0) process.exitCode = 1
}
