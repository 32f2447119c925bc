import { AppError } from '../../domain/errors.ts'
import { didYouMean } from '../../domain/text/did-you-mean.ts'
import { shellWord } from '../../domain/text/shell-quoting.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { dollars, percent } from '../terminal/format.ts'

/** The units of a fact: a rate is a fraction, written with %; a flag has no bound. */
type Unit = 'rate' | 'usd' | 'number' | 'flag'

/** What is known of a fact: `null` is unknown at present. */
export type FactValue = number | boolean | null

/** Something that a condition can be about. */
export type Fact<subject> = { unit: Unit; about: string; of: (one: subject) => FactValue }

/** The facts of a subject, by the name that a condition uses. */
export type ConditionFacts<subject> = Readonly<Record<string, Fact<subject>>>

/** A condition in its standard form, such as `apy<3%` or `paused`. `isMet` is `null` while its fact is unknown. */
export type Condition<subject> = {
  text: string
  isMet: (one: subject) => boolean | null
  value: (one: subject) => FactValue
  /** The value in words. */
  shown: (value: FactValue) => string
}

const comparisons = {
  '<=': (is: number, bound: number) => is <= bound,
  '>=': (is: number, bound: number) => is >= bound,
  '<': (is: number, bound: number) => is < bound,
  '>': (is: number, bound: number) => is > bound,
} as const

/** Words of a value, by its unit. */
const wordsOf: Record<Unit, (value: number | boolean) => string> = {
  rate: (value) => percent(Number(value)),
  usd: (value) => dollars(Number(value).toFixed(2)),
  number: (value) => (value === Number.POSITIVE_INFINITY ? 'no debt' : Number(value).toFixed(2)),
  flag: (value) => (value ? 'yes' : 'no'),
}

/** How a bound is written, by its unit, as an example. */
const exampleOf: Record<Exclude<Unit, 'flag'>, string> = { rate: '<3%', usd: '<100000', number: '<1.2' }

/** Reads `--when`: conditions separated by commas, such as `apy<3%, paused`. USAGE for anything else. */
export function parseConditions<subject>(text: string, facts: ConditionFacts<subject>): Condition<subject>[] {
  const parts = text.split(',').map((part) => part.trim())
  const all = parts.map((part) => parseOne(part, facts))
  const same = all.find((one, at) => all.findIndex(({ text: other }) => other === one.text) !== at)
  if (same) throw refusal(`--when names ${shellWord(same.text)} twice`, facts)
  return all
}

function parseOne<subject>(part: string, facts: ConditionFacts<subject>): Condition<subject> {
  const [, not, name = '', sign, bound = ''] =
    /^(!?)\s*([A-Za-z]+)\s*(?:(<=|>=|<|>)\s*(\S+))?$/.exec(part) ?? []
  const fact = Object.hasOwn(facts, name.toLowerCase()) ? facts[name.toLowerCase()] : undefined
  if (!fact) {
    const guess = name === '' ? '' : didYouMean(name.toLowerCase(), Object.keys(facts))
    throw refusal(`--when cannot be about "${sanitizeText(part)}"${guess}`, facts)
  }
  const word = name.toLowerCase()
  const { unit, of } = fact
  const shown = (value: FactValue) => (value === null ? 'not known' : wordsOf[unit](value))
  if (unit === 'flag') {
    if (sign !== undefined) throw refusal(`--when: ${word} has no bound`, facts)
    const wanted = not !== '!'
    const isMet = (one: subject) => {
      const value = of(one)
      return value === null ? null : value === wanted
    }
    return { text: `${wanted ? '' : '!'}${word}`, isMet, value: of, shown }
  }
  const most = boundOf(bound, unit)
  if (not === '!' || sign === undefined || most === undefined)
    throw refusal(`--when: ${word} needs a bound, such as ${word}${exampleOf[unit]}`, facts)
  const compare = comparisons[sign as keyof typeof comparisons]
  const isMet = (one: subject) => {
    const value = of(one)
    return value === null ? null : compare(Number(value), most)
  }
  return { text: `${word}${sign}${bound.replace(/^\$/, '')}`, isMet, value: of, shown }
}

/** The bound in the unit of its fact: a rate is a fraction. `undefined` if it is not written as that unit. */
function boundOf(text: string, unit: Exclude<Unit, 'flag'>): number | undefined {
  const forms = {
    rate: /^(-?[0-9]+(?:\.[0-9]+)?)%$/,
    usd: /^\$?([0-9]+(?:\.[0-9]+)?)$/,
    number: /^([0-9]+(?:\.[0-9]+)?)$/,
  }
  const [, number] = forms[unit].exec(text) ?? []
  if (number === undefined) return undefined
  return unit === 'rate' ? Number(number) / 100 : Number(number)
}

function refusal<subject>(message: string, facts: ConditionFacts<subject>): AppError {
  const examples = Object.entries(facts).map(([name, { unit }]) =>
    unit === 'flag' ? name : `${name}${exampleOf[unit]}`,
  )
  return new AppError('USAGE', message, { next: `Conditions: ${examples.join(', ')}.` })
}

/** What the help of `--when` says of the facts. */
export const factsHelp = <subject>(facts: ConditionFacts<subject>): string =>
  Object.entries(facts)
    .map(([name, { about }]) => `  ${name.padEnd(10)} ${about}`)
    .join('\n')
