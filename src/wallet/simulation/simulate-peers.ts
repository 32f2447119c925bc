import { AppError } from '../../domain/errors.ts'
import { isNotOffered } from '../../net/refusal.ts'

import { type Block, newStrangers, type Outcome, runBlock } from './simulate-block.ts'

/**
 * Runs a leg on the endpoint that answers and on the other one that has its block, if there is one: both must see the same, else
 * RPC_INCONSISTENT. One that went down since is left out, and named in `silent`.
 */
export async function agreeing(
  block: Block,
  gas: readonly bigint[],
  time: number,
): Promise<{ outcome: Outcome; silent?: string }> {
  const strangers = newStrangers()
  const outcome = await runBlock(block, gas, time, strangers)
  const { peer } = block
  if (!peer) return { outcome }
  const other = await runBlock({ ...block, rpc: peer }, gas, time, strangers).catch((error: unknown) => {
    if (isDown(error)) return undefined
    throw isNotOffered(error) && !isMissing(error) ? apart(block.rpc.host, peer.host, error) : error
  })
  if (!other) return { outcome, silent: peer.host }
  if (textOf(other) === textOf(outcome)) return { outcome }
  throw new AppError(
    'RPC_INCONSISTENT',
    `The nodes at ${block.rpc.host} and ${peer.host} do not agree about what these transactions do`,
    { details: { hosts: [block.rpc.host, peer.host] } },
  )
}

const isDown = (error: unknown): error is AppError =>
  error instanceof AppError && error.code === 'RPC_UNREACHABLE'

/** What has no such method cannot simulate at all, and says so of all calls: then both are asked for less. One that fails at this call is another thing. */
const isMissing = (error: unknown): boolean => {
  const { code, message } = (error instanceof AppError ? error.details : undefined) ?? {}
  if (code === -32601 || code === -32004) return true
  const isOfCall = code === -32603 || code === -32602
  return (
    !isOfCall &&
    /not (available|supported|enabled|implemented|whitelisted|allowed)|disabled|no such method/i.test(
      String(message),
    )
  )
}

const apart = (host: string, peer: string, cause: unknown): AppError =>
  new AppError('RPC_INCONSISTENT', `The node at ${peer} refuses to try what the one at ${host} tried`, {
    details: { hosts: [host, peer], said: cause instanceof AppError ? cause.message : null },
    hint: `Leave ${peer} out of the endpoints, or wait for it.`,
    cause,
  })

const textOf = (outcome: Outcome): string =>
  JSON.stringify(outcome, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value))
