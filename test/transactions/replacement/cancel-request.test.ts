import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import type { ChainClient } from '../../../src/chain/chain-client.ts'
import { httpRpc } from '../../../src/chain/rpc/failover.ts'
import { readStepFacts } from '../../../src/diagnosis/facts/chain-facts.ts'
import { sandboxNetworks } from '../../../src/domain/networks.ts'
import type { Journal } from '../../../src/store/journal/journal-interface.ts'
import type { Execution } from '../../../src/transactions/run.ts'
import type { Chain } from '../../support/anvil.ts'
import { attemptsOf } from '../../support/attempts-of.ts'
import { planPayments, run, signer } from '../../support/payments/payment-operation.ts'
import { useChain, useHome } from '../../support/use-journal-and-chain.ts'

let chain: Chain
let home: string
let journal: Journal
const reopen = useHome((made) => {
  ;({ home, journal } = made)
})

const code = (error: unknown) => (error as { code?: string }).code
const outcome = (id: string, more: Partial<Execution> = {}) =>
  run(journal, home, chain.url, id, more).catch((error: unknown) => error)
const kinds = (id: string) => attemptsOf(journal, id, 0).map(({ kind }) => kind)
const until = async (holds: () => boolean | Promise<boolean>) => {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10))
}
/** Transactions are sent a moment after they are signed; a block mined in between would not contain them. */
const sentAll = (id: string) => until(() => attemptsOf(journal, id, 0).every(({ sends }) => sends > 0))
const mine = () => chain.rpc.request('evm_mine')
/** Mines a block whose base fee is too high for all pending transactions. */
const mineDear = async () => {
  await chain.rpc.request('anvil_setNextBlockBaseFeePerGas', [`0x${(10n ** 12n).toString(16)}`])
  await mine()
}

/** Sends an operation on a chain that mines no blocks by itself. */
async function waiting(id: string): Promise<void> {
  await chain.rpc.request('evm_setAutomine', [false])
  planPayments(journal, id)
  expect(code(await outcome(id, { noWait: true }))).toBe('PENDING')
}

useChain(
  (made) => {
    chain = made
  },
  { each: true },
)

describe('a gateway that refuses eth_getTransactionBySenderAndNonce', () => {
  const refusals = {
    'with an HTML page': [403, '<html>Forbidden</html>'],
    'with an error without a request id': [
      200,
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}}',
    ],
  } as const
  let gateway: Server
  afterEach(() => {
    gateway.closeAllConnections()
    gateway.close()
  })

  /** A gateway in front of the test's node. */
  async function refusing(how: keyof typeof refusals): Promise<Partial<Execution>> {
    gateway = createServer(async (request, response) => {
      let body = ''
      for await (const part of request) body += String(part)
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
    '%s does not prevent resending, speed-up or cancel',
    async (how) => {
      const through = await refusing(how)
      await waiting('refused')
      await chain.rpc.request('anvil_dropAllTransactions')
      // The chain is not reported as unreachable either, since it answers everything else.
      const { steps } = journal.find('refused')!
      const [network] = sandboxNetworks
      const node = through.rpc!(31337)
      expect(
        await readStepFacts(node, network!, steps[0]!, attemptsOf(journal, 'refused', 0), 1),
      ).toMatchObject({
        latest: steps[0]!.nonce,
      })
      await outcome('refused', { ...through, noWait: true })
      const [first] = attemptsOf(journal, 'refused', 0)
      expect(await chain.rpc.request('eth_getTransactionByHash', [first!.hash])).not.toBeNull()
      for (const replacement of ['bump', 'cancel'] as const)
        await outcome('refused', { ...through, replacement, noWait: true })
      expect(kinds('refused')).toEqual(['run', 'bump', 'cancel'])
      await mine()
      expect(code(await outcome('refused', through))).toBe('CANCELLED')
    },
  )
})

describe('a cancel', () => {
  const patience = { blocks: 2, ms: 30 }

  it('is replaced and confirmed although the system clock was set back by an hour', async () => {
    let behind = 0
    reopen(() => Date.now() - behind)
    await waiting('earlier')
    behind = 3_600_000
    const ended = outcome('earlier', { replacement: 'cancel', bumpDelay: patience })
    await until(() => kinds('earlier').length > 1)
    await until(async () => {
      await mineDear()
      return kinds('earlier').length > 2
    })
    expect(kinds('earlier')).toEqual(['run', 'cancel', 'cancel'])
    await sentAll('earlier')
    await mine()
    expect(code(await ended)).toBe('CANCELLED')
  })
})

/** A node that reports a transaction count of zero. */
function behind(): ChainClient {
  const node = httpRpc(chain.url)
  const isCount = (method: string | undefined) => method === 'eth_getTransactionCount'
  const batch: ChainClient['batch'] = async (calls) =>
    (await node.batch(calls)).map((answer, at) => (isCount(calls[at]?.[0]) ? '0x0' : answer))
  return { ...node, batch }
}

it('a transaction count below the final steps is reported as a node that is behind', async () => {
  planPayments(journal, 'done')
  expect(await outcome('done')).toMatchObject({ state: 'DONE' })
  planPayments(journal, 'next')
  expect(await outcome('next', { rpc: behind })).toMatchObject({
    code: 'RPC_INCONSISTENT',
    message: expect.stringContaining('the node is behind'),
  })
  expect(await outcome('next')).toMatchObject({ state: 'DONE' })
})

it('a transaction count below a nonce lost to another transaction is reported as a node that is behind', async () => {
  await waiting('lost')
  await chain.rpc.request('anvil_dropAllTransactions')
  await chain.rpc.request('eth_sendTransaction', [{ from: signer.address, to: signer.address }])
  await mine()
  expect(code(await outcome('lost'))).toBe('SUPERSEDED')
  await chain.rpc.request('evm_setAutomine', [true])
  planPayments(journal, 'done')
  expect(await outcome('done')).toMatchObject({ state: 'DONE' })
  planPayments(journal, 'next')
  expect(await outcome('next', { rpc: behind })).toMatchObject({
    code: 'RPC_INCONSISTENT',
    message: expect.stringContaining('the node is behind'),
  })
})
