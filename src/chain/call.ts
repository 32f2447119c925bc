import { type Abi, prepareEncodeFunctionData } from 'viem'
import { decodeFunctionResult, encodeFunctionData } from 'viem/utils'
import type { Address, Hex } from '../domain/address.ts'

/**
 * One contract read, as data; `T` is what its function returns. It is encoded when it is sent. With `code` there is no deployed
 * contract: the call brings the code (`price-ages-bytecode.ts`). `refused` is the value for contracts that lack the function.
 */
export type Call<T = unknown> = {
  address: Address
  abi: Abi
  functionName: string
  args?: readonly unknown[]
  code?: Hex
  refused?: T
}

/** Makes the calls of one contract, each of a function and its arguments. */
export const contract =
  (address: Address, abi: Abi) =>
  <T = unknown>(functionName: string, ...args: readonly unknown[]): Call<T> => ({
    address,
    abi,
    functionName,
    args,
  })

/** A call as the target and calldata of a transaction. */
export const encodeCall = (call: Call): { to: Address; data: Hex } => ({
  to: call.address,
  data: encodeFunctionData({ ...preparedFunction(call), args: call.args }),
})

/** What a call returned; `undefined` if it is not the result of this function: the code there is another contract, or none. */
export function decodeAnswer<T>(call: Call<T>, data: Hex): T | undefined {
  const { functionName, args } = call
  try {
    return decodeFunctionResult({ abi: preparedFunction(call).abi, functionName, args, data }) as T
  } catch {
    return undefined
  }
}

/** The functions of each ABI that were encoded before: hashing a selector dominates the time of hundreds of reads. */
const prepared = new WeakMap<Abi, Map<string, PreparedFunction>>()

type PreparedFunction = { abi: Abi; functionName: string }

/** The function of a call as an ABI with its selector as the name; overloads are chosen by their arguments. */
function preparedFunction({ abi, functionName, args }: Call): PreparedFunction {
  const of = prepared.get(abi) ?? new Map<string, PreparedFunction>()
  prepared.set(abi, of)
  const found = of.get(functionName)
  if (found) return found
  const made = prepareEncodeFunctionData({ abi, functionName, args } as never) as PreparedFunction
  const isOverloaded = abi.filter((item) => 'name' in item && item.name === functionName).length > 1
  if (!isOverloaded) of.set(functionName, made)
  return made
}

/** Calls that belong together, and how to parse their results. Many of these share one exchange. */
export type Reading<value> = { reads: readonly Call[]; parse: (answers: readonly unknown[]) => value }

/** Calls in rounds, where later ones depend on earlier answers. Each round is one exchange; a refused call is `undefined`. */
export type Rounds<value> = Generator<readonly Call[], value, readonly unknown[]>

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
