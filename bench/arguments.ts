import { parseArgs } from 'node:util'

/** The arguments of a campaign: number of cells, seed, a single cell to replay, and a deliberate fault. */
export type CampaignArguments = {
  cells: number
  seed: number
  /** Runs only this cell of the seed. */
  cell: number | undefined
  /** Runs as many processes over one database. */
  instances: number | undefined
  database: 'sqlite' | 'postgres'
  /** Makes fewer cells if they take longer. */
  seconds: number | undefined
  sabotage: string | undefined
}

/** Reads `--cells N --seed S [--cell C] [--instances N] [--database sqlite|postgres] [--seconds N] [--sabotage NAME]`; `cells` and `seed` are the defaults. */
export function campaignArguments(
  cells: number,
  seed = 1,
  sabotages: readonly string[] = [],
): CampaignArguments {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    options: {
      ...{ cells: text, seed: text, cell: text, instances: text },
      ...{ database: text, seconds: text, sabotage: text },
    },
  })
  const whole = (value: string, what: string): number => {
    if (/^[0-9]{1,9}$/.test(value)) return Number(value)
    process.stderr.write(`${what} is a whole number, not "${value}"\n`)
    process.exit(2)
  }
  const { sabotage, database = 'sqlite' } = values
  if (database !== 'sqlite' && database !== 'postgres') throw new Error('--database is sqlite or postgres')
  if (sabotage !== undefined && !sabotages.includes(sabotage))
    throw new Error(`--sabotage is one of: ${sabotages.join(', ') || 'none here'}`)
  return {
    cells: values.cells === undefined ? cells : whole(values.cells, '--cells'),
    seed: values.seed === undefined ? seed : whole(values.seed, '--seed'),
    cell: values.cell === undefined ? undefined : whole(values.cell, '--cell'),
    instances: values.instances === undefined ? undefined : whole(values.instances, '--instances'),
    database,
    seconds: values.seconds === undefined ? undefined : whole(values.seconds, '--seconds'),
    sabotage,
  }
}

/** Prints the last line of a campaign, and sets the exit code. */
export function campaignEnds(name: string, cells: number, wrong: number, seed: number): void {
  console.log(`campaign=${name} cells=${cells} wrong=${wrong} seed=${seed}`)
  if (wrong > 0) process.exitCode = 1
}
