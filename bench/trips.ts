import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { figure, flag, home, median, peer, run, sluice } from './measure.ts'

/*
 * The dependent round trips and the requests of whole commands, counted at the nodes: each call of a node takes 100 ms more, and its
 * start and end are recorded. The longest chain of calls that did not overlap is the number of dependent round trips.
 * Two `cast send` are measured beside it. `npm run bench:trips -- --rounds 3 --latency 100`; `--only deposit` measures one row.
 */

const rounds = flag('rounds', 3)
const latencyMs = flag('latency', 100)
const only = process.argv.includes('--only') ? process.argv[process.argv.indexOf('--only') + 1] : undefined
const isVerbose = process.argv.includes('--verbose')

type Exchange = { start: number; end: number; methods: string[] }
type Count = { requests: number; calls: number; trips: number; ms: number }

const exchanges: Exchange[] = []

/** A local server whose answers come from `answer`. */
async function serve(
  answer: (body: Buffer, request: IncomingMessage) => Promise<{ status: number; body: string }>,
) {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const { status, body } = await answer(Buffer.concat(parts), request)
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const post = async (url: string, body: Buffer, headers: Record<string, string> = {}) => {
  const answer = await fetch(url, {
    method: 'POST',
    body: new Uint8Array(body),
    headers: { 'content-type': 'application/json', ...headers },
  })
  return { status: answer.status, body: await answer.text() }
}

/** A node behind a line of that latency; its exchanges are recorded. */
const farAway = (url: string) =>
  serve(async (body) => {
    const start = performance.now()
    const calls = [JSON.parse(body.toString('utf8'))].flat() as { method: string }[]
    const [answer] = await Promise.all([post(url, body), sleep(latencyMs)])
    exchanges.push({ start, end: performance.now(), methods: calls.map(({ method }) => method) })
    return answer
  })

/** The most exchanges of which each began after the one before it had ended. */
function longestChain(all: readonly Exchange[]): number {
  let [length, last] = [0, Number.NEGATIVE_INFINITY]
  for (const { start, end } of all.toSorted((a, b) => a.end - b.end))
    if (start >= last) {
      length++
      last = end
    }
  return length
}

/** Runs a command and counts what reached the nodes meanwhile. */
async function counted(
  command: readonly string[],
  env: NodeJS.ProcessEnv,
  wanted = 0,
): Promise<Count & { out: string }> {
  exchanges.length = 0
  const { ms, exit, out, err } = await run(command, env)
  if (exit !== wanted) throw new Error(`${command.slice(-6).join(' ')} ended with ${exit}: ${out}${err}`)
  if (isVerbose) {
    const began = Math.min(...exchanges.map(({ start }) => start))
    for (const { start, end, methods } of exchanges.toSorted((a, b) => a.start - b.start))
      process.stdout.write(
        `  ${(start - began).toFixed(0).padStart(6)} ${(end - began).toFixed(0).padStart(6)}  ${methods.join(' ')}\n`,
      )
  }
  return {
    ms,
    out,
    requests: exchanges.length,
    calls: exchanges.reduce((sum, { methods }) => sum + methods.length, 0),
    trips: longestChain(exchanges),
  }
}

const place = home()
const json = async <value>(args: readonly string[]): Promise<value> => {
  const { exit, out, err } = await run([...sluice, ...args, '--json', '--quiet'], place.env)
  if (exit !== 0) throw new Error(`sluice ${args.join(' ')} ended with ${exit}: ${out}${err}`)
  return JSON.parse(out) as value
}

type Status = {
  chains: { chainId: number; rpcUrl: string }[]
  accounts: { address: string; default: boolean }[]
}

const closing: (() => void)[] = []
try {
  const status = await json<Status>(['sandbox', 'up'])
  const strategy = 'aave-v3-usdc-sandbox-one'
  const plan = await json<{ steps: { to: string }[] }>(['deposit', strategy, '--amount', '1', '--dry-run'])
  // The record of the sandbox is pointed at a control server that names the slow nodes in place of the real ones.
  const nodes = new Map<string, string>()
  for (const { rpcUrl } of status.chains) {
    const node = await farAway(rpcUrl)
    closing.push(node.close)
    nodes.set(rpcUrl, node.url)
  }
  const file = join(place.env.SLUICE_HOME!, 'data', 'sandbox', 'daemon.json')
  const record = JSON.parse(readFileSync(file, 'utf8')) as { controlUrl: string }
  const control = await serve(async (body, { url, headers }) => {
    const { authorization = '' } = headers
    const answer = await post(`${new URL(record.controlUrl).origin}${url}`, body, { authorization })
    for (const [near, far] of nodes) answer.body = answer.body.replaceAll(near, far)
    return answer
  })
  closing.push(control.close)
  const far = record.controlUrl.replace(new URL(record.controlUrl).origin, control.url)
  writeFileSync(file, JSON.stringify({ ...record, controlUrl: far }))

  const other = status.accounts.find((account) => !account.default)!.address
  const [token, pool] = plan.steps.map(({ to }) => to)
  const cast = peer('cast')
  const rpcUrl = nodes.get(status.chains[0]!.rpcUrl)!
  const send = (to: string, ...call: string[]) =>
    counted([cast, 'send', '--rpc-url', rpcUrl, '--unlocked', '--from', other, to, ...call], place.env)
  const program = (...args: string[]) => counted([...sluice, ...args, '--json', '--quiet'], place.env)
  const pair = ['--from', 'sandbox-one', '--token-in', 'USDC', '--token-out', 'WETH', '--amount-in', '1']
  const rows: Record<string, { budget?: [trips: number, requests: number]; once: () => Promise<Count> }> = {
    deposit: { budget: [9, 14], once: () => program('deposit', strategy, '--amount', '1', '--yes') },
    'deposit-pipeline': {
      budget: [6, 10],
      once: () => program('deposit', strategy, '--amount', '1', '--yes', '--pipeline'),
    },
    withdraw: { budget: [6, 9], once: () => program('withdraw', strategy, '--amount', '1', '--yes') },
    transfer: {
      budget: [6, 9],
      once: () =>
        program(
          'transfer',
          '--network',
          'sandbox-one',
          '--token',
          'USDC',
          '--to',
          other,
          '--amount',
          '1',
          '--yes',
        ),
    },
    swap: {
      budget: [10, 15],
      once: () => program('swap', 'execute', ...pair, '--yes'),
    },
    'dry-run': { budget: [3, 5], once: () => program('deposit', strategy, '--amount', '1', '--dry-run') },
    'strategies-list': { budget: [2, 8], once: () => program('strategies', 'list') },
    recommend: { budget: [2, 8], once: () => program('yield', 'recommend', 'USDC') },
    'wallet-show': { budget: [2, 8], once: () => program('wallet', 'show') },
    'swap-compare': { budget: [2, 4], once: () => program('swap', 'quote', ...pair, '--compare') },
    'swap-quote': {
      budget: [2, 8],
      once: () => program('swap', 'quote', ...pair),
    },
    history: { budget: [3, 6], once: () => program('history', strategy) },
    'strategies-show': { budget: [3, 6], once: () => program('strategies', 'show', strategy) },
    resume: {
      budget: [3, 5],
      once: async () => {
        // The first look at an action whose transaction waits: mining is stopped meanwhile.
        const plain = (...args: string[]) => run([...sluice, ...args, '--quiet'], place.env)
        await plain('sandbox', 'fault', 'stop-mining', '--network', 'sandbox-one')
        await plain('deposit', strategy, '--amount', '1', '--yes', '--no-wait')
        const [latest] = (await json<{ items: { id: string }[] }>(['action', 'list'])).items
        const resume = [...sluice, 'action', 'resume', latest!.id, '--yes', '--no-wait', '--json', '--quiet']
        const look = await counted(resume, place.env, 20)
        await plain('sandbox', 'fault', 'clear')
        await plain('action', 'resume', latest!.id, '--yes')
        return look
      },
    },
    'cast-send-twice': {
      once: async () => {
        const one = await send(token!, 'approve(address,uint256)', pool!, '1000000')
        const two = await send(pool!, 'supply(address,uint256,address,uint16)', token!, '1000000', other, '0')
        return {
          ms: one.ms + two.ms,
          requests: one.requests + two.requests,
          calls: one.calls + two.calls,
          trips: one.trips + two.trips,
        }
      },
    },
  }
  const measured = new Map<string, Count>()
  for (const [name, { budget, once }] of Object.entries(rows)) {
    if (only !== undefined && name !== only && name !== 'cast-send-twice') continue
    const all: Count[] = []
    for (let round = 0; round <= rounds; round++) {
      if (isVerbose) process.stdout.write(`${name}\n`)
      const one = await once()
      if (round > 0) all.push(one)
    }
    const of = (what: keyof Count) => median(all.map((one) => one[what]))
    const row = { trips: of('trips'), requests: of('requests'), calls: of('calls'), ms: of('ms') }
    measured.set(name, row)
    process.stdout.write(
      `${name.padEnd(18)} ${String(row.trips).padStart(4)} trips${budget ? ` (${budget[0]})`.padEnd(6) : '      '} ${String(row.requests).padStart(4)} requests${budget ? ` (${budget[1]})`.padEnd(6) : '      '} ${String(row.calls).padStart(4)} calls ${row.ms.toFixed(0).padStart(6)} ms\n`,
    )
  }
  for (const [name, { trips, requests }] of measured) {
    figure('trips', name, trips, 'cast', 'round-trips')
    figure('trips', `${name}-requests`, requests, 'cast', 'calls')
  }
  const [deposit, peers] = [measured.get('deposit'), measured.get('cast-send-twice')]
  if (deposit && peers) figure('trips', 'deposit-vs-cast', deposit.ms / peers.ms, 'cast')
} finally {
  for (const close of closing) close()
  await place.close()
}
