import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'

/** One call as the node receives it. */
export type NodeCall = { id: number; method: string; params: unknown[] }

/** A loopback server that answers each call as the test specifies; `seen` lists the calls received. */
export type FakeNode = {
  url: string
  seen: string[]
  answer: (call: NodeCall, response: ServerResponse) => void
  stop: () => Promise<void>
}

/** Starts a server that answers only as the test specifies. */
export async function fakeNode(): Promise<FakeNode> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const call = JSON.parse(Buffer.concat(chunks).toString()) as NodeCall
    node.seen.push(call.method)
    node.answer(call, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  const node: FakeNode = {
    url: `http://127.0.0.1:${address.port}/`,
    seen: [],
    answer: (_, response) => void response.destroy(),
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return node
}
