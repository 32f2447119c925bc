import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { home, run, sluice } from './measure.ts'

type Exchange = { start: number; end: number; methods: string[] }

/**
 * The traffic to the nodes during a command: HTTP requests, JSON-RPC calls in them, dependent round trips, its time in ms, and the time
 * from its first request to its last response.
 */
export type Count = { requests: number; calls: number; trips: number; ms: number; wireMs: number }

/** The fields of `sluice sandbox up --json` that a benchmark needs. */
export type Status = {
  chains: { chainId: number; rpcUrl: string }[]
  accounts: { address: string; default: boolean }[]
}

const isVerbose = process.argv.includes('--verbose')

/** A local server with responses from `answer`. */
async function serve(
  answer: (body: Buffer, request: IncomingMessage) => Promise<{ status: number; body: string }>,
) {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    // A target that exits during a request, like a sandbox that is stopped, may close the connection without a response.
    const { status, body } = await answer(Buffer.concat(parts), request).catch(() => ({
      status: 502,
      body: '',
    }))
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

/** The longest chain of exchanges in which each began after the previous one had ended. */
function longestChain(all: readonly Exchange[]): number {
  let [length, last] = [0, Number.NEGATIVE_INFINITY]
  for (const { start, end } of all.toSorted((a, b) => a.end - b.end))
    if (start >= last) {
      length++
      last = end
    }
  return length
}

/**
 * A separate sandbox with distant nodes: each exchange with a node takes `latencyMs` longer and is recorded. `counted` runs a
 * command that must exit with `wanted`, and counts its traffic; `json` is the output of the program.
 */
export async function farSandbox(latencyMs: number) {
  const place = home()
  const exchanges: Exchange[] = []
  const closing: (() => void)[] = []
  const json = async <value>(args: readonly string[]): Promise<value> => {
    const { exit, out, err } = await run([...sluice, ...args, '--json', '--quiet'], place.env)
    if (exit !== 0) throw new Error(`sluice ${args.join(' ')} ended with ${exit}: ${out}${err}`)
    return JSON.parse(out) as value
  }
  const farAway = (url: string) =>
    serve(async (body) => {
      const start = performance.now()
      const calls = [JSON.parse(body.toString('utf8'))].flat() as { method: string }[]
      const [answer] = await Promise.all([post(url, body), sleep(latencyMs)])
      exchanges.push({ start, end: performance.now(), methods: calls.map(({ method }) => method) })
      return answer
    })
  const counted = async (command: readonly string[], wanted = 0): Promise<Count & { out: string }> => {
    exchanges.length = 0
    const { ms, exit, out, err } = await run(command, place.env)
    if (exit !== wanted) throw new Error(`${command.slice(-6).join(' ')} ended with ${exit}: ${out}${err}`)
    if (isVerbose) {
      const began = Math.min(...exchanges.map(({ start }) => start))
      for (const { start, end, methods } of exchanges.toSorted((a, b) => a.start - b.start))
        process.stdout.write(
          `  ${(start - began).toFixed(0).padStart(6)} ${(end - began).toFixed(0).padStart(6)}  ${methods.join(' ')}\n`,
        )
    }
    const ends = exchanges.map(({ end }) => end)
    return {
      ms,
      wireMs: Math.max(0, ...ends) - Math.min(...exchanges.map(({ start }) => start), ...ends),
      out,
      requests: exchanges.length,
      calls: exchanges.reduce((sum, { methods }) => sum + methods.length, 0),
      trips: longestChain(exchanges),
    }
  }
  const close = async () => {
    // The sandbox is stopped through the control server, which is closed last.
    await place.close()
    for (const one of closing) one()
  }
  try {
    const status = await json<Status>(['sandbox', 'up'])
    // The sandbox record points to a control server that names the slow nodes instead of the real ones.
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
    return { env: place.env, status, rpcUrl: nodes.get(status.chains[0]!.rpcUrl)!, json, counted, close }
  } catch (error) {
    await close()
    throw error
  }
}
