import type { ChainClient } from '../../../src/chain/chain-client.ts'
import { syncSendMethod } from '../../../src/chain/rpc/sync-send.ts'
import type { Hex } from '../../../src/domain/address.ts'
import { AppError } from '../../../src/domain/errors.ts'
import type { SimChain, SimTransaction } from './chain.ts'
import { answer, type NodeKind, readRaw, receiptIn, refusal } from './node.ts'
import type { Party, SimulatedTime } from './time.ts'
import type { SimView } from './views.ts'

/** The faults of one call. */
export const callFaults = [
  'lost',
  'answer-lost',
  'hangs',
  'slow',
  'stale',
  'null',
  'old-receipt',
  'stale-nonce',
  'fake-hash',
  'already known',
  'nonce too low',
  'replacement transaction underpriced',
  'wrong-chain',
] as const
export type CallFault = (typeof callFaults)[number]

/** One endpoint of a simulated chain, as seen by one process. */
export type Connection = {
  time: SimulatedTime
  chain: SimChain
  /** What the endpoint shows of the chain now. */
  view: () => SimView
  kind: NodeKind
  host: string
  party: Party
  /** Chooses the fault of a call, if any; called once per call. */
  fate: (method: string) => CallFault | undefined
  /** The duration of a call, in ms. */
  latency: () => number
  /** Called first with each transaction that a process sends, as soon as it leaves the process. */
  beforeSend: (sent: SimTransaction) => void
  /** Called around every call; the process may die here. */
  onCall: (method: string) => void
}

/** The timeout of a call, as in the real client. */
const deadlineMs = 10_000
const hints: readonly CallFault[] = ['already known', 'nonce too low', 'replacement transaction underpriced']

/** The `ChainClient` of a simulated chain. It never retries, so that the caller sees every fault. */
export function simulatedRpc(connection: Connection): ChainClient {
  const { time, chain, view, kind, host, party, fate, latency, beforeSend, onCall } = connection
  const unreachable = () => new AppError('RPC_UNREACHABLE', `The node at ${host} does not answer`)

  /** Sends bytes to a node that may wait for their block before it answers. */
  const sendForReceipt = async (raw: unknown): Promise<unknown> => {
    const hash = await call('eth_sendRawTransaction', [raw])
    for (let waited = 0; kind.sendsSync && waited < 2_000; waited += 500) {
      const receipt = await call('eth_getTransactionReceipt', [hash])
      if (receipt !== null) return receipt
      await time.wait(party, 500)
    }
    return hash
  }

  const call = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    if (method === syncSendMethod) return sendForReceipt(params[0])
    onCall(method)
    const sent = method === 'eth_sendRawTransaction' ? await readRaw(params[0] as Hex) : undefined
    if (sent) beforeSend(sent)
    const fault = fate(method)
    const say = (lag = 0) => answer(view(), kind, method, params, { lag, ...(sent && { sent }) })
    const there = fault === 'slow' ? deadlineMs * 0.9 : latency()
    await time.wait(party, there)
    if (fault === 'lost') throw unreachable()
    if (fault === 'hangs') {
      await time.wait(party, deadlineMs)
      throw unreachable()
    }
    const said = sent && fault ? lieAboutSend(fault, say) : lieAboutRead(fault, method, params, say)
    await time.wait(party, latency())
    onCall(method)
    if (fault === 'answer-lost') throw unreachable()
    if (said instanceof AppError) throw said
    return said
  }

  /** Whatever the reply says, the node may have the transaction. */
  function lieAboutSend(fault: CallFault, say: () => unknown): unknown {
    if (fault === 'fake-hash') return `0x${'ab'.repeat(32)}`
    const truth = caught(say)
    if (fault === 'null') return null
    return hints.includes(fault) ? refusal('eth_sendRawTransaction', fault) : truth
  }

  function lieAboutRead(
    fault: CallFault | undefined,
    method: string,
    params: readonly unknown[],
    say: (lag?: number) => unknown,
  ): unknown {
    if (fault === 'stale' && method !== 'eth_sendRawTransaction') return caught(() => say(2))
    if (fault === 'null' && /Receipt|Block|ByHash|BySender/.test(method) && params[0] !== 'latest')
      return null
    if (fault === 'stale-nonce' && method === 'eth_getTransactionCount') return caught(() => say(1_000))
    if (fault === 'wrong-chain' && method === 'eth_chainId') return '0x1'
    const left = chain.blocksOf(params[0] as Hex).find((block) => !chain.isOn(block))
    if (fault === 'old-receipt' && method === 'eth_getTransactionReceipt' && left)
      return receiptIn(left, params[0] as Hex)
    return caught(say)
  }

  return {
    host,
    peers: [],
    request: async <T>(method: string, params: readonly unknown[] = []) => (await call(method, params)) as T,
    batch: async (calls) => {
      const said = []
      for (const [method, params] of calls) said.push(await call(method, params))
      return said
    },
  }
}

function caught(say: () => unknown): unknown {
  try {
    return say()
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
}
