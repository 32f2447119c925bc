import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { privateKeyToAccount } from 'viem/accounts'
import { formatUnits } from 'viem/utils'
import { expect, test } from 'vitest'
import { evidenceHash } from '../../../src/diagnosis/evidence/make-evidence-file.ts'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, home } = useCommands(sandbox)
const wallet = sandbox.user.address
const held = (symbol: string, chainId = 31337) =>
  sandbox.balanceOf(chainId, sandbox.token(chainId, symbol).address, wallet)
const shares = (id: string) => {
  const { chainId, receipt } = sandbox.strategy(id)
  return sandbox.balanceOf(chainId, receipt.address, wallet)
}
const explain = async (id: string) => (await run(['action', 'explain', id, '--json'])).json

/** Another account sells this amount of USDC, so that its price falls. */
const sell = async (amount: number) => {
  const key = join(home(), 'another-key')
  writeFileSync(key, `${'11'.repeat(32)}\n`, { mode: 0o600 })
  const { address } = privateKeyToAccount(`0x${'11'.repeat(32)}`)
  await sandbox.world.fund(address)
  await sandbox.world.fund(address, { symbol: 'USDC', amount: BigInt(amount) * 1_000_000n })
  const line = `swap execute --from sandbox-one --token-in USDC --token-out WETH --slippage 50% --amount-in ${amount} --yes --json`
  expect(await run([...line.split(' '), '--key-file', key])).toMatchObject({ exit: 0 })
}

test('a swap reports the received amount from its receipt, not from its quote', async () => {
  const quoted = await run(
    'swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-in 100 --slippage 5% --json',
  )
  const { id, tokenOut } = quoted.json
  await sell(20_000)
  const before = await held('WETH')
  const done = await run(['swap', 'execute', id, '--yes', '--json'])
  const came = (await held('WETH')) - before
  expect(came).toBeLessThan(BigInt(tokenOut.amount.raw))
  const amounts = { in: { raw: '100000000' }, out: { raw: came.toString(), symbol: 'WETH' } }
  expect(done).toMatchObject({ exit: 0, json: { status: 'SUCCESS', amounts } })
  expect((await run(['action', 'show', id, '--json'])).json.amounts).toEqual(done.json.amounts)
  expect((await run('action list --json')).json.items[0].amounts).toEqual(done.json.amounts)
  expect((await run(['swap', 'execute', id, '--yes', '--json'])).json).toEqual({
    ...done.json,
    replayed: true,
  })
  const funds = `${formatUnits(came, 18)} WETH: with ${wallet}.`
  expect(await explain(id)).toMatchObject({ situation: 'DONE', funds })
  const { out: page } = await run(['action', 'export', id, '--html'])
  expect(page).toContain(funds)
  expect(page.split('<script')[0]).not.toContain(tokenOut.amount.formatted)

  // Older journals lack the received amount: it is read from the receipt, or shown as a minimum if no node answers.
  const db = new DatabaseSync(join(home(), 'data', 'sandbox', 'journal.db'))
  db.exec('UPDATE operation SET result = NULL')
  db.close()
  expect((await explain(id)).funds).toBe(funds)
  expect((await run(['swap', 'execute', id, '--yes', '--json'])).json.amounts).toEqual(done.json.amounts)
  const [least] = (await run('action list --json')).json.items
  expect(least.amounts).toMatchObject({ out: null, outAtLeast: { symbol: 'WETH' } })
  expect(BigInt(least.amounts.outAtLeast.raw)).toBeLessThan(came)
  await run('sandbox fault rpc-down --network sandbox-one')
  expect((await explain(id)).funds).toMatch(
    `At least ${least.amounts.outAtLeast.formatted} WETH: with ${wallet}. Its remaining allowances are not known`,
  )
})

test('a bridge transfer, a vault deposit and a withdrawal report the received amount', async () => {
  const before = await held('USDC', 31338)
  const across = await run(
    'swap execute --from sandbox-one --to sandbox-two --token-in USDC --token-out USDC --amount-in 100 --yes --json',
  )
  const came = (await held('USDC', 31338)) - before
  expect(across).toMatchObject({ exit: 0, json: { amounts: { out: { raw: came.toString() } } } })
  expect((await explain(across.json.id)).funds).toBe(`${formatUnits(came, 6)} USDC: with ${wallet}.`)
  const vault = 'sandbox-vault-USDC-sandbox-one'
  const put = await run(`deposit ${vault.toLowerCase()} --amount 50 --yes --json`)
  const got = await shares(vault)
  expect(put).toMatchObject({
    exit: 0,
    json: { amounts: { in: { formatted: '50' }, out: { raw: got.toString() } } },
  })
  const usdc = await held('USDC')
  const out = await run(`withdraw ${vault.toLowerCase()} --amount max --yes --json`)
  expect(out.json.amounts.out.raw).toBe(((await held('USDC')) - usdc).toString())
})

test('a reverted swap reports no received amount, and evidence with the expected amount still verifies', async () => {
  const line = 'swap execute --from sandbox-one --token-in USDC --token-out WETH --amount-in 12 --json'
  const plan = (await run(`${line} --dry-run`)).json
  await run(`sandbox fault revert ${plan.steps.at(-1).to}`)
  const { exit, json } = await run(`${line} --yes`)
  const amounts = { in: expect.objectContaining({ formatted: '12' }), out: null }
  expect({ exit, json }).toMatchObject({ exit: 22, json: { error: { details: { action: { amounts } } } } })
  const { id } = json.error.details.action
  expect((await run(['action', 'show', id, '--json'])).json.amounts).toEqual(amounts)
  const file = join(home(), 'evidence.json')
  await run(['action', 'export', id, '--out', file])
  expect(await run(['action', 'verify', file, '--json'])).toMatchObject({ exit: 0 })
  // Older evidence files contain the expected amount.
  const evidence = JSON.parse(readFileSync(file, 'utf8'))
  Object.assign(evidence.report, { amounts: evidence.operation.plan.about.amounts })
  expect(evidence.report.amounts.out).toMatchObject({ symbol: 'WETH' })
  writeFileSync(file, JSON.stringify({ ...evidence, sha256: evidenceHash(evidence) }))
  expect(await run(['action', 'verify', file, '--json'])).toMatchObject({ exit: 0 })
})
