import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pad } from 'viem/utils'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Hex } from '../../../src/domain/address.ts'
import { engineOn } from '../../support/engine.ts'
import { serveTo, type TestServer } from '../../support/services/serve-in-process.ts'
import { type Document, rpcEnvOf, useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

// A swap from Bitcoin has the names of what happens to it on two chains, also of what nobody has looked at here yet.

const sandbox = useSandbox()
const { run, home } = useCommands(sandbox)
const apiKey = 'key-names'
const refund = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'
const flags = `--from bitcoin --token-in BTC --to sandbox-one --token-out USDC --amount-in 0.01 --refund ${refund}`

let served: TestServer
beforeEach(async () => {
  served = await serveTo(engineOn(sandbox).service, apiKey)
})
afterEach(async () => {
  await served.close()
  await run('sandbox fault clear --json')
})

type Backend = 'sandbox' | 'remote'

/** A line in the sandbox, or at a service behind HTTP, with this machine's own Esplora and nodes. */
const asked = (backend: Backend, line: string) =>
  run(
    line,
    backend === 'sandbox'
      ? {}
      : {
          env: {
            ...rpcEnvOf(sandbox),
            SLUICE_BASE_URL: served.url,
            SLUICE_ESPLORA_URL: sandbox.world.catalog().bitcoin!.esplora,
          },
          secrets: { privateKey: sandbox.user.key, apiKey },
        },
  )

async function pay({ address, memo }: Document): Promise<string> {
  const more = memo === null ? [] : ['--memo', memo]
  const { json, err } = await run(['sandbox', 'pay-bitcoin', address, '0.01', ...more, '--json'])
  expect(json.txid, err).toMatch(/^[0-9a-f]{64}$/)
  return json.txid
}

/** The newest transaction of a chain that pays USDC to the wallet, with a block on top of it. */
async function payoutAfter(count: number): Promise<Hex> {
  for (;;) {
    const all = await payouts()
    if (all.length > count) return all.at(-1)!.transactionHash
    await new Promise((done) => setTimeout(done, 100))
  }
}

const payouts = (): Promise<{ transactionHash: Hex }[]> =>
  sandbox.chain(31337).rpc.request('eth_getLogs', [
    {
      ...{ fromBlock: '0x0', address: sandbox.token(31337, 'USDC').address },
      topics: [
        '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
        null,
        pad(sandbox.user.address),
      ],
    },
  ])

type Word = { situation: string; status: string }

/** Whether `explain` and `show` find a swap by each of its names and say how it stands, as text and as JSON. */
async function knows(backend: Backend, id: string, names: readonly string[], says: Word): Promise<void> {
  for (const [command, word] of [
    ['explain', says.situation],
    ['show', says.status],
  ] as const)
    for (const name of names) {
      const { json, err } = await asked(backend, `action ${command} ${name} --json`)
      expect(json, `${command} ${name} ${err}`).toMatchObject({
        id,
        [command === 'show' ? 'status' : 'situation']: word,
      })
      const { out } = await asked(backend, `action ${command} ${name}`)
      expect(out, `${command} ${name}`).toContain(word)
      expect(out, `${command} ${name}`).toContain(id)
    }
}

/** `first` is the first command that reads a payment, a payout and a refund: from then on the swap has their names. */
test.each<[Backend, provider: string, first: string]>([
  ['sandbox', 'near-intents', 'action explain HASH'],
  ['sandbox', 'thorchain', 'action show HASH'],
  ['sandbox', 'near-intents', 'action explain ID'],
  ['sandbox', 'thorchain', 'action export HASH'],
  ['sandbox', 'near-intents', 'action export ID'],
  ['sandbox', 'near-intents', 'swap status HASH'],
  ['remote', 'near-intents', 'action explain HASH'],
  ['remote', 'near-intents', 'action explain ID'],
])('%s, %s: quote, address, payment and payout name a swap after "%s"', async (backend, provider, first) => {
  const begin = async () => {
    const { json: quote, err } = await asked(backend, `swap quote ${flags} --provider ${provider} --json`)
    expect(quote.provider, err).toBe(provider)
    const begun = await asked(backend, `swap execute ${quote.id} --no-wait --json`)
    expect(begun.exit, begun.err + begun.out).toBe(20)
    return begun.json.error.details as Document
  }
  const { id, deposit } = await begin()
  const read = async (hash: string) => {
    const said = await asked(backend, `${first.replace('HASH', hash).replace('ID', id)} --json`)
    expect(said.exit, said.err).toBe(0)
    const { json } = await asked(backend, `action show ${id} --json`)
    if (said.json.report) expect(said.json.report).toEqual({ ...said.json.report, status: json.status })
    return json
  }
  await knows(backend, id, [id, deposit.address], { situation: 'QUOTE_OPEN', status: 'INITIAL' })
  await run('sandbox fault bitcoin-stuck --json')
  const before = (await payouts()).length
  const hash = await pay(deposit)
  expect(await read(hash)).toMatchObject({ status: 'PENDING', deposit: { hash } })
  const names = [hash, hash.toUpperCase(), id, deposit.address]
  await knows(backend, id, names, { situation: 'BRIDGE_WAITING', status: 'PENDING' })
  await run('sandbox fault clear --json')
  const payout = await payoutAfter(before)
  await sandbox.chain(31337).rpc.request('anvil_mine', ['0x8'])
  expect(await read(payout)).toMatchObject({ status: 'SUCCESS', destinationTxHash: payout })
  await knows(backend, id, [payout, ...names], { situation: 'DONE', status: 'SUCCESS' })
})

test.each(['near-intents', 'thorchain'])(
  'a refund by %s ends the swap that the payment, the quote and the address name',
  async (provider) => {
    await run('sandbox fault bitcoin-refund --json')
    const { json } = await asked('sandbox', `swap quote ${flags} --provider ${provider} --json`)
    const begun = await asked('sandbox', `swap execute ${json.id} --no-wait --json`)
    const { deposit } = begun.json.error.details
    const hash = await pay(deposit)
    const explained = async () => (await asked('sandbox', `action explain ${hash} --json`)).json.situation
    while ((await explained()) === 'BRIDGE_WAITING') await new Promise((done) => setTimeout(done, 100))
    const says = { situation: 'BRIDGE_REFUNDED', status: 'REFUNDED' }
    await knows('sandbox', json.id, [hash, json.id, deposit.address], says)
  },
)

test('what is read of a swap is not recorded in a journal that was changed', async () => {
  const { json } = await asked('sandbox', `swap quote ${flags} --provider near-intents --json`)
  const begun = await asked('sandbox', `swap execute ${json.id} --no-wait --json`)
  const db = new DatabaseSync(join(home(), 'data', 'sandbox', 'journal.db'))
  db.exec(`UPDATE operation SET state = 'FAILED', exit = 4`)
  await pay(begun.json.error.details.deposit)
  for (const command of ['action explain', 'swap status']) {
    await asked('sandbox', `${command} ${json.id} --json`)
    expect({ ...db.prepare('SELECT state, exit FROM operation').get() }).toEqual({ state: 'FAILED', exit: 4 })
  }
  db.close()
})

test('a hash of no swap stays unknown, and names none of those that are open', async () => {
  const { json } = await asked('sandbox', `swap quote ${flags} --provider near-intents --json`)
  expect((await asked('sandbox', `swap execute ${json.id} --no-wait --json`)).exit).toBe(20)
  for (const hash of ['ab'.repeat(32), `0x${'ab'.repeat(32)}`])
    for (const command of ['explain', 'show', 'export']) {
      const { exit, json: said } = await asked('sandbox', `action ${command} ${hash} --json`)
      expect({ exit, code: said.error?.code }, command).toEqual({ exit: 4, code: 'ACTION_NOT_FOUND' })
    }
})
