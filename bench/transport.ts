import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { keccak256 } from 'viem/utils'
import { httpRpc } from '../src/chain/rpc/failover.ts'
import { AppError } from '../src/domain/errors.ts'
import { type FaultyRpc, type Rule, startFaultyRpc } from '../test/support/nodes/faulty-rpc.ts'
import { type Act, isWayFault, replyFaults, wayFaults } from '../test/support/nodes/rpc-faults.ts'
import { payee, signer } from '../test/support/payments/payment-operation.ts'
import { seeded } from './seeded.ts'
import type { Open } from './transport-sabotage.ts'

/** One cell: its request and rules, its end, and its errors. */
export type Cell = { cell: number; told: string; wrong: string[] }

type Call = readonly [method: string, params: readonly unknown[]]

const hash = `0x${'11'.repeat(32)}`
const reads: readonly Call[] = [
  ['eth_chainId', []],
  ['eth_blockNumber', []],
  ['eth_getBlockByNumber', ['0x0', false]],
  ['eth_getBlockByNumber', ['latest', false]],
  ['eth_getBalance', [payee, 'latest']],
  ['eth_getTransactionCount', [signer.address, 'latest']],
  ['eth_getTransactionReceipt', [hash]],
  ['eth_getCode', [payee, 'latest']],
  ['eth_call', [{ to: payee, data: '0x' }, 'latest']],
]
const send = 'eth_sendRawTransaction'
const acts = [...Object.keys(replyFaults), ...Object.keys(wayFaults)] as Act[]

/** False replies that are well-formed: no transport can detect them, so their values may be returned. */
const wellFormed: readonly Act[] = [
  'null-result',
  'fake-hash',
  'stale-zero',
  'stale-head',
  'wrong-chain',
  'forged-receipt',
  'other-receipt',
  'split-brain',
  'high-tip',
  'odd-history',
  'high-gas',
  'other-sender',
  'other-target',
]

const marginMs = 1_500

/** Sends one request through random rules in front of a real node: the result is the truth, a well-formed false reply, or an expected error, in time. */
export async function transportCell(node: string, open: Open, seed: number, cell: number): Promise<Cell> {
  const random = seeded(seed * 1_000_003 + cell)
  const below = (most: number) => Math.floor(random() * most)
  const pick = <T>(all: readonly T[]): T => all[below(all.length)]!
  const direct = httpRpc(node)

  const kind = pick(['read', 'read', 'batch', 'send'] as const)
  const calls: Call[] =
    kind === 'send'
      ? [[send, [await signed(direct)]]]
      : Array.from({ length: kind === 'batch' ? 2 + below(4) : 1 }, () => pick(reads))
  const rules = Array.from({ length: 1 + below(3) }, (): Rule => {
    const act = pick(acts)
    const method = random() < 0.2 ? '*' : pick(calls)[0]
    const when = pick([{ always: true }, { nth: 1 }, { nth: 2 }, { from: 1, to: 2 }] as const)
    const value = {
      '429': pick(['', '1', '0', '-1', '99999999', 'soon']),
      latency: below(400),
      'stale-head': below(9),
      'high-tip': below(20_000),
      'odd-history': below(5),
      'high-gas': below(30_000_000),
    }
    return { method, act, ...when, ...(act in value && { value: value[act as keyof typeof value] }) }
  })
  const options = { deadlineMs: 120 + below(80), budgetMs: 600, retries: below(4) }
  const isSpread = random() < 0.3

  const proxies = [await startFaultyRpc(node, rules), await startFaultyRpc(node)].slice(0, isSpread ? 2 : 1)
  const told = `${kind} ${calls.map(([method]) => method).join('+')} at ${proxies.length} under ${JSON.stringify(rules)} with ${JSON.stringify(options)}`
  try {
    const truth = await truthOf(direct, kind, calls)
    const allowed = await Promise.all(calls.map((call, at) => allowedFor(direct, call, truth[at], rules)))
    const rpc = open(
      proxies.map(({ url }) => url),
      options,
    )
    const limitMs = (kind === 'send' ? options.deadlineMs + 1_000 : options.budgetMs) + marginMs
    const ended = await endOf(
      kind === 'batch' ? rpc.batch(calls) : rpc.request(calls[0]![0], calls[0]![1]),
      limitMs,
    )
    return { cell, told, wrong: wrongIn(ended, { kind, allowed, limitMs, rules, proxies }) }
  } finally {
    await Promise.all(proxies.map((proxy) => proxy.stop()))
    // The next cell starts on a chain that does not mine.
    for (const raw of proxies.flatMap(({ passed }) => passed))
      while (!(await direct.request('eth_getTransactionReceipt', [keccak256(raw as `0x${string}`)])))
        await sleep(5)
  }
}

type Ended = { value: unknown } | { error: unknown } | 'never'

function wrongIn(
  ended: Ended,
  {
    kind,
    allowed,
    limitMs,
    rules,
    proxies,
  }: {
    kind: string
    allowed: unknown[][]
    limitMs: number
    rules: readonly Rule[]
    proxies: readonly FaultyRpc[]
  },
): string[] {
  const wrong: string[] = []
  if (ended === 'never') wrong.push(`it took longer than ${limitMs} ms`)
  else if ('error' in ended) {
    const { error } = ended
    const code = error instanceof AppError ? error.code : `no error of ours: ${String(error)}`
    // A node that received the same bytes from another node reports them as known.
    const mayRefuse =
      rules.some(({ act }) => act.startsWith('error-')) || (kind === 'send' && proxies.length > 1)
    // Well-formed JSON-RPC with an impossible number.
    const isOfNumbers = code === 'RPC_INCONSISTENT' && rules.some(({ act }) => wellFormed.includes(act))
    if (code !== 'RPC_UNREACHABLE' && !(code === 'RPC_ERROR' && mayRefuse) && !isOfNumbers)
      wrong.push(`it failed with ${code}`)
  } else {
    const values = kind === 'batch' ? (ended.value as unknown[]) : [ended.value]
    for (const [at, value] of values.entries())
      if (!allowed[at]?.some((one) => isDeepStrictEqual(one, value)))
        wrong.push(`answer ${at + 1} is ${JSON.stringify(value)?.slice(0, 80)}, which nobody said`)
    if (values.length !== allowed.length) wrong.push(`${values.length} answers to ${allowed.length} calls`)
  }
  for (const { sends, passed } of proxies)
    if (sends.length > 1 || passed.length > 1)
      wrong.push(`one request sent ${sends.length} times, and the node got it ${passed.length} times`)
  return wrong
}

const endOf = (work: Promise<unknown>, limitMs: number): Promise<Ended> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve('never'), limitMs)
    work
      .then(
        (value) => resolve({ value }),
        (error: unknown) => resolve({ error }),
      )
      .finally(() => clearTimeout(timer))
  })

type Direct = ReturnType<typeof httpRpc>

async function truthOf(direct: Direct, kind: string, calls: readonly Call[]): Promise<unknown[]> {
  if (kind === 'send') return [keccak256(calls[0]![1][0] as `0x${string}`)]
  return Promise.all(calls.map(([method, params]) => direct.request(method, params)))
}

/** The true result, and the results of the well-formed false replies in the rules. */
async function allowedFor(
  direct: Direct,
  [method, params]: Call,
  truth: unknown,
  rules: readonly Rule[],
): Promise<unknown[]> {
  const ask = async (asked: string, with_: unknown[]) =>
    asked === send ? truth : direct.request(asked, with_)
  const lies = rules.filter((rule) => rule.method === '*' || rule.method === method)
  const said = lies.map(async ({ act, value }) => {
    if (isWayFault(act) || !wellFormed.includes(act)) return truth
    const call = { jsonrpc: '2.0', id: 1, method, params: [...params] }
    return ((await replyFaults[act](call, ask, Number(value ?? 0))) as { result?: unknown }).result
  })
  // As encoded by JSON.
  return JSON.parse(JSON.stringify([truth, ...(await Promise.all(said))])) as unknown[]
}

/** The next payment of the test wallet, signed. */
async function signed(direct: Direct): Promise<string> {
  const nonce = Number(await direct.request('eth_getTransactionCount', [signer.address, 'pending']))
  return signer.signTransaction({
    type: 'eip1559',
    chainId: 31337,
    nonce,
    to: payee,
    value: 1n,
    gas: 21_000n,
    maxFeePerGas: 10n ** 10n,
    maxPriorityFeePerGas: 1n,
  })
}
