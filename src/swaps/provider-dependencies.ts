import type { Reading } from '../chain/call.ts'
import type { Address, Hex } from '../domain/address.ts'
import type { TransactionCall } from '../domain/transaction-types.ts'
import type { PublicService } from '../protocols/public-services.ts'

/** The only access of a provider to chains, its service and the clock. */
export type SwapDependencies = {
  /** Reads contracts at a block, by default the newest. */
  read: <value>(chainId: number, reading: Reading<value>, at?: bigint) => Promise<value>
  /** The newest block number. */
  head: (chainId: number) => Promise<bigint>
  /** The first matching log since a block; `undefined` if none is found. */
  log: (chainId: number, sought: EventSearch, fromBlock: bigint) => Promise<FoundLog | undefined>
  /** All matching logs since a block, oldest first; `isAll`: the node answered for all blocks. */
  logs: (
    chainId: number,
    query: EventSearch['query'],
    fromBlock: bigint,
  ) => Promise<{ logs: readonly FoundLog[]; isAll: boolean }>
  /** Tells of a log that a transfer under way ends with, so that it can be waited for in the new blocks of all transfers together. */
  awaited?: OnAwaitedLog | undefined
  /** A mined transaction with its logs; `undefined` if it is in no block. */
  mined: (
    chainId: number,
    hash: Hex,
  ) => Promise<
    | { ok: boolean; blockNumber: number; logs: readonly { address: Address; topics: Hex[]; data: Hex }[] }
    | undefined
  >
  /** The sender and the call of a transaction; `undefined` if the node does not have it. */
  callOf: (chainId: number, hash: Hex) => Promise<TransactionCall | undefined>
  /** Reads the JSON at a URL, with its HTTP status. */
  getJson: (
    url: string,
    signal?: AbortSignal,
  ) => Promise<Pick<ApiAnswer, 'status' | 'body' | 'text'> & Partial<Pick<ApiAnswer, 'headers'>>>
  /** Sends a request to a provider's service, with the key of that service. */
  exchangeJson: (request: ApiRequest) => Promise<ApiAnswer>
  /** Whether a key of a service is set; some answer other requests with one. */
  hasKey: (service: PublicService) => boolean
  /** Tells of an answer of a service that a provider does not use, in one line; shown with `--debug`. */
  passedOver: (line: string) => void
  /** Reads a small file that only its owner may read; KEY_SOURCE otherwise. */
  secretAt: (path: string) => Promise<string>
  /** The time in epoch ms. */
  now: () => number
}

type FoundLog = { transactionHash: Hex; topics: readonly Hex[]; data: Hex }

/** A request to a provider's service: `POST` with a body, else `GET`. `service` is whose key it carries. */
export type ApiRequest = {
  service: PublicService
  url: string
  body?: unknown
  headers?: Readonly<Record<string, string>>
  signal?: AbortSignal | undefined
}

/** The response of a provider's service; header names are in lower case. */
export type ApiAnswer = {
  status: number
  headers: Readonly<Record<string, string>>
  body: unknown
  text: string
}

/** Called with the log that a transfer waits for. */
export type OnAwaitedLog = (chainId: number, query: EventSearch['query']) => void

/** A search for an event: the log query, and a contract read that says whether the event exists by now. */
export type EventSearch = {
  query: { address: Address[]; topics: (Hex[] | null)[] }
  existsRead: Reading<boolean>
}
