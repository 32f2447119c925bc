import { decodeFunctionResult, encodeFunctionData } from 'viem/utils'

import type { Query, Rounds } from '../../calls/queue.ts'
import type { Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'

/** Asks a node for what a call returns. */
export type Ask = (method: string, params: readonly unknown[]) => Promise<unknown>

/** Answers questions that build on each other by raw calls: what a contract refuses, or answers in another shape, is `undefined`. */
export async function answered<value>(rounds: Rounds<value>, ask: Ask): Promise<value> {
  for (let step = rounds.next(); ; ) {
    if (step.done) return step.value
    step = rounds.next(await Promise.all(step.value.map((query) => answerTo(query, ask))))
  }
}

async function answerTo({ address, abi, functionName, args = [] }: Query, ask: Ask): Promise<unknown> {
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
