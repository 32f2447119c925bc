import { describe, expect, test } from 'vitest'
import { useCommands } from '../support/run.ts'
import { useSandbox } from '../support/sandbox.ts'

const sandbox = useSandbox()
const { run, signsNothing } = useCommands(sandbox)
const chainId = 31337
const refund = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'
const flags = `--from bitcoin --token-in BTC --to sandbox-one --token-out USDC --amount-in 0.01 --refund ${refund}`
const usdc = () => sandbox.balanceOf(chainId, sandbox.token(chainId, 'USDC').address, sandbox.user.address)

/** Asks for a quote of a provider, and how it is paid. */
async function quoted(provider: string, more = flags) {
  const { exit, json, err } = await run(`swap quote ${more} --provider ${provider} --json`)
  expect(exit, err).toBe(0)
  const shown = await run(`swap execute ${json.id} --no-wait --json`)
  expect(shown.exit, shown.err).toBe(20)
  expect(shown.json.error.code).toBe('PENDING')
  return shown.json.error.details
}

const paid = async ({ deposit }: { deposit: { address: string; memo: string | null } }, amount = '0.01') => {
  const memo = deposit.memo === null ? [] : ['--memo', deposit.memo]
  const { exit, json, err } = await run([
    'sandbox',
    'pay-bitcoin',
    deposit.address,
    amount,
    ...memo,
    '--json',
  ])
  expect(exit, err).toBe(0)
  return json.txid as string
}

describe.each(['near-intents', 'thorchain'])('a swap from Bitcoin by %s', (provider) => {
  test('is quoted, shown, paid, followed and delivered, and nothing is signed', async () => {
    const before = await usdc()
    const shown = await signsNothing(() => quoted(provider))
    expect(shown).toMatchObject({
      status: 'pending',
      provider,
      originTxHash: null,
      destinationAddress: sandbox.user.address,
      refundAddress: refund,
      deposit: { amount: { raw: '1000000', formatted: '0.01' }, confirmations: null },
    })
    const hash = await paid(shown)
    const { exit, json, err } = await run(`swap execute ${shown.id} --json`)
    expect(exit, err).toBe(0)
    expect(json).toMatchObject({
      status: 'fulfilled',
      originTxHash: hash,
      deposit: { delivery: 'verified', confirmations: 1, paid: { raw: '1000000' }, note: null },
    })
    expect(err).toContain(shown.deposit.address)
    const got = (await usdc()) - before
    expect(got).toBeGreaterThanOrEqual(BigInt(json.amounts.least.raw))
    const status = await run(`swap status ${shown.id} --btc-tx ${hash} --json`)
    expect(status.json).toMatchObject({
      status: 'fulfilled',
      originTxHash: hash,
      deposit: { delivery: 'verified' },
    })
  })
})
