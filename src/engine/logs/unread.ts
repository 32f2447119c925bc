import { AppError } from '../../domain/errors.ts'
import { rpcVariable } from '../../domain/network-named.ts'
import { plain } from '../../domain/text.ts'
import type { Chain } from '../chain.ts'

/** A node that gives so many blocks at once, or fewer, is behind its chain for ever where that is quick. */
const few = 1_000n

/** That there are more blocks than are read in one go: HISTORY_UNREAD. `most` is how many the node gives at once, by what it refused. */
export function tooLong({ rpc, network }: Chain, block: bigint, { most }: { most: bigint }): AppError {
  const why = most <= few ? `: the node at ${rpc.host} gives those of ${most} at once` : ''
  return new AppError(
    'HISTORY_UNREAD',
    `There are too many blocks on ${network.name} to read all logs of them in one go${why}`,
    {
      details: { network: network.name, block: block.toString() },
      ...(most <= few && {
        hint: `Name another RPC in ${rpcVariable(network)}, which gives logs of more blocks at once. Or ask again, and again: what was read is kept.`,
      }),
    },
  )
}

/** That a node gives logs of not even one block: HISTORY_UNREAD. */
export const noLogs = ({ rpc, network }: Chain, cause: AppError): AppError =>
  new AppError(
    'HISTORY_UNREAD',
    `The node at ${rpc.host} gives no logs of ${network.name}: ${plain(String(cause.details?.message ?? cause.message))}`,
    {
      details: { ...cause.details, network: network.name },
      hint: `Name another RPC in ${rpcVariable(network)}, which gives logs.`,
      cause,
    },
  )

/** That a node takes one question at a time, so that nothing says up to where its logs go: HISTORY_UNREAD. */
export const unproven = ({ rpc, network }: Chain, cause: unknown): AppError =>
  new AppError(
    'HISTORY_UNREAD',
    `The node at ${rpc.host} takes one question at a time: nothing says that it has the blocks of which it gives logs`,
    {
      details: { network: network.name },
      hint: `Name another RPC in ${rpcVariable(network)}, which takes a few at once.`,
      cause,
    },
  )
