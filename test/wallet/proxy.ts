import { once } from 'node:events'
import { createServer } from 'node:http'

/** What the proxy does with one call instead of passing it on and bringing the answer back. */
export type Lie =
  | 'lose-answer'
  | 'lose-request'
  | 'answer-502'
  | 'fake-hash'
  | 'nonce-too-low'
  | 'already-known'
  | 'wrong-id'
  | 'html'
  | 'forged-receipt'

/** A proxy in front of a node that tells a lie about the n-th call of a method, and remembers every call. */
export type Proxy = { url: string; calls: string[]; stop: () => Promise<void> }

type Call = { id: number; method: string; params: unknown[] }

/** The receipt of a success in a block that is on no chain. */
const forgedReceipt = (transactionHash: string) => ({
  transactionHash,
  blockNumber: '0x0',
  blockHash: `0x${'ee'.repeat(32)}`,
  status: '0x1',
  gasUsed: '0x5208',
  effectiveGasPrice: '0x1',
  logs: [],
})

/** Starts the proxy. A lie with `nth: 0` is told every time. */
export async function startProxy(
  target: string,
  lies: readonly { method: string; nth: number; lie: Lie }[],
  onSend: (raw: string) => void = () => {},
): Promise<Proxy> {
  const seen = new Map<string, number>()
  const calls: string[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const first = [JSON.parse(body) as Call | Call[]].flat()[0]!
    const nth = (seen.get(first.method) ?? 0) + 1
    seen.set(first.method, nth)
    calls.push(first.method)
    if (first.method === 'eth_sendRawTransaction') onSend(String(first.params[0]))
    const lie = lies.find(
      (known) => known.method === first.method && (known.nth === nth || known.nth === 0),
    )?.lie
    const reply = (more: object) => response.end(JSON.stringify({ jsonrpc: '2.0', id: first.id, ...more }))
    const pass = async () =>
      (await fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).text()
    response.setHeader('content-type', 'application/json')
    if (lie === 'lose-request') return void request.socket.destroy()
    if (lie === 'html') return void response.end('<html>maintenance</html>')
    if (lie === 'wrong-id') return void reply({ id: first.id + 7, result: '0x99' })
    if (lie === 'fake-hash') return void reply({ result: `0x${'ab'.repeat(32)}` })
    if (lie === 'nonce-too-low') return void reply({ error: { code: -32000, message: 'nonce too low' } })
    if (lie === 'already-known') return void reply({ error: { code: -32000, message: 'already known' } })
    if (lie === 'forged-receipt') return void reply({ result: forgedReceipt(String(first.params[0])) })
    const answer = await pass()
    if (lie === 'lose-answer') return void request.socket.destroy()
    if (lie === 'answer-502') response.statusCode = 502
    response.end(answer)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('No port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    calls,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
