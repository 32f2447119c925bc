import type { Address, Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { wait } from '../../net/patience.ts'
import { hexQuantity, quantity } from '../../net/quantity.ts'
import type { Rpc } from '../../net/rpc.ts'
import { type CommonHead, commonHead } from './common-head.ts'
import { promptly } from './in-time.ts'
import { pauses } from './patient.ts'
import { patienceMs } from './within.ts'

/**
 * The newest block that two endpoints both have and in which all is done that the wallet itself did by what either of them knows: on an older
 * one it would still have what it has spent. One that does not come to it is RPC_INCONSISTENT; another endpoint has `longestMs` for each answer.
 */
export async function ownHead(
  rpc: Rpc,
  { chainId, wallet }: { chainId: number; wallet: Address },
  longestMs = patienceMs,
): Promise<CommonHead> {
  for (let tried = 0; ; tried++) {
    const common = await commonHead(rpc, chainId, 0n, longestMs)
    const { peer, head } = common
    if (!peer) return common
    const [then, mine, theirs] = await Promise.all([
      nonceAt(rpc, wallet, hexQuantity(head.number)),
      nonceAt(rpc, wallet, 'latest'),
      // One that is down, or hangs, knows of nothing.
      nonceAt(promptly(peer, longestMs), wallet, 'latest').catch(() => 0),
    ])
    if (then >= mine && then >= theirs) return common
    const pause = pauses[tried]
    if (pause === undefined)
      throw new AppError(
        'RPC_INCONSISTENT',
        `${rpc.host} and ${peer.host} do not both have the newest transaction of ${wallet}`,
        {
          details: { hosts: [rpc.host, peer.host], nonces: [mine, theirs] },
          hint: 'Wait, or leave out the endpoint that is behind.',
        },
      )
    await wait(pause)
  }
}

const nonceAt = async (rpc: Rpc, wallet: Address, at: Hex | 'latest'): Promise<number> =>
  Number(quantity(await rpc.request('eth_getTransactionCount', [wallet, at]), 'the nonce'))
