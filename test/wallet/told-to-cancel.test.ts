import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { httpRpc } from '../../src/net/rpc.ts'
import { openJournal } from '../../src/store/journal.ts'
import type { Journal } from '../../src/store/journal-words.ts'
import type { Execution } from '../../src/wallet/execution/run.ts'
import { type Chain, startChain } from './chain.ts'
import { journalIn, newHome, oneCoin, payee, planPayments, removeHome, run, signer } from './operation.ts'

let chain: Chain
let home: string
let journal: Journal

const code = (error: unknown) => (error as { code?: string }).code
const outcome = (id: string, more: Partial<Execution> = {}) =>
  run(journal, home, chain.url, id, more).catch((error: unknown) => error)
const kinds = (id: string) => journal.attempts(id, 0).map(({ kind }) => kind)
const until = async (holds: () => boolean | Promise<boolean>) => {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10))
}
const mine = () => chain.rpc.request('evm_mine')
/** A block that is too dear for all that waits. */
const mineDear = async () => {
  await chain.rpc.request('anvil_setNextBlockBaseFeePerGas', [`0x${(10n ** 12n).toString(16)}`])
  await mine()
}

/** An operation that is sent on a chain that mines nothing by itself. */
async function waiting(id: string): Promise<void> {
  await chain.rpc.request('evm_setAutomine', [false])
  planPayments(journal, id)
  expect(code(await outcome(id, { noWait: true }))).toBe('PENDING')
}

beforeEach(async () => {
  chain = await startChain()
  home = newHome()
  journal = journalIn(home)
})
afterEach(async () => {
  journal.close()
  removeHome(home)
  await chain.stop()
})

describe('a gateway that refuses the question of who has a nonce in words of its own', () => {
  const refusals = {
    'with a page': [403, '<html>Forbidden</html>'],
    'with an error to no call': [200, '{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}}'],
  } as const
  let gateway: Server
  afterEach(() => {
    gateway.closeAllConnections()
    gateway.close()
  })

  /** Stands before the node of the test. */
  async function refusing(how: keyof typeof refusals): Promise<Partial<Execution>> {
    gateway = createServer(async (request, response) => {
      const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString()
      const isRefused = body.includes('eth_getTransactionBySenderAndNonce')
      const headers = { 'content-type': 'application/json' }
      const [status, answer] = isRefused
        ? refusals[how]
        : [200, await (await fetch(chain.url, { method: 'POST', headers, body })).text()]
      response.writeHead(status, headers).end(answer)
    })
    await once(gateway.listen(0, '127.0.0.1'), 'listening')
    const { port } = gateway.address() as { port: number }
    return { rpc: () => httpRpc(`http://127.0.0.1:${port}`, { deadlineMs: 2_000, retries: 1 }) }
  }

  it.each(Object.keys(refusals) as (keyof typeof refusals)[])(
    '%s keeps nothing from being sent again, made dearer, or cancelled',
    async (how) => {
      const through = await refusing(how)
      await waiting('refused')
      await chain.rpc.request('anvil_dropAllTransactions')
      await outcome('refused', { ...through, noWait: true })
      const [first] = journal.attempts('refused', 0)
      expect(await chain.rpc.request('eth_getTransactionByHash', [first!.hash])).not.toBeNull()
      for (const replacement of ['bump', 'cancel'] as const)
        await outcome('refused', { ...through, replacement, noWait: true })
      expect(kinds('refused')).toEqual(['run', 'bump', 'cancel'])
      await mine()
      expect(code(await outcome('refused', through))).toBe('CANCELLED')
    },
  )
})
