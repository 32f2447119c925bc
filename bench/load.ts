import { connect, type Socket } from 'node:net'

/** The results of a load: requests per second, and the 50th and 99th percentile of latency in ms. */
export type Load = { perSecond: number; p50: number; p99: number }

/** One request as bytes, built for each request, so that keys alternate. */
export type Next = () => string

/**
 * Sends requests over some keep-alive connections, one at a time on each, for the given time. Every response must be a 200 of the
 * same size as the first, which keeps the client cheap and leaves the machine to the server.
 */
export async function load(
  url: string,
  next: Next,
  { ms, connections = 64 }: { ms: number; connections?: number },
): Promise<Load> {
  const { hostname, port } = new URL(url)
  const size = (await one(hostname, Number(port), next())).length
  const latencies: number[] = []
  const began = performance.now()
  const until = began + ms
  await Promise.all(
    Array.from({ length: connections }, () =>
      worker(connect(Number(port), hostname), size, next, until, latencies),
    ),
  )
  const took = performance.now() - began
  latencies.sort((a, b) => a - b)
  const at = (share: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))]!
  return { perSecond: (latencies.length / took) * 1000, p50: at(0.5), p99: at(0.99) }
}

function worker(socket: Socket, size: number, next: Next, until: number, latencies: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let got = 0
    let began = 0
    const ask = () => {
      got = 0
      began = performance.now()
      socket.write(next())
    }
    socket.setNoDelay(true)
    socket.on('connect', ask)
    socket.on('error', reject)
    socket.on('close', () => resolve())
    socket.on('data', (bytes: Buffer) => {
      if (got === 0 && bytes.toString('latin1', 0, 12) !== 'HTTP/1.1 200')
        return void socket.destroy(new Error(`the answer was ${bytes.toString('latin1', 0, 600)}`))
      got += bytes.length
      if (got < size) return
      if (got > size) return void socket.destroy(new Error('the answers are not of one size'))
      const now = performance.now()
      latencies.push(now - began)
      if (now < until) ask()
      else socket.destroy()
    })
  })
}

/** The complete response to one request. */
export function one(hostname: string, port: number, sent: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(port, hostname, () => socket.write(sent))
    socket.on('error', reject)
    socket.on('data', (bytes) => {
      chunks.push(bytes)
      const all = Buffer.concat(chunks)
      const end = all.indexOf('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(all.toString('latin1', 0, end))?.[1] ?? Number.NaN)
      if (end < 0 || all.length < end + 4 + length) return
      socket.destroy()
      resolve(all)
    })
  })
}
