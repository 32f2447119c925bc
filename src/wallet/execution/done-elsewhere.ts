import type { Address, Hex } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction.ts'
import { quantity } from '../../net/quantity.ts'
import { type Ended, hasSucceeded } from '../../net/receipt.ts'
import type { Rpc } from '../../net/rpc.ts'
import type { Ground } from '../ground.ts'
import { type Seen, whoUsedEach } from './nonce-use.ts'
import { isSame, type Shown } from './pinned.ts'

type OnChain = Seen & Shown

/** Where it is asked; `onUnknown` hears of nonces whose transactions a node does not show, which says nothing of what they did. */
type Asked = Pick<Ground, 'rpc' | 'journal'> & {
  onUnknown?: (chainId: number, nonces: readonly number[]) => void
}

/**
 * The transaction of a wallet that did already what is about to be signed, and of which this journal knows nothing: it
 * was signed elsewhere, or by this journal before an older copy of it was put back. The same call counts, to, value and
 * data, and of a swap one with the same `exact` amount that differs in as little as a deadline and a minimum. Not found is what a node cannot tell, or what was
 * sent before this journal first signed for the wallet. `above` leaves out nonces up to it; `lost` are those that another transaction used,
 * which are looked at all the same.
 */
export async function doneElsewhere(
  { rpc, journal, onUnknown }: Asked,
  wallet: Address,
  transactions: readonly Transaction[],
  {
    above = -1,
    exact = [],
    lost = [],
  }: { above?: number; exact?: readonly bigint[]; lost?: readonly number[] } = {},
): Promise<Hex | undefined> {
  for (const transaction of transactions) {
    const node = rpc(transaction.chainId)
    // First the chain, then the journal: what is on the chain is in the journal of whoever sent it long before.
    const latest = Number(
      quantity(await node.request('eth_getTransactionCount', [wallet, 'latest']), 'the nonce'),
    )
    const since = journal.foreignNonces(wallet, transaction, latest).filter((nonce) => nonce > above)
    const nonces = [...since, ...lost]
    if (nonces.length === 0) continue
    const uses = [...(await whoUsedEach<OnChain>(node, wallet, nonces, { latest })).entries()]
    for (const [, use] of uses)
      if (use.is === 'used' && isLike(use.transaction, transaction, exact)) {
        const { hash } = use.transaction
        if (await succeeded(node, hash)) return hash
      }
    const unknown = uses.flatMap(([nonce, use]) => (use.is === 'unknown' ? [{ nonce, ...use }] : []))
    // A question that was not answered is no answer, and may be answered the next time.
    const silence = unknown.find((one) => one.silence)?.silence
    if (silence) throw silence
    if (unknown.length > 0)
      onUnknown?.(
        transaction.chainId,
        unknown.map(({ nonce }) => nonce),
      )
  }
  return undefined
}

/** As many bytes as a deadline and a minimum have: a call that differs in more is another one. */
const littleDifference = 48

/** Whether a call is the same, or the same made again with another deadline and another minimum. */
function isLike(shown: Shown, wanted: Transaction, exact: readonly bigint[]): boolean {
  if (isSame(shown, wanted)) return true
  const [a, b] = [shown.input.toLowerCase(), wanted.data.toLowerCase()]
  // An approval or a transfer that differs at all is another one; only long calls carry deadlines.
  const amounts = exact.map((amount) => amount.toString(16).padStart(64, '0'))
  if (!amounts.some((word) => a.includes(word) && b.includes(word))) return false
  if (a.length !== b.length || a.length < 2 + 8 + 64 * 6 || a.slice(0, 10) !== b.slice(0, 10)) return false
  if (!isSame({ ...shown, input: wanted.data }, wanted)) return false
  let differs = 0
  for (let at = 10; at < a.length; at += 2) if (a.slice(at, at + 2) !== b.slice(at, at + 2)) differs++
  return differs <= littleDifference
}

/** Whether a transaction did what it was for; one that reverted may be tried again. */
async function succeeded(rpc: Rpc, hash: Hex): Promise<boolean> {
  const receipt = await rpc.request<Ended | null>('eth_getTransactionReceipt', [hash])
  return receipt !== null && hasSucceeded(rpc, receipt)
}
