import type { Abi } from 'viem'
import type { Address, Hex } from '../domain/address.ts'

/**
 * One contract read, as data. With `code` there is no deployed contract: the call brings the code (`price-ages-bytecode.ts`). `refused` is
 * the value for contracts that lack the function.
 */
export type Read = {
  address: Address
  abi: Abi
  functionName: string
  args?: readonly unknown[]
  code?: Hex
  refused?: Answer
}

/** The result of a read; `undefined` if the contract refused. */
export type Answer = unknown

/** Reads that belong together, and how to parse their results. Many of these share one call. */
export type Reading<value> = { reads: readonly Read[]; parse: (answers: readonly Answer[]) => value }

/** Combines readings of one kind into one. */
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

/** Combines two readings into one. */
export const both = <one, other>(first: Reading<one>, second: Reading<other>): Reading<[one, other]> => ({
  reads: [...first.reads, ...second.reads],
  parse: (answers) => [
    first.parse(answers.slice(0, first.reads.length)),
    second.parse(answers.slice(first.reads.length)),
  ],
})

/** A reading of a constant, without a read. */
export const known = <value>(value: value): Reading<value> => ({ reads: [], parse: () => value })

/** A reading that is `undefined` if any of its reads was refused. */
export const optional = <value>({ reads, parse }: Reading<value>): Reading<value | undefined> => ({
  reads,
  parse: (answers) => (answers.some((answer) => answer === undefined) ? undefined : parse(answers)),
})
