import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'

const head = 'host: x\r\nx-api-key: k\r\n'
const kinds: [begin: string, drip: string][] = [
  ['', ''],
  ['GET /a', 'a'],
  [`GET /strategies HTTP/1.1\r\n${head}`, 'x'],
  [`GET /strategies HTTP/1.1\r\n${head}x-a: `, 'x'],
]

/** A connection that sends this start and then one byte per second; `ended` once the server has closed it. */
function dripping(url: URL, begin: string, drip: string) {
  const socket: Socket = connect(Number(url.port), url.hostname, () => socket.write(begin))
  socket.on('error', () => undefined)
  socket.resume()
  const timer = setInterval(() => drip !== '' && socket.writable && socket.write(drip), 1_000)
  return {
    begun: new Promise((resolve) => socket.once('connect', resolve)),
    ended: new Promise<void>((resolve) =>
      socket.once('close', () => {
        clearInterval(timer)
        resolve()
      }),
    ),
    end: () => socket.destroy(),
  }
}

/**
 * Results of a normal client beside this number of slow sockets: its response times in ms in ascending
 * order, all statuses other than 200, and the number of slow sockets still open after 25 s.
 */
export async function besideSlowSockets(
  service: string,
  count: number,
): Promise<{ took: number[]; refused: number[]; left: number }> {
  const url = new URL(service)
  const agent = new Agent({ connections: 1 })
  const [took, refused]: number[][] = [[], []]
  const ask = async () => {
    const began = performance.now()
    const { statusCode, body } = await request(`${url.origin}/healthz`, { dispatcher: agent })
    await body.dump()
    if (statusCode !== 200) refused!.push(statusCode)
    return performance.now() - began
  }
  await ask()
  const all = Array.from({ length: count }, (_, at) => dripping(url, ...kinds[at % kinds.length]!))
  let left = count
  for (const { ended } of all) void ended.then(() => left--)
  try {
    await Promise.all(all.map(({ begun }) => begun))
    const began = performance.now()
    while (left > 0 && performance.now() - began < 25_000) {
      took!.push(await ask())
      await sleep(10)
    }
  } finally {
    for (const { end } of all) end()
    await agent.close()
  }
  return { took: took!.toSorted((a, b) => a - b), refused: refused!, left }
}
