import { AppError } from '../../domain/errors.ts'

import { type Block, newStrangers, type Outcome, runBlock } from './simulate-block.ts'

/** Runs a leg on the endpoint that answers and on the other one that has its block, if there is one: both must see the same, else RPC_INCONSISTENT. */
export async function agreeing(block: Block, gas: readonly bigint[], time: number): Promise<Outcome> {
  const strangers = newStrangers()
  const outcome = await runBlock(block, gas, time, strangers)
  const { peer } = block
  if (!peer) return outcome
  const other = await runBlock({ ...block, rpc: peer }, gas, time, strangers)
  if (textOf(other) === textOf(outcome)) return outcome
  throw new AppError(
    'RPC_INCONSISTENT',
    `The nodes at ${block.rpc.host} and ${peer.host} do not agree about what these transactions do`,
    { details: { hosts: [block.rpc.host, peer.host] } },
  )
}

const textOf = (outcome: Outcome): string =>
  JSON.stringify(outcome, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value))
