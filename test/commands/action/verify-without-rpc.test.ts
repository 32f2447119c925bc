import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { evidenceHash } from '../../../src/diagnosis/evidence/make-evidence-file.ts'
import { type Document, useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const { run, home } = useCommands(useSandbox())

/** Exports the evidence of a deposit, changed and hashed again. */
async function exported(change: (evidence: Document) => void = () => undefined): Promise<string> {
  const { json } = await run('deposit aave-v3-usdc-sandbox-one --amount 3 --yes --json')
  const file = join(home(), `${json.id}.json`)
  expect((await run(`action export ${json.id} --out ${file} --json`)).exit).toBe(0)
  const { sha256: _, ...evidence } = JSON.parse(readFileSync(file, 'utf8')) as Document
  change(evidence)
  writeFileSync(file, JSON.stringify({ ...evidence, sha256: evidenceHash(evidence as never) }))
  return file
}

test.each(['engine', 'remote'])(
  'verify in the profile %s reports consistent evidence as unconfirmed and names the missing RPC',
  async (profile) => {
    const file = await exported()
    const { exit, json } = await run(`action verify ${file} --json --profile ${profile}`)
    expect({ exit, code: json.error.code }).toEqual({ exit: 7, code: 'EVIDENCE_UNCONFIRMED' })
    expect(json.error.message).toMatch(/^The evidence is consistent, but the chain could not confirm/)
    expect(json.error.message).toContain('No RPC for sandbox-one: set SLUICE_RPC_SANDBOX_ONE')
    expect(json.error.details.transactions).toMatchObject([{ verdict: 'unknown' }, { verdict: 'unknown' }])
    expect(json.error.hint).toContain('SLUICE_RPC_')
  },
)

test.each<[what: string, change: (evidence: Document) => void]>([
  ['with a changed status', (evidence) => (evidence.report.status = 'FAILED')],
  ['with a changed amount', (evidence) => (evidence.report.amounts.in.formatted = '2500')],
  ['without its attempts', (evidence) => delete evidence.attempts],
])('verify without an RPC refuses evidence %s as EVIDENCE_CHANGED', async (_, change) => {
  const file = await exported(change)
  for (const profile of ['engine', 'remote', 'sandbox']) {
    const { exit, json } = await run(`action verify ${file} --json --profile ${profile}`)
    expect({ profile, exit, code: json.error.code }).toEqual({ profile, exit: 4, code: 'EVIDENCE_CHANGED' })
  }
})

test('verify reports a file that is not evidence as a usage error', async () => {
  const file = join(home(), 'none.json')
  writeFileSync(file, '{"format":"another"}')
  expect(await run(`action verify ${file} --json --profile engine`)).toMatchObject({
    exit: 2,
    json: { error: { code: 'USAGE' } },
  })
})
