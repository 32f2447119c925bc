import { join } from 'node:path'
import { expect, test } from 'vitest'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

// A swap from Bitcoin is an action of the journal, though nothing of it is signed.

const sandbox = useSandbox()
const { run, home, signsNothing } = useCommands(sandbox)
const refund = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'
const key = 'bitcoin-action-1'
const line = `swap execute --from bitcoin --token-in BTC --to sandbox-one --token-out USDC --amount-in 0.01 --refund ${refund} --yes --json --idempotency-key ${key}`

/** The code of the error after the lines of a watch. */
const codeOf = (lines: string) => JSON.parse(lines.trimEnd().split('\n').at(-1)!).error?.code

const begin = async (provider: string) => {
  const { json, exit, err } = await run(`${line} --provider ${provider} --no-wait`)
  expect(exit, err).toBe(20)
  const { id, deposit } = json.error.details
  const memo = deposit.memo === null ? [] : ['--memo', deposit.memo]
  const pay = async () =>
    (await run(['sandbox', 'pay-bitcoin', deposit.address, '0.01', ...memo, '--json'])).json.txid
  return { id: id as string, address: deposit.address as string, pay }
}

test.each(['near-intents', 'thorchain'])(
  'a swap by %s is listed, shown, explained, watched, exported and verified by each of its names',
  async (provider) => {
    const { id, address, pay } = await begin(provider)
    for (const name of [id, id.slice(0, 12), key, address]) {
      const { json: shown, out } = await run(`action show ${name} --json`)
      expect(shown, name).toMatchObject({ id, status: 'INITIAL', idempotencyKey: key, transactions: [] })
      expect(shown.deposit).toMatchObject({ amount: { formatted: '0.01' }, hash: null })
      // How to pay says the command that looks first whether it is paid.
      expect(out).not.toContain(address)
      expect((await run(`action explain ${name} --json`)).json).toMatchObject({
        ...{ id, situation: 'QUOTE_OPEN', safeToRetry: false },
        next: `sluice swap status ${id} --watch`,
      })
    }
    expect((await run('action list --json')).json.items).toMatchObject([{ id, type: 'CROSSCHAIN_SWAP' }])
    const hash = await pay()
    const watched = await run(`action watch ${key} --json --timeout 60s`)
    expect(watched.exit, watched.out + watched.err).toBe(0)
    const done = (await run(`action show ${hash} --json`)).json
    expect(done).toMatchObject({ id, status: 'SUCCESS', deposit: { hash } })
    expect(done.destinationTxHash).toMatch(/^0x[0-9a-f]{64}$/)
    for (const name of [id, key, hash, hash.toUpperCase(), done.destinationTxHash]) {
      const { json, err } = await run(`action explain ${name} --json`)
      expect(json, err).toMatchObject({ id, situation: 'DONE', createdAt: done.createdAt })
      expect((await run(`swap status ${name} --json`)).json).toMatchObject({ id, status: 'fulfilled' })
    }
    expect((await run('action list --status SUCCESS --json')).json.items).toMatchObject([{ id }])
    const out = join(home(), 'case.json')
    expect((await run(`action export ${hash} --out ${out} --json`)).json).toMatchObject({ id })
    const verified = await run(`action verify ${out} --json`)
    expect(verified.exit, verified.out).toBe(0)
    const payout = { hash: done.destinationTxHash, verdict: 'confirmed' }
    expect(verified.json).toMatchObject({ id, transactions: [payout], statedOnly: ['deposit'] })
    const again = await run(`${line} --provider ${provider}`)
    expect(again.json, again.err).toMatchObject({ id, status: 'fulfilled', deposit: { address: null } })
  },
)

test.each(['near-intents', 'thorchain'])(
  'a payment by %s that may be under way from another wallet ends with exit 20, though nothing is signed here, as the help says',
  async (provider) => {
    const ran = `${line} --provider ${provider}`
    const exits = await signsNothing(async () => [
      (await run(`${ran} --dry-run`)).exit,
      (await run(`${ran.replace(key, `${key}-2`)} --no-wait`)).exit,
      (await run(`${ran.replace(key, `${key}-2`)} --no-wait`, { later: 5 * 3_600_000 })).exit,
    ])
    expect(exits).toEqual([0, 20, 4])
    const { out } = await run('help exit-codes')
    expect(out.replace(/\s+/g, ' ')).toContain(
      'The payment of a swap from Bitcoin is signed in another wallet and counts as well: until it is delivered (0) or known to be unpaid after its deadline (4), the swap ends with 20 or more',
    )
  },
)

test('what is signed elsewhere is not resumed, replaced, closed or revoked here', async () => {
  const { id } = await begin('near-intents')
  for (const command of ['resume', 'cancel', 'abandon', 'speed-up', 'revoke', 'replan']) {
    const { exit, json } = await run(`action ${command} ${id} --yes --json`)
    expect({ exit, code: json.error?.code }, command).toEqual({ exit: 2, code: 'USAGE' })
    expect(json.error.message).toContain('is a swap from Bitcoin, of which nothing is signed here')
    expect(json.error.hint).toBe(`sluice swap status ${id} --watch`)
  }
})

test('a deposit that nobody pays in time ends with exit 4, and one that is refunded with 25', async () => {
  const { id, pay } = await begin('near-intents')
  const late = { later: 5 * 3_600_000 }
  expect((await run(`swap status ${id} --json`, late)).json).toMatchObject({ status: 'expired' })
  const unpaid = await run(`action watch ${id} --json`, late)
  expect({ exit: unpaid.exit, code: codeOf(unpaid.out) }).toEqual({ exit: 4, code: 'QUOTE_EXPIRED' })
  expect((await run(`action show ${id} --json`)).json).toMatchObject({ status: 'FAILED' })
  await run('sandbox fault bitcoin-refund --json')
  await pay()
  const back = await run(`swap status ${id} --watch --json --timeout 60s`)
  expect(back.exit, back.out).toBe(25)
  const { exit, out } = await run(`action watch ${id} --json`)
  expect({ exit, code: codeOf(out) }).toEqual({ exit: 25, code: 'REFUNDED' })
  expect((await run(`action show ${id} --json`)).json).toMatchObject({ status: 'REFUNDED' })
  expect((await run(`action explain ${id} --json`)).json).toMatchObject({ situation: 'BRIDGE_REFUNDED' })
})
