import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Secrets } from '../../../src/app/environment-secrets-type.ts'
import { keepSealed } from '../../support/keys/cheap-keystore.ts'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, home, attempts } = useCommands(sandbox)
const file = (name: string, text: string): string => {
  const path = join(home(), name)
  writeFileSync(path, text, { mode: 0o600 })
  return path
}
const pw = () => join(home(), 'pw')
const opened: Partial<Secrets> = { password: 'right' }
/** Starts a deposit with the default keystore of which only the approval is sent; returns its ID. */
const halfDone = async (): Promise<string> => {
  const { json } = await run('deposit aave-v3-usdc-sandbox-one --amount 5 --yes --json --no-wait', {
    secrets: opened,
  })
  const { id } = json.error.details
  expect(await run(`action watch ${id} --interval 50ms --json`)).toMatchObject({ exit: 21 })
  return id
}
const next = async (line: string, secrets?: Partial<Secrets>) => {
  const { exit, json } = await run(`${line} --json`, secrets && { secrets })
  return { exit, hint: json.error?.hint, message: json.error?.message }
}

const other = '0x00000000000000000000000000000000000000000000000000000000000000ab'
beforeEach(async () => {
  file('pw', 'right\n')
  file('wpw', 'wrong\n')
  // Two keystores hold the same address; the one that is not the default sorts first.
  for (const [name, key, password] of [
    ['k1', sandbox.user.key, 'right'],
    ['fromcast', sandbox.user.key, 'other'],
    ['w1', other, 'right'],
  ] as const)
    keepSealed(join(home(), 'data', 'keystores'), name, key, password)
  await run('wallet use k1')
})

describe('the hint after a missing or wrong password', () => {
  test('names the selected keystore and --password-file, and the pasted revoke succeeds', async () => {
    const id = await halfDone()
    const before = attempts()
    const revoke = `sluice action revoke ${id} --yes --wallet k1 --password-file PATH`
    const resume = `sluice action resume ${id} --wallet k1 --password-file PATH`
    for (const [line, hint] of [
      [
        `action replan ${id} --yes --wallet k1`,
        resume.replace('resume', 'replan').replace(id, `${id} --yes`),
      ],
      [`action revoke ${id} --yes`, revoke],
      [`action revoke ${id} --yes --wallet k1`, revoke],
      [`action resume ${id} --yes`, resume],
      [`action resume ${id} --yes --wallet k1 --password-file ${join(home(), 'wpw')}`, resume],
      [`action resume ${id} --yes --wallet k1 --password-file nonesuch`, resume],
      [`action revoke ${id} --yes --password-file ${join(home(), 'wpw')}`, revoke],
      [
        `action resume ${id} --wallet fromcast`,
        `sluice action resume ${id} --wallet fromcast --password-file PATH`,
      ],
    ])
      expect(await next(line!), line).toMatchObject({ exit: 21, hint })
    expect(await next(`action resume ${id}`, { password: 'wrong' })).toMatchObject({ exit: 21, hint: resume })
    expect(attempts()).toBe(before)
    const pasted = revoke.replace(/^sluice /, '').replace('PATH', pw())
    expect((await run(`${pasted} --json`)).exit).toBe(0)
  })

  test('names the wallet of the action when another was given, and repeats --password-file if it was given', async () => {
    const id = await halfDone()
    const owner = `--wallet ${sandbox.user.address}`
    expect(await next(`action resume ${id} --yes --wallet w1 --password-file ${pw()}`)).toMatchObject({
      exit: 21,
      hint: `sluice action resume ${id} ${owner} --password-file PATH`,
    })
    const { hint } = await next(`action revoke ${id} --yes --wallet w1`)
    expect(hint).toBe(`sluice action revoke ${id} --yes ${owner}`)
    const pasted = `${hint.replace(/^sluice /, '')} --password-file ${pw()} --json`
    expect((await run(pasted)).exit).toBe(0)
  })

  test('names --password-file and SLUICE_PASSWORD when nothing is signed yet', async () => {
    expect(await next('deposit aave-v3-usdc-sandbox-one --amount 5 --yes')).toMatchObject({
      exit: 2,
      hint: 'Set SLUICE_PASSWORD, or name a file: --password-file PATH',
    })
  })
})

test.each([
  ['the default keystore', 'k1', 'right', undefined],
  ['the keystore selected by wallet use', 'fromcast', 'other', 'fromcast'],
])('with two keystores of one address, resume, revoke and replan open %s', async (_, name, password, use) => {
  const id = await halfDone()
  if (use) await run(['wallet', 'use', use])
  for (const line of [`action resume ${id}`, `action revoke ${id} --yes`, `action replan ${id} --yes`])
    expect((await next(line)).message, line).toContain(`Password of ${name}`)
  expect((await next(`action resume ${id} --wallet ${sandbox.user.address}`)).message).toContain(
    `Password of ${name}`,
  )
  expect((await run(`action revoke ${id} --yes --json`, { secrets: { password } })).exit).toBe(0)
})

test('action revoke signs with SLUICE_PRIVATE_KEY after the keystores are removed', async () => {
  const secrets = { privateKey: sandbox.user.key }
  await run('wallet use')
  const { json } = await run('deposit aave-v3-usdc-sandbox-one --amount 5 --yes --json --no-wait', {
    secrets,
  })
  const { id } = json.error.details
  for (const name of ['k1', 'fromcast']) await run(['wallet', 'remove', name, '--yes'])
  await expect
    .poll(async () => (await run(`action revoke ${id} --yes --json`, { secrets })).exit, { timeout: 10_000 })
    .toBe(0)
})
