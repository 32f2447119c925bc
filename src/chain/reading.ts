import type { Abi } from 'viem'
import type { Address, Hex } from '../domain/address.ts'

/**
 * One contract read, as data. With `code` the contract is nowhere: it is asked by what the call brings along (`price-ages.ts`). `refused` is
 * the answer of a contract that has no such function, there where not all of them have it.
 */
export type Read = {
  address: Address
  abi: Abi
  functionName: string
  args?: readonly unknown[]
  code?: Hex
  refused?: Answer
}

/** What a read gave, or `undefined` where the contract refused. */
export type Answer = unknown

/** Reads that belong together, and what they mean. Many of these are asked in one call. */
export type Reading<value> = { reads: readonly Read[]; parse: (answers: readonly Answer[]) => value }

/** Several readings as one. */
export const together = <value>(readings: readonly Reading<value>[]): Reading<value[]> => ({
  reads: readings.flatMap(({ reads }) => reads),
  parse: (answers) => {
    let at = 0
    return readings.map(({ reads, parse }) => {
      const first = at
      at += reads.length
      return parse(answers.slice(first, at))
    })
  },
})

/** Two readings of different things as one. */
export const both = <one, other>(first: Reading<one>, second: Reading<other>): Reading<[one, other]> => ({
  reads: [...first.reads, ...second.reads],
  parse: (answers) => [
    first.parse(answers.slice(0, first.reads.length)),
    second.parse(answers.slice(first.reads.length)),
  ],
})

/** A reading that asks nothing. */
export const known = <value>(value: value): Reading<value> => ({ reads: [], parse: () => value })

/** A reading that is `undefined` when any of its reads was refused. */
export const optional = <value>({ reads, parse }: Reading<value>): Reading<value | undefined> => ({
  reads,
  parse: (answers) => (answers.some((answer) => answer === undefined) ? undefined : parse(answers)),
})
