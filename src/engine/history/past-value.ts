import { ask } from '../../chain/ask.ts'
import type { Reading } from '../../chain/call.ts'
import type { Chain } from '../../chain/network-client.ts'
import { isNodeError } from '../../chain/rpc/errors.ts'
import type { Address, Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { rpcVariable } from '../../domain/networks.ts'
import type { Market, MarketEvent } from '../../protocols/market-adapter.ts'
import type { EngineStore } from '../../store/engine/store.ts'
import { writeInBackground } from '../best-effort-write.ts'

/** A past block, as an event identifies it. */
type PastBlockRef = { blockNumber: bigint; blockHash: Hex }

/** The value of shares in the block that moved them. No shares are worth nothing, even without the state. */
export async function valueAtBlock(
  store: EngineStore,
  chain: Chain,
  market: Market,
  event: Pick<MarketEvent, 'shares'> & PastBlockRef,
): Promise<bigint> {
  const shares = event.shares[0] ?? 0n
  if (shares === 0n) return 0n
  return readAtBlock(store, chain, event, {
    name: `worth ${market.entry.receipt.address.toLowerCase()} ${shares}`,
    reading: market.worth(shares),
  })
}

/** The shares of an owner at the end of a block. */
export const sharesAtBlock = (
  store: EngineStore,
  chain: Chain,
  market: Market,
  { owner, moment }: { owner: Address; moment: PastBlockRef },
): Promise<bigint> =>
  readAtBlock(store, chain, moment, {
    name: `shares ${market.entry.receipt.address.toLowerCase()} ${owner.toLowerCase()}`,
    reading: market.shares(owner),
  })

/**
 * Reads a past block once. The result is stored under the block's hash, so that it never stands for another block. If the node lacks the
 * state, it is HISTORY_UNREAD.
 */
export async function readAtBlock(
  store: EngineStore,
  chain: Chain,
  { blockNumber, blockHash }: PastBlockRef,
  { name, reading }: { name: string; reading: Reading<bigint | undefined> },
): Promise<bigint> {
  const { chainId } = chain.network
  const known = await store.fact(chainId, `${name} ${blockHash}`)
  if (known !== undefined) return BigInt(known)
  const then = await ask(chain, reading, blockNumber).catch((error: unknown) => {
    if (isNodeExhausted(error)) throw pastUnavailable(chain, error)
    if (isNodeError(error)) throw stateUnavailable(chain, blockNumber, error)
    throw error
  })
  if (then === undefined) throw stateUnavailable(chain, blockNumber)
  await writeInBackground(store.storeFact(chainId, `${name} ${blockHash}`, then.toString()))
  return then
}

const stateUnavailable = ({ rpc, network }: Chain, blockNumber: bigint, cause?: unknown): AppError =>
  new AppError(
    'HISTORY_UNREAD',
    `The node at ${rpc.host} no longer has the state of block ${blockNumber} of ${network.name}, which moved shares`,
    {
      details: { network: network.name, block: blockNumber.toString() },
      cause,
      next: `Set an archive RPC in ${rpcVariable(network)}.`,
    },
  )

/** Whether a node stopped answering. Nodes limit reads of past state more than reads of the newest. */
export const isNodeExhausted = (error: unknown) =>
  error instanceof AppError && error.code === 'RPC_UNREACHABLE'

/** HISTORY_UNREAD: the past cannot be read for now. */
export const pastUnavailable = ({ rpc, network }: Chain, cause: unknown): AppError =>
  new AppError('HISTORY_UNREAD', `The node at ${rpc.host} no longer answers requests for past state`, {
    details: { network: network.name },
    next: `Try again later. If the error persists, set another RPC in ${rpcVariable(network)}.`,
    cause,
  })
