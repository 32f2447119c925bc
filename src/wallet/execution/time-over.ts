import { AppError } from '../../domain/errors.ts'
import { networkNamed, rpcVariable } from '../../domain/network-named.ts'
import { current, isUnsigned, type Run } from './run.ts'

/** Whoever took less than this share of the time for an answer is not who it was lost to. */
const leastShare = 0.1

/** That the time of a run was over before anything was signed: who took it, where it was one node, and what to do. */
export function timeOver(run: Run): AppError {
  const { operationId: operation, timeoutMs, networks } = run
  const step = current(run).steps.find(isUnsigned)
  const rpc = step && run.rpc(step.transaction.chainId)
  const why = 'The time was over before anything was signed'
  const more = 'Give it more time: --timeout 10m'
  const wait = run.waits.longest()
  if (!wait || wait.ms < leastShare * timeoutMs || !rpc)
    return new AppError('RPC_UNREACHABLE', why, { details: { operation }, hint: more })
  const { host, ms } = wait
  const variable = rpcVariable(networkNamed(networks, step.transaction.chainId))
  const isOneOfSeveral = rpc.peers.length > 0
  return new AppError(
    'RPC_UNREACHABLE',
    `${why}: the node at ${host} took ${(ms / 1000).toFixed(1)} seconds for one answer, or had none by then`,
    {
      details: { operation, host, waitedMs: Math.round(ms) },
      hint: `${more}; or ${isOneOfSeveral ? `leave ${host} out of ${variable} for as long as it is slow` : `name another RPC in ${variable}`}`,
    },
  )
}
