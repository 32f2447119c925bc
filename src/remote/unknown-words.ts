import type { Service } from '../api/service-type.ts'
import { actionStatuses, historyStatuses, historyTypes, swapStatuses } from '../api/wire-fields.ts'

/** A word that this version does not know, and whose word it is. */
export type UnknownWord = { of: string; word: string }

type Said = readonly [of: string, known: readonly string[], word: string | null]

/** The words of an answer, by the method that it answers. */
const wordsOf: { [name in keyof Service]?: (value: Awaited<ReturnType<Service[name]>>) => Said[] } = {
  getAction: ({ status }) => [['status of an action', actionStatuses, status]],
  swapStatus: ({ status }) => [['status of a swap', swapStatuses, status]],
  quote: ({ quote }) => [['status of a quote', swapStatuses, quote.status]],
  listQuotes: ({ items }) => items.map(({ status }): Said => ['status of a quote', swapStatuses, status]),
  walletHistory: ({ items }) =>
    items.flatMap(({ type, status }): Said[] => [
      ['type of an event of the history', historyTypes, type],
      ['status of an event of the history', historyStatuses, status],
    ]),
}

/** Every word of an answer that this version does not know; they pass through as they came. */
export function unknownWords(name: keyof Service, value: unknown): UnknownWord[] {
  const said = (wordsOf[name] as ((value: unknown) => Said[]) | undefined)?.(value) ?? []
  return said.flatMap(([of, known, word]) => (word === null || known.includes(word) ? [] : [{ of, word }]))
}
