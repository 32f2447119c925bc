import { type UnansweredNetwork, unansweredText } from '../../diagnosis/lookup/transaction-lookup.ts'
import type { Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { rpcVariable } from '../../domain/networks.ts'
import { advice, type Next, sluice } from '../../domain/text/next-step.ts'

/**
 * The error for an unknown hash: RPC_UNREACHABLE if a network that did not answer may know it, or the
 * code of the fault that prevents its answer. `asked` says where else it was looked up in vain, `null` if nowhere.
 */
export function unknownHash(
  hash: Hex,
  silent: readonly UnansweredNetwork[],
  { again, asked }: { again: Next; asked: string | null },
): AppError {
  if (silent.length === 0)
    return new AppError(
      'ACTION_NOT_FOUND',
      `${asked === null ? 'No' : `${hash} is ${asked}, and no`} network has a transaction with ${asked === null ? `the hash ${hash}` : 'this hash'}`,
      {
        next: advice`Compare the hash with its source. The networks that are searched: ${sluice('networks list')}`,
      },
    )
  const those = (is: UnansweredNetwork['is']) => silent.filter((one) => one.is === is)
  const names = (some: readonly UnansweredNetwork[]) => some.map(({ network }) => network.name)
  const [mute, others, odd] = [those('silent'), those('another'), those('odd')]
  const unasked = names(those('unasked'))
  const unsaid = unansweredText(silent)
  const settings = (some: readonly UnansweredNetwork[]) => some.map(({ network }) => rpcVariable(network))
  const named = [...settings(others), ...(unasked.length > 0 ? ['SLUICE_RPC_<NETWORK>'] : [])]
  const ifItStays =
    odd.length > 0
      ? advice`${again}. If the error persists, set another RPC in ${settings(odd).join(' and ')}`
      : again
  // A network that cannot be reached at all will not answer a retry either.
  const [code] = [
    ...mute.map(() => 'RPC_UNREACHABLE' as const),
    ...odd.map(() => 'RPC_INCONSISTENT' as const),
    ...others.map(() => 'CHAIN_ID_MISMATCH' as const),
    'ACTION_NOT_FOUND' as const,
  ]
  return new AppError(
    code,
    `${asked === null ? `No network that answered has a transaction with the hash ${hash}` : `${hash} is ${asked}`}. Some networks could not be searched: ${unsaid}`,
    {
      details: { hash, networks: names([...mute, ...others, ...odd]), withoutRpc: unasked },
      next:
        named.length === 0
          ? ifItStays
          : advice`Set an RPC of its network in ${named.join(' or ')}, then: ${again}`,
    },
  )
}
