import type { Reading } from '../chain/composable-reading.ts'
import type { Address, Hex } from '../domain/address.ts'
import type { TransactionCall } from '../domain/transaction.ts'

/** How a provider reads chains and its service; it sees nothing else of the network. */
export type SwapDependencies = {
  /** Reads contracts, at the newest block or the given one. */
  read: <value>(chainId: number, reading: Reading<value>, at?: bigint) => Promise<value>
  /** The number of the newest block. */
  head: (chainId: number) => Promise<bigint>
  /** The first matching log from a block on, as far as known. */
  log: (chainId: number, sought: Sought, fromBlock: bigint) => Promise<FoundLog | undefined>
  /** All matching logs from a block on, the oldest first, and whether the node answered for all blocks. */
  logs: (
    chainId: number,
    query: Sought['query'],
    fromBlock: bigint,
  ) => Promise<{ logs: readonly FoundLog[]; isAll: boolean }>
  /** A transaction that is in a block, with its events; `undefined` if it is in none. */
  mined: (
    chainId: number,
    hash: Hex,
  ) => Promise<
    | { ok: boolean; blockNumber: number; logs: readonly { address: Address; topics: Hex[]; data: Hex }[] }
    | undefined
  >
  /** Who sent a transaction, and what it calls; `undefined` if the node does not show it. */
  callOf: (chainId: number, hash: Hex) => Promise<TransactionCall | undefined>
  /** The JSON at a URL, with its HTTP status. */
  getJson: (url: string, signal?: AbortSignal) => Promise<{ status: number; body: unknown; text: string }>
  /** Sends a request to the service of a provider, with a JSON body if it has one. */
  exchangeJson: (request: ApiRequest) => Promise<ApiAnswer>
  /** The content of a small file that only its owner can read; KEY_SOURCE otherwise. */
  secretAt: (path: string) => Promise<string>
  /** Epoch ms. */
  now: () => number
}

type FoundLog = { transactionHash: Hex; topics: readonly Hex[]; data: Hex }

/** A request to the service of a provider: `POST` with a body, else `GET`. */
export type ApiRequest = {
  url: string
  body?: unknown
  headers?: Readonly<Record<string, string>>
  signal?: AbortSignal | undefined
}

/** What the service of a provider answers; `headers` have names in lower case. */
export type ApiAnswer = {
  status: number
  headers: Readonly<Record<string, string>>
  body: unknown
  text: string
}

/** What finds an event: the logs that answer a query, and whether a contract says that there is one by now. */
export type Sought = {
  query: { address: Address[]; topics: (Hex[] | null)[] }
  isThere: Reading<boolean>
}
