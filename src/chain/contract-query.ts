import type { Abi } from 'viem'
import { decodeFunctionResult, encodeFunctionData } from 'viem/utils'
import type { Address, Hex } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'

/** A contract read, as data. */
export type Query = { address: Address; abi: Abi; functionName: string; args?: readonly unknown[] }

/** Reads in rounds, where later ones depend on earlier answers. Each round is one batch; a refused read is `undefined`. */
export type Rounds<value> = Generator<readonly Query[], value, readonly unknown[]>

/** Sends a request to a node. */
export type NodeCall = (method: string, params: readonly unknown[]) => Promise<unknown>

/** Answers rounds of reads by raw calls; a refused or undecodable read is `undefined`. */
export async function answerQueries<value>(rounds: Rounds<value>, ask: NodeCall): Promise<value> {
  for (let step = rounds.next(); ; ) {
    if (step.done) return step.value
    step = rounds.next(await Promise.all(step.value.map((query) => answerTo(query, ask))))
  }
}

async function answerTo({ address, abi, functionName, args = [] }: Query, ask: NodeCall): Promise<unknown> {
  const data = encodeFunctionData({ abi, functionName, args: [...args] })
  let said: Hex
  try {
    said = (await ask('eth_call', [{ to: address, data }, 'latest'])) as Hex
  } catch (error) {
    if (error instanceof AppError && error.code === 'RPC_ERROR') return undefined
    throw error
  }
  try {
    return decodeFunctionResult({ abi, functionName, data: said })
  } catch {
    return undefined // No contract there, or another one: whoever asked says so.
  }
}

/** Makes the queries of one contract, each of a function and its arguments. */
export const queriesOf =
  (address: Address, abi: Abi) =>
  (functionName: string, ...args: readonly unknown[]): Query => ({ address, abi, functionName, args })
