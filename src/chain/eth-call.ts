import type { Address, Hex } from '../domain/address.ts'
import type { ChainClient } from './chain-client.ts'
import { hexQuantity } from './rpc/quantities.ts'

/** Sends a request to a node. */
export type NodeCall = (method: string, params: readonly unknown[]) => Promise<unknown>

/** A node: a client, or a function that sends one request, as to the node of a wallet's own machine. */
export type Node = ChainClient | NodeCall

export const sendTo = <T>(node: Node, [method, params]: NodeRequest): Promise<T> =>
  (typeof node === 'function' ? node(method, params) : node.request(method, params)) as Promise<T>

/** A request, for a batch or by itself. */
export type NodeRequest = readonly [method: string, params: readonly unknown[]]

/** What `eth_call` executes: a read, or a transaction as if its sender had signed it. */
type Executed = { from?: Address; to?: Address; data?: Hex; value?: Hex }

/** An `eth_call` as a request of a batch, at the latest or a given block; `overrides` changes the state that it sees. */
export const ethCall = (
  executed: Executed,
  at: unknown = 'latest',
  overrides?: Readonly<Record<Address, object>>,
): NodeRequest => ['eth_call', [executed, at, ...(overrides ? [overrides] : [])]]

/** What a call returns at the latest or a given block, `0x` without data. The node's error if it reverts or is not executed. */
export async function callAt(node: Node, executed: Executed, blockNumber?: bigint | number): Promise<Hex> {
  const at = blockNumber === undefined ? 'latest' : hexQuantity(blockNumber)
  return (await sendTo<Hex | null>(node, ethCall(executed, at))) ?? '0x'
}
