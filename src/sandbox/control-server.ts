import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Address, Hex } from '../domain/address.ts'
import { AppError, errorRow } from '../domain/errors.ts'
import type { FaultRequest } from '../domain/sandbox-fault.ts'
import { errorWire } from './error-json.ts'
import { jsonBody, type Loopback, type LoopbackAnswer, serveLoopback } from './loopback-server.ts'
import type { SandboxWorld } from './world.ts'

/** Inputs of the control server. */
type ControlOptions = {
  world: SandboxWorld
  token: string
  /** Called before every authorised call. */
  onCall: () => void
  /** Saves and ends the daemon; the answer is sent before the process exits. */
  down: () => Promise<void>
  /** Called after a reset, which may change the catalogue. */
  onReset: () => void
}

const day = 86_400

/** Splits a warp in seconds so that each of its last thirty days gets a block, which gives positions a history. */
const dailySteps = (seconds: number): number[] => {
  const days = Math.min(30, Math.floor(seconds / day))
  const before = seconds - days * day
  return [...(before > 0 ? [before] : []), ...Array<number>(days).fill(day)]
}

/** Serves the daemon's control calls on loopback to callers with its token. */
export function serveControl({ world, token, onCall, down, onReset }: ControlOptions): Promise<Loopback> {
  const calls: Record<string, (input: Record<string, string>) => Promise<unknown>> = {
    '/status': () => world.status(),
    '/fund': ({ to, symbol, amount }) =>
      world.fund(
        to as Address,
        symbol ? { symbol, ...(amount ? { amount: BigInt(amount) } : {}) } : undefined,
      ),
    '/warp': async ({ seconds }) => {
      for (const step of dailySteps(Number(seconds))) await world.warp(step)
    },
    '/pay-bitcoin': async ({ address, amount, memo, replaces }) =>
      world.payBitcoin({ address: address!, amount: BigInt(amount ?? '0'), memo, replaces }),
    '/reset': async () => {
      await world.reset()
      onReset()
    },
    '/down': async () => down(),
    '/fault': ({ request }) => world.faults.set(JSON.parse(request ?? '') as FaultRequest),
    '/fault-clear': async () => {
      await world.faults.clear()
      return world.faults.list()
    },
    '/block-hash': ({ chainId, number }) => world.blockHash(Number(chainId), Number(number)),
    '/was-replaced': async ({ hash }) => world.faults.wasReplaced(hash as Hex),
  }
  return serveLoopback(async (request, { pathname }): Promise<LoopbackAnswer> => {
    if (!knowsToken(request, token)) return { status: 401, body: { error: 'unauthorized' } }
    const call = Object.hasOwn(calls, pathname) ? calls[pathname] : undefined
    if (!call || request.method !== 'POST') return { status: 404, body: { error: 'not found' } }
    onCall()
    try {
      const value = await call(((await jsonBody(request)) ?? {}) as Record<string, string>)
      return { status: 200, body: { value: plainJson(value ?? null) } }
    } catch (error) {
      const wire = errorWire(error)
      return {
        status: error instanceof AppError ? (errorRow(error.code).status ?? 500) : 500,
        body: { error: wire },
      }
    }
  })
}

function knowsToken(request: IncomingMessage, token: string): boolean {
  const given = Buffer.from(request.headers.authorization ?? '')
  const wanted = Buffer.from(`Bearer ${token}`)
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

const plainJson = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? inner.toString() : inner)))
