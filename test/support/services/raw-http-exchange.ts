import { connect, type Socket } from 'node:net'

/** The number of turns of the event loop without a byte after which no answer of a server in this process is on its way. */
const idleTurns = 10

/**
 * The bytes received on one connection until it was closed, or until `quietMs` after the last byte. A slow process is waited for, because
 * a server of a test runs on the same event loop.
 */
export function exchange(
  url: string,
  sent: string | Buffer,
  { quietMs = 150 }: { quietMs?: number } = {},
): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const socket: Socket = connect(Number(port), hostname)
    let got = ''
    let quiet: NodeJS.Timeout | undefined
    const end = () => {
      clearTimeout(quiet)
      socket.destroy()
      resolve(got)
    }
    const endAfter = (turns: number) => {
      const before = got
      setImmediate(() => {
        if (got !== before) return
        if (turns > 0) endAfter(turns - 1)
        else end()
      })
    }
    const wait = () => {
      clearTimeout(quiet)
      quiet = setTimeout(endAfter, got === '' ? quietMs * 4 : quietMs, idleTurns)
    }
    socket.setEncoding('latin1')
    socket.on('connect', () => {
      socket.write(sent)
      wait()
    })
    socket.on('data', (text: string) => {
      got += text
      wait()
    })
    socket.on('error', end)
    socket.on('close', end)
  })
}

/** The statuses of all responses on a connection. */
export const statusesIn = (text: string): number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
