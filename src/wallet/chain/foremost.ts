import type { Rpc } from '../../net/rpc.ts'
import { blockNumber } from './block-number.ts'
import { ifAnswered, within } from './within.ts'

/** A chain by the endpoint that has its newest block; `look` finds out anew which of them that is. */
export type Foremost = Rpc & { look: () => Promise<void> }

/** How long an endpoint has to say where it is, in ms: who does not is not the foremost. */
const longestMs = 2_000

/**
 * Several endpoints of a chain, read from the one that is farthest: what another one shows that fell behind was so before, and is not so any
 * more. All of them are its peers, and what is sent goes to all of them.
 */
export function foremost(rpc: Rpc): Foremost {
  let front = rpc
  return {
    get host() {
      return front.host
    },
    get peers() {
      return front === rpc ? rpc.peers : [rpc, ...rpc.peers]
    },
    request: (method, params) => (/^eth_send/.test(method) ? rpc : front).request(method, params),
    batch: (calls) => front.batch(calls),
    look: async () => {
      const { peers } = rpc
      if (peers.length === 0) return
      const all = [rpc, ...peers]
      const at = await Promise.all(all.map((one) => ifAnswered(within(blockNumber(one), longestMs))))
      const newest = Math.max(...at.map((number) => number ?? -1))
      // Of several that are equally far it is the one that answered last, as always.
      front = all[Math.max(0, at.indexOf(newest))]!
    },
  }
}
