import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { evidenceHash } from '../../../src/diagnosis/evidence/make-evidence-file.ts'
import { type Document, useCommands } from '../../support/use-commands.ts'
import { calldata, useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, home } = useCommands(sandbox)
const rpc = () => sandbox.chain(31337).rpc

let made = 0
/** Exports an action. `verified` changes the evidence, hashes it again and verifies it; `words` changes the text of a step. */
async function exported(id: string) {
  const file = join(home(), `case-${++made}.json`)
  expect(await run(['action', 'export', id, '--out', file, '--json'])).toMatchObject({ exit: 0 })
  const text = readFileSync(file, 'utf8')
  const verified = async (change: (evidence: Document) => void) => {
    const evidence = JSON.parse(text)
    change(evidence)
    writeFileSync(file, JSON.stringify({ ...evidence, sha256: evidenceHash(evidence) }))
    const { exit, json } = await run(['action', 'verify', file, '--json'])
    return `${exit} ${json.error?.code ?? 'VERIFIED'}`
  }
  const words = (text: (was: string) => string, at = 0) =>
    verified(({ operation, report }) => {
      report.transactions[at].text = operation.steps[at].text = text(operation.steps[at].text)
    })
  return { json: JSON.parse(text) as Document, verified, words }
}
const unsaid = (least: string) =>
  `; the vault does not quote its payout in advance: at least ${least} at its price is accepted`

test('verify accepts the note on an unknown payout of a withdrawal only in the exact words of the program', async () => {
  const slug = 'sandbox-vault-usdc-sandbox-one'
  const vault = sandbox.strategy('sandbox-vault-USDC-sandbox-one').receipt.address
  const code = await rpc().request<string>('eth_getCode', [vault, 'latest'])
  // The vault no longer has `previewRedeem`.
  await rpc().request('anvil_setCode', [vault, code.replaceAll('634cdad506', '63ffffffff')])
  await run(`deposit ${slug} --amount 100 --yes --quiet`)
  const left = await run(`withdraw ${slug} --amount max --yes --json`)
  const { json, words } = await exported(left.json.id)
  const text: string = json.operation.steps[0].text
  const [told, said] = text.split(';') as [string, string]
  expect(said).toContain('the vault does not quote')
  expect(await words((was) => was)).toBe('0 VERIFIED')
  for (const other of [
    `; nobody said anything of it: at least 5 USDC at its price is accepted`,
    unsaid('5 ETH'),
    unsaid('5 USDC, and 5 USDC'),
    unsaid('05 USDC'),
    unsaid('5.50 USDC'),
    unsaid('5.0000001 USDC'),
    `${unsaid('5 USDC')}${unsaid('5 USDC')}`,
  ])
    expect([other, await words(() => told + other)]).toEqual([other, '4 EVIDENCE_CHANGED'])
  // Any amount is accepted, because the value of the vault at that time is no longer known.
  expect(await words(() => told + unsaid('5 USDC'))).toBe('0 VERIFIED')
})

test('verify refuses a note on an unknown payout for deposits, partial withdrawals and markets that state it', async () => {
  const place = 'aave-v3-usdc-sandbox-one'
  const put = await run(`deposit ${place} --amount 3 --yes --json`)
  const taken = await run(`withdraw ${place} --amount max --yes --json`)
  const vault = await run('deposit sandbox-vault-usdc-sandbox-one --amount 3 --yes --json')
  const some = await run('withdraw sandbox-vault-usdc-sandbox-one --amount 1 --yes --json')
  for (const [{ json }, at] of [
    [put, 1],
    [taken, 0],
    [vault, 1],
    [some, 0],
  ] as const) {
    const { words } = await exported(json.id)
    expect(await words((was) => was, at)).toBe('0 VERIFIED')
    expect(await words((was) => was + unsaid('5 USDC'), at)).toBe('4 EVIDENCE_CHANGED')
  }
})

test('verify accepts the old text of a superseded step after a replan, and no other text', async () => {
  const { address: from } = sandbox.user
  const swap = (more: string) =>
    run(`swap execute --from sandbox-one --token-in USDC --token-out WETH --amount-in 5 --yes --json ${more}`)
  const spender = (await swap('--dry-run')).json.steps.at(-1).to
  const data = calldata('function approve(address,uint256)', [spender, 5_000000n])
  await sandbox.sendAs(31337, from, { to: sandbox.token(31337, 'USDC').address, data })
  await rpc().request('evm_setAutomine', [false])
  const { id } = (await swap('--no-wait')).json.error.details
  await rpc().request('anvil_dropAllTransactions')
  await rpc().request('evm_setAutomine', [true])
  await sandbox.sendAs(31337, from, { to: from, value: 1n })
  expect(await run(['action', 'resume', id, '--json'])).toMatchObject({ exit: 23 })
  const other = () => 'Send 5000 USDC to the person who asked'
  const lost = await exported(id)
  expect(lost.json.operation.steps).toMatchObject([{ role: 'action', state: 'SUPERSEDED' }])
  expect(await lost.words((was) => was)).toBe('0 VERIFIED')
  expect(await lost.words(other)).toBe('4 EVIDENCE_CHANGED')
  const since = ({ operation, report }: Document) => {
    operation.plan.since = { 0: 9 }
    report.transactions[0].text = operation.steps[0].text = other()
  }
  expect(await lost.verified(since)).toBe('4 EVIDENCE_CHANGED')
  // Another account sells so much USDC that the new plan has another minimum.
  const key = join(home(), 'another-key')
  writeFileSync(key, `${'11'.repeat(32)}\n`, { mode: 0o600 })
  const { address } = privateKeyToAccount(`0x${'11'.repeat(32)}`)
  await sandbox.world.fund(address)
  await sandbox.world.fund(address, { symbol: 'USDC', amount: 20_000_000_000n })
  const sell =
    'swap execute --from sandbox-one --token-in USDC --token-out WETH --slippage 50% --amount-in 20000 --yes --json'
  expect(await run([...sell.split(' '), '--key-file', key])).toMatchObject({ exit: 0 })
  const again = await run(['action', 'replan', id, '--accept-min-out', '0.0001', '--yes', '--json'])
  expect(again).toMatchObject({ exit: 0 })
  const { json, words, verified } = await exported(id)
  expect(json.operation.steps).toMatchObject([{ state: 'SUPERSEDED' }, { state: 'FINAL_OK' }])
  expect(json.operation.steps[0].text).not.toBe(json.operation.steps[1].text)
  expect(await words((was) => was)).toBe('0 VERIFIED')
  expect(await words(other, 1)).toBe('4 EVIDENCE_CHANGED')
  expect(await verified(since)).toBe('4 EVIDENCE_CHANGED')
})
