import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hexQuantity } from '../../../src/chain/rpc/quantities.ts'
import { sandboxKey } from '../../../src/sandbox/accounts.ts'
import { openJournal } from '../../../src/store/journal/journal.ts'
import { attemptsOf } from '../../support/attempts-of.ts'
import { provider } from '../../support/nodes/proxy-node.ts'
import { rpcEnvOf, useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, home, signsNothing } = useCommands(sandbox)
const friend = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const rpc = () => sandbox.chain(31337).rpc
const url = () => sandbox.chain(31337).rpcUrl
const by = (...urls: string[]) => ({
  env: rpcEnvOf(sandbox, { 'sandbox-one': urls.join() }),
  secrets: { privateKey: sandboxKey() },
})
const got = () => sandbox.balanceOf(31337, sandbox.token(31337, 'USDC').address, friend)
const payment = (amount: number, key: string) =>
  `transfer --network sandbox-one --token USDC --to ${friend} --amount ${amount} --yes --json --no-wait --trust-first-use --idempotency-key ${key}`
const explained = async (id: string, ...urls: string[]) =>
  (await signsNothing(() => run(`action explain ${id} --json`, by(...urls)))).json

/** Sends a payment that stays pending; returns its ID. */
const waiting = async (amount: number) => {
  await rpc().request('evm_setAutomine', [false])
  const sent = await run(payment(amount, `first-000${amount}`), by(url()))
  expect(sent).toMatchObject({ exit: 20 })
  return sent.json.error.details.id as string
}

test('a payment whose cancel a reorganisation removed is unsafe to retry, and a repeat of it is refused', async () => {
  const before = await got()
  const id = await waiting(5)
  await run(`action cancel ${id} --timeout 3s --yes --json`, by(url()))
  await rpc().request('evm_mine')
  expect(await run(`action resume ${id} --json`, by(url()))).toMatchObject({ exit: 24 })
  expect(await explained(id, url())).toMatchObject({ situation: 'CANCELLED', safeToRetry: true, next: null })
  const journal = openJournal(join(home(), 'data', 'journal.db'), Date.now)
  const operation = journal.find(id)!
  const at = operation.steps[0]!.inclusion!.blockNumber
  const kept = await rpc().request('eth_getBlockByNumber', [hexQuantity(at), false])
  const [payed] = attemptsOf(journal, id, 0)
  journal.close()
  await rpc().request('anvil_reorg', [1, []])
  await rpc().request('eth_sendRawTransaction', [payed!.raw])
  const saying = (result: unknown) =>
    provider(url(), ({ method, params }) =>
      method === 'eth_getBlockByNumber' && Number(params[0]) === at ? { result } : undefined,
    )
  const others = [await saying(null), await saying(kept)]
  const doubts = [
    `has another block ${at} than the one that contained it, and`,
    `have different blocks ${at}`,
  ]
  for (const [place, other] of others.entries()) {
    const said = await explained(id, url(), other.url)
    expect(said).toMatchObject({
      situation: 'CANCELLED',
      verdict: expect.stringContaining(doubts[place]!),
      safeToRetry: false,
      next: `sluice action explain ${id}`,
    })
    expect(said.verdict).toContain(`${payed!.hash} is pending again and can still be mined.`)
    await other.close()
  }
  expect(await signsNothing(() => run(payment(5, 'again-0005'), by(url())))).toMatchObject({
    exit: 7,
    json: {
      error: {
        code: 'RPC_INCONSISTENT',
        details: { latest: operation.steps[0]!.nonce, before: id },
        hint: expect.stringContaining(`sluice action resume ${id}`),
      },
    },
  })
  await rpc().request('evm_setAutomine', [true])
  await rpc().request('evm_mine')
  expect((await got()) - before).toBe(5_000000n)
})

test('a payment that lost its nonce is unsafe to retry while the other transaction is pending again', async () => {
  const id = await waiting(7)
  await rpc().request('anvil_dropAllTransactions')
  const other = { from: sandbox.user.address, to: friend, value: '0x1' }
  await rpc().request('eth_sendTransaction', [other])
  await rpc().request('evm_mine')
  expect(await run(`action resume ${id} --json`, by(url()))).toMatchObject({ exit: 23 })
  expect(await explained(id, url())).toMatchObject({ situation: 'SUPERSEDED', safeToRetry: false })
  await rpc().request('anvil_reorg', [1, []])
  const hash = await rpc().request('eth_sendTransaction', [other])
  expect(await explained(id, url())).toMatchObject({
    situation: 'NONCE_TAKEN_NOT_FINAL',
    verdict: expect.stringContaining(`${hash}, has the nonce`),
    safeToRetry: false,
    next: `sluice action explain ${id}`,
  })
  await rpc().request('evm_setAutomine', [true])
})
