import { setTimeout as sleep } from 'node:timers/promises'
import { syncSendMethod } from '../../chain/rpc/sync-send.ts'
import type { Hex } from '../../domain/address.ts'
import type { FaultName, FaultRequest } from '../../domain/sandbox-fault.ts'
import { postJson } from '../../http/client.ts'
import { newDispatcher } from '../../http/dispatcher.ts'
import { jsonBody, type Loopback, type LoopbackAnswer, serveLoopback } from '../loopback-server.ts'
import { affectsCall, type FaultSet } from './active-faults.ts'
import type { FaultyChain, SendFaults } from './send-faults.ts'

type Call = { id: unknown; method: string; params?: unknown[] }
type Ask = (method: string, params: readonly unknown[]) => Promise<unknown>

/** Faults that affect a whole HTTP request. */
const requestFaults: readonly FaultName[] = [
  'rpc-slow',
  'rpc-429',
  'rpc-502',
  'rpc-hang',
  'rpc-down',
  'rpc-lost-request',
  'rpc-lost-answer',
]

/** Faults that need the proxy in front of a node. */
export const proxyFaults: readonly FaultName[] = [
  ...requestFaults,
  'rpc-wrong-chain',
  'rpc-head-back',
  'drop',
  'delay',
  'revert',
  'out-of-gas',
]

/** Starts a proxy in front of a node that applies the active faults. */
export function startProxy(
  chain: FaultyChain & { rpcUrl: string },
  faults: FaultSet,
  sends: SendFaults,
): Promise<Loopback> {
  const dispatcher = newDispatcher()
  const post = async (call: Call): Promise<Record<string, unknown>> => {
    const { body } = await postJson(chain.rpcUrl, call, { dispatcher, deadlineMs: 60_000 })
    return body as Record<string, unknown>
  }
  const ask: Ask = async (method, params) => (await post(rpcCall(method, params))).result

  const reply = async (call: Call): Promise<unknown> => {
    const result = (value: unknown) => ({ jsonrpc: '2.0', id: call.id, result: value })
    if (methodOf(call) === 'eth_sendRawTransaction') {
      const hash = await sends.take(chain, String(call.params?.[0]) as Hex)
      if (hash !== undefined) return call.method === syncSendMethod ? unminedAnswer(call, hash) : result(hash)
    }
    const fault = faults.find(['rpc-wrong-chain', 'rpc-head-back'], chain.name, ({ kind }) =>
      (kind === 'rpc-wrong-chain' ? ['eth_chainId', 'net_version'] : headMethods).includes(call.method),
    )
    if (!fault) return post(call)
    faults.countUse(fault)
    if (fault.kind === 'rpc-wrong-chain') return result(call.method === 'eth_chainId' ? '0x1' : '1')
    return result(await behindBy(fault.amount ?? 0, call, ask))
  }

  const pass = async (body: unknown): Promise<LoopbackAnswer> => ({
    status: 200,
    body: Array.isArray(body) ? await Promise.all(body.map(reply)) : await reply(body as Call),
  })

  return serveLoopback(async (request) => {
    try {
      const body = await jsonBody(request)
      const calls = [body].flat() as Call[]
      const fault = faults.find(requestFaults, chain.name, (one) =>
        calls.some((call) => affectsCall(one, methodOf(call))),
      )
      if (!fault) return await pass(body)
      faults.countUse(fault)
      return await exchange(fault, () => pass(body), faults)
    } catch {
      return 'drop' // The node does not answer, or the request is malformed: break the connection.
    }
  })
}

async function exchange(
  { kind, amount }: FaultRequest,
  pass: () => Promise<LoopbackAnswer>,
  faults: FaultSet,
): Promise<LoopbackAnswer | 'drop'> {
  switch (kind) {
    case 'rpc-slow':
      await Promise.race([sleep(amount ?? 0), faults.whenCleared()])
      return pass()
    case 'rpc-429': {
      const wait = String(Math.ceil((amount ?? 0) / 1000))
      return { status: 429, body: { error: 'slow down' }, headers: { 'retry-after': wait } }
    }
    case 'rpc-502':
      return { status: 502, body: 'bad gateway' }
    case 'rpc-hang':
      await faults.whenCleared()
      return 'drop'
    case 'rpc-lost-answer':
      await pass()
      return 'drop'
    default:
      return 'drop'
  }
}

const rpcCall = (method: string, params: readonly unknown[]): Call & { jsonrpc: '2.0' } => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params: [...params],
})

/** The method that faults match: a synchronous send counts as `eth_sendRawTransaction`. */
const methodOf = ({ method, params = [] }: Call): string =>
  method === syncSendMethod && params.length > 0 ? 'eth_sendRawTransaction' : method

/** A node's answer to a synchronous send if the transaction is in no block after the wait (EIP-7966). */
const unminedAnswer = ({ id }: Call, data: Hex) => ({
  jsonrpc: '2.0',
  id,
  error: { code: 4, message: 'The transaction was added to the mempool but is in no block yet', data },
})

const headMethods = ['eth_blockNumber', 'eth_getBlockByNumber']
const newest: readonly unknown[] = ['latest', 'pending', 'safe', 'finalized']

/** Answers as a node that is some blocks behind. */
async function behindBy(blocks: number, { method, params = [] }: Call, ask: Ask): Promise<unknown> {
  const head = Number(await ask('eth_blockNumber', []))
  const hex = `0x${Math.max(0, head - blocks).toString(16)}`
  if (method === 'eth_blockNumber') return hex
  return ask(method, newest.includes(params[0]) ? [hex, ...params.slice(1)] : params)
}
