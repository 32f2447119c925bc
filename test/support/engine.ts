import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { OperatorFees } from '../../src/api/customer-and-fees.ts'
import type { Service } from '../../src/api/service-type.ts'
import type { ChainClient } from '../../src/chain/chain-client.ts'
import type { Address, Hex } from '../../src/domain/address.ts'
import { AppError } from '../../src/domain/errors.ts'
import type { Transaction } from '../../src/domain/transaction-types.ts'
import {
  createEngineContext,
  createEngineService,
  type EngineContext,
  type EngineInputs,
} from '../../src/engine/engine.ts'
import { setOperatorFees } from '../../src/engine/fees/fee-settings.ts'
import { createApp } from '../../src/server/app.ts'
import { engineMigrations, engineStore } from '../../src/store/engine/store.ts'
import { sqliteSql } from '../../src/store/sql/sqlite.ts'
import { onlyFor } from './services/serve-in-process.ts'
import type { TestReceipt, TestSandbox } from './use-sandbox.ts'

/** An engine over the sandbox of a test file, with its own store, and its context for values that the service does not expose. */
export function engineOn(
  sandbox: TestSandbox,
  needs: Partial<EngineInputs> = {},
): { service: Service; context: EngineContext } {
  const all: EngineInputs = {
    catalog: sandbox.world.catalog(),
    rpc: (chainId) => sandbox.chain(chainId).rpc,
    store: engineStore(sqliteSql(':memory:', { migrations: engineMigrations })),
    customer: 'tests',
    now: Date.now,
    newId: randomUUID,
    // A busy machine may take longer for a quote than a user waits.
    swaps: { quoteDeadlineMs: 60_000 },
    ...needs,
  }
  return { service: createEngineService(all), context: createEngineContext(all) }
}

/** Sets the operator fees of an engine. */
export const operating = (context: EngineContext, fees: Partial<OperatorFees>): Promise<OperatorFees> =>
  setOperatorFees(context, fees)

/** A chain client that passes each call to `see` before it sends the call. */
export const aroundReads = (
  rpc: ChainClient,
  see: (method: string, params: readonly unknown[]) => void,
): ChainClient => ({
  host: rpc.host,
  peers: rpc.peers,
  request: (method, params = []) => {
    see(method, params)
    return rpc.request(method, params)
  },
  batch: (calls) => {
    for (const [method, params] of calls) see(method, params)
    return rpc.batch(calls)
  },
})

/** A chain client that records its methods in a list. */
export function watched(rpc: ChainClient, said: string[]): ChainClient {
  return {
    host: rpc.host,
    peers: rpc.peers,
    request: (method, params) => {
      said.push(method)
      return rpc.request(method, params)
    },
    batch: (calls) => {
      said.push(...calls.map(([method]) => method))
      return rpc.batch(calls)
    },
  }
}

/** Sends transactions in order; all of them must succeed. */
export async function perform(
  { sendAs }: TestSandbox,
  from: Address,
  transactions: readonly Transaction[],
): Promise<TestReceipt[]> {
  const receipts: TestReceipt[] = []
  for (const { to, data, value, chainId } of transactions) {
    const receipt = await sendAs(chainId, from, { to, data, value })
    expect(receipt.status).toBe('0x1')
    receipts.push(receipt)
  }
  return receipts
}

/** The error code of a failure; `undefined` for a success. */
export const codeOf = async (work: Promise<unknown>): Promise<string | undefined> => {
  try {
    await work
    return undefined
  } catch (error) {
    if (error instanceof AppError) return error.code
    throw error
  }
}

/** The 32-byte word at an index of a raw result. */
export const word = (answer: Hex, at = 0): bigint => BigInt(`0x${answer.slice(2 + at * 64, 66 + at * 64)}`)

/** Pseudo-random numbers, the same for each seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** The number of campaign cases to run: a slice in `npm test`, or the value of `SLUICE_CELLS` (a number or `all`). */
export function cells(slice: number, full: number): number {
  const wanted = process.env.SLUICE_CELLS
  if (wanted === undefined) return slice
  return wanted === 'all' ? full : Math.max(1, Math.min(full, Number(wanted)))
}

/**
 * The rows of a table that `npm test` runs: one in `every`, the next one for the next `turn`, so that several turns run each row.
 * All rows with `SLUICE_CELLS=all` (`npm run campaign:tables`).
 */
export const inTurn = <T>(rows: readonly T[], every: number, turn: number): T[] =>
  rows.filter((_, at) => cells(1, every) >= every || (at + turn) % every === 0)

/** The seed of a campaign: `SLUICE_SEED`, or `usual`. */
export const campaignSeed = (usual: number): number => Number(process.env.SLUICE_SEED ?? usual)

/** Any JSON body. */
type Json = ReturnType<typeof JSON.parse>

/** The HTTP responses of a service, without a socket. */
export function over(service: Service) {
  const app = createApp(onlyFor(service, 'key-over'))
  return async (
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    sent: object = {},
  ): Promise<{ status: number; body: Json }> => {
    const query = Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, String(value)]))
    const answer = await app.inject({
      method,
      url: path,
      headers: { 'x-api-key': 'key-over' },
      ...(method === 'GET' ? { query } : { payload: sent }),
    })
    return { status: answer.statusCode, body: answer.json() }
  }
}

/** A swap of one USDC for WETH on the first sandbox chain: the quote, and its transactions for a wallet. */
export async function takenSwap(sandbox: TestSandbox, service: Service, walletAddress: Address) {
  const { quote } = await service.quote({
    chainIdIn: 31337,
    chainIdOut: 31337,
    tokenIn: sandbox.token(31337, 'USDC').address,
    tokenOut: sandbox.token(31337, 'WETH').address,
    amountIn: 1_000000n,
  })
  return { quote, made: await service.swapBytecode({ quote: quote.raw as never, walletAddress }) }
}
