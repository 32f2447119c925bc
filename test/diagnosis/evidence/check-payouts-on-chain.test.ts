import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { evidenceHash } from '../../../src/diagnosis/evidence/make-evidence-file.ts'
import { sandboxAddress } from '../../../src/sandbox/accounts.ts'
import { type Document, useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

// What somebody else paid out at the end of an action is checked on its chain, as what the action signed is.

const sandbox = useSandbox()
const { run, home } = useCommands(sandbox)
const refund = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'
afterEach(() => run('sandbox fault clear --json'))

const swapped = (flags: string) => async () => {
  const { exit, json, err } = await run(`swap execute --from sandbox-one ${flags} --yes --json`)
  expect(exit, err).toBe(0)
  return json.id as string
}

const fromBitcoin = (provider: string, symbol: string) => async () => {
  const flags = `--from bitcoin --token-in BTC --to sandbox-one --token-out ${symbol} --amount-in 0.01 --refund ${refund}`
  const begun = await run(`swap execute ${flags} --provider ${provider} --no-wait --yes --json`)
  const { id, deposit } = begun.json.error.details
  const memo = deposit.memo === null ? [] : ['--memo', deposit.memo]
  await run(['sandbox', 'pay-bitcoin', deposit.address, '0.01', ...memo, '--json'])
  await run(`action watch ${id} --timeout 60s --json`)
  return id as string
}

const far = '--to sandbox-two --token-in USDC --token-out USDC --amount-in 60 --provider'

const actions = {
  across: { made: swapped(`${far} across`), chainId: 31338 },
  cctp: { made: swapped(`${far} cctp`), chainId: 31338 },
  relay: { made: swapped(`${far} relay`), chainId: 31338 },
  cow: {
    made: swapped('--token-in USDC --token-out WETH --amount-in 650 --provider cow'),
    chainId: 31337,
  },
  'near-intents, USDC': { made: fromBitcoin('near-intents', 'USDC'), chainId: 31337 },
  'thorchain, ETH': { made: fromBitcoin('thorchain', 'ETH'), chainId: 31337 },
} as const

describe.each(Object.entries(actions))('the payout of an action by %s', (name, { made, chainId }) => {
  test('is confirmed as it was, and by no other transaction, recipient, token or amount', async () => {
    const id = await made()
    const file = join(home(), 'case.json')
    const exported = await run(['action', 'export', id, '--out', file, '--json'])
    expect(exported.exit, exported.err).toBe(0)
    const evidence = JSON.parse(readFileSync(file, 'utf8')) as Document
    expect(evidence.report.status).toBe('SUCCESS')
    const hash: string = evidence.report.destinationTxHash
    const verified = async (change: (arrival: Document) => void) => {
      const changed = structuredClone(evidence)
      const { arrival } = changed.operation.legs.at(-1)
      change(arrival)
      changed.report.destinationTxHash = arrival.hash
      writeFileSync(file, JSON.stringify({ ...changed, sha256: evidenceHash(changed) }))
      const { exit, json } = await run(['action', 'verify', file, '--json'])
      const { transactions = [] } = json.error?.details ?? json
      const { verdict, why } = transactions.find((one: Document) => one.hash === arrival.hash) ?? {}
      return { exit, verdict: verdict ?? json.error?.code, why }
    }
    expect(await verified(() => undefined)).toEqual({ exit: 0, verdict: 'confirmed', why: null })
    // A transfer of nothing, on the same chain.
    const { transactionHash: other } = await sandbox.sendAs(chainId, sandboxAddress(3), {
      to: sandboxAddress(5),
      value: 0n,
    })
    const refuted = { exit: 4, verdict: 'refuted' }
    expect(await verified((one) => (one.hash = other))).toMatchObject(refuted)
    expect(await verified((one) => (one.recipient = sandboxAddress(5)))).toMatchObject(refuted)
    expect(await verified((one) => (one.minimum = `${BigInt(one.minimum) * 2n}`))).toMatchObject(refuted)
    const token = sandbox.token(chainId, 'WBTC').address
    expect(await verified((one) => (one.token = token))).toMatchObject(refuted)
    const unknown = { exit: 7, verdict: 'unknown', why: 'the node does not have it' }
    expect(await verified((one) => (one.hash = `0x${'ab'.repeat(32)}`))).toEqual(unknown)
    const changed = { exit: 4, verdict: 'EVIDENCE_CHANGED' }
    expect(await verified((one) => (one.hash = null))).toMatchObject(changed)
    writeFileSync(file, JSON.stringify(evidence))
    const { out, exit } = await run(['action', 'verify', file])
    expect({ exit, out }).toEqual({ exit: 0, out: expect.stringContaining(`✓ ${hash}  confirmed`) })
    const isBitcoin = name.startsWith('near-intents') || name.startsWith('thorchain')
    expect(out.includes('not checked, because Bitcoin is not read here: deposit')).toBe(isBitcoin)
  })
})

test('an arrival of less than was agreed is confirmed with its amount, and with no other', async () => {
  await run('sandbox fault bridge-short 10 --json')
  const { exit, json } = await run(`swap execute --from sandbox-one ${far} cctp --yes --json`)
  expect(exit).toBe(25)
  const file = join(home(), 'short.json')
  await run(['action', 'export', json.error.details.operation, '--out', file, '--json'])
  const evidence = JSON.parse(readFileSync(file, 'utf8')) as Document
  const verified = async (brought: Document) => {
    const changed = structuredClone(evidence)
    const { operation, report } = changed
    for (const one of [operation.result, report.amounts]) one.out = brought
    for (const one of [operation.result.short, report.arrivedShort]) one.brought = brought
    writeFileSync(file, JSON.stringify({ ...changed, sha256: evidenceHash(changed) }))
    const { exit, json } = await run(['action', 'verify', file, '--json'])
    const { transactions } = json.error?.details ?? json
    return { exit, ...transactions.find((one: Document) => one.hash === report.arrivedShort.hash) }
  }
  const { brought } = evidence.report.arrivedShort
  expect(await verified(brought)).toMatchObject({ exit: 0, verdict: 'confirmed' })
  const more = { ...brought, raw: `${BigInt(brought.raw) + 1n}` }
  expect(await verified(more)).toMatchObject({ exit: 4, verdict: 'refuted' })
})
