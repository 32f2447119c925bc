import type { OptionsOf } from '../../domain/command-line/flags.ts'
import { AppError } from '../../domain/errors.ts'
import type { Next } from '../../domain/text/next-step.ts'
import { sameWith } from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { spanText } from '../../domain/text/time-spans.ts'
import type { Cli } from '../command-run-types.ts'
import { writeDocument, writeText } from '../output/document-writer.ts'
import { utcTime } from '../terminal/format.ts'
import { watchContinuously } from '../watch-loop.ts'
import type { Condition, FactValue } from './parse-conditions.ts'

/** One thing that is watched, by its name. */
type Watched<subject> = { name: string; one: subject }

/** A condition that began or ceased to be met since it was last known. `value` is the fact, a rate as a fraction. */
type Crossing = { time: string; subject: string; condition: string; isMet: boolean; value: FactValue }

/** `once` ends the watch at the first condition that is met; `wait: false` looks one time. `name` is whose states these are. */
type WatchOptions = Pick<OptionsOf<'wallet watch'>, 'once' | 'wait' | 'name'>

/** How conditions are watched: `scope` is where their states are kept, `next` the command that shows one subject. */
type Watching<subject> = WatchOptions & {
  conditions: readonly Condition<subject>[]
  scope: string
  intervalMs: number
  next: (name: string) => Next
}

/**
 * Prints a line for each crossing of a condition: once, also over several runs, because the last known states are kept. A fact that is
 * unknown changes nothing. CONDITION_MET ends a watch that looks one time or ends at the first condition that is met.
 */
export async function watchConditions<subject>(
  cli: Cli,
  look: () => Promise<Watched<subject>[]>,
  { conditions, scope, once, wait, intervalMs, next }: Watching<subject>,
): Promise<void> {
  const { globals, io, program } = cli
  if (globals.csv || globals.raw || globals.fields)
    throw new AppError('USAGE', 'A watch cannot be combined with --csv, --fields or --raw', {
      next: sameWith({ '--json': true }, '--csv', '--fields', '--raw'),
    })
  const states = await program.conditionStates()
  const known = new Map(states.read(scope).map(({ isMet, ...of }) => [keyOf(of), isMet]))
  /** Tells what crossed, and keeps it after that: a run that is killed in between tells it again. */
  const told = (all: readonly Watched<subject>[], tell: (crossings: readonly Told[]) => void): void => {
    const at = program.now()
    const changed = changesOf(all, conditions, known, new Date(at).toISOString())
    // What was never met before is known from now on, but nothing to tell.
    const crossings = changed.filter((one) => one.isMet || known.has(keyOf(one)))
    tell(crossings)
    states.save(scope, changed, at)
    for (const one of changed) known.set(keyOf(one), one.isMet)
    const first = crossings.find(({ isMet }) => isMet)
    if (first && (once || !wait)) throw metError(first, crossings, next(first.subject))
  }
  const lines = (crossings: readonly Told[]) => {
    for (const one of crossings)
      if (globals.json) writeDocument(io, documentOf(one), { ...globals, isLine: true })
      else writeText(io, lineOf(one))
  }
  if (wait) {
    cli.notice(`Watching for ${conditions.map(({ text }) => text).join(', ')} every ${spanText(intervalMs)}`)
    return watchContinuously(cli, look, { show: (all) => told(all, lines), intervalMs })
  }
  // As one document there is only the failure where a condition is met, which has everything in it.
  const whole = (crossings: readonly Told[]) => {
    if (!crossings.some(({ isMet }) => isMet))
      cli.emit({ crossings: crossings.map(documentOf) }, () => crossings.map(lineOf).join('\n'))
  }
  told(await look(), globals.json ? whole : lines)
}

/** A crossing, with its value in words. */
type Told = Crossing & { shown: string }

const keyOf = ({ subject, condition }: Pick<Crossing, 'subject' | 'condition'>): string =>
  JSON.stringify([subject, condition])

/** The conditions whose known state differs from the last known one. */
const changesOf = <subject>(
  all: readonly Watched<subject>[],
  conditions: readonly Condition<subject>[],
  known: ReadonlyMap<string, boolean>,
  time: string,
): Told[] =>
  all.flatMap(({ name, one }) =>
    conditions.flatMap(({ text: condition, isMet, value, shown }) => {
      const now = isMet(one)
      if (now === null || now === known.get(keyOf({ subject: name, condition }))) return []
      return [{ time, subject: name, condition, isMet: now, value: value(one), shown: shown(value(one)) }]
    }),
  )

const documentOf = ({ shown: _, ...crossing }: Told): Crossing => crossing

const lineOf = ({ time, subject, condition, isMet, shown }: Told): string =>
  `${utcTime(time)}  ${sanitizeText(subject)}  ${condition} ${isMet ? 'is met' : 'is no longer met'}: ${shown}`

function metError({ subject, condition }: Told, crossings: readonly Told[], next: Next): AppError {
  const more = crossings.filter(({ isMet }) => isMet).length - 1
  return new AppError(
    'CONDITION_MET',
    `${condition} is met for ${subject}${more > 0 ? `, and ${more} more` : ''}`,
    {
      details: { crossings: crossings.map(documentOf) },
      next,
    },
  )
}
