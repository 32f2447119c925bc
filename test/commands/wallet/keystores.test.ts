import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { sandboxAddress, sandboxKey } from '../../../src/sandbox/accounts.ts'
import { castPath } from '../../support/keys/cast-path.ts'
import { keepSealed } from '../../support/keys/cheap-keystore.ts'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, home, signsNothing } = useCommands(sandbox)
const password = 'correct horse battery staple'
/** A sandbox account that is not the default signer. */
const [key, address] = [sandboxKey(2), sandboxAddress(2)]
const to = '0x7777777777777777777777777777777777777777'
const pay = `transfer --network sandbox-one --token USDC --to ${to} --amount 1 --yes --quiet --json`
const paid = async () => sandbox.balanceOf(31337, sandbox.token(31337, 'USDC').address, to)

/** Writes a file with this mode into the home. */
function file(name: string, text: string, mode = 0o600): string {
  const path = join(home(), name)
  writeFileSync(path, text, { mode })
  return path
}
const secretFile = () => file('password', `${password}\n`)

const cast = castPath()
const ask = (...args: string[]) =>
  execFileSync(cast!, ['wallet', ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

describe('keystores', () => {
  test('supports new, list, use, sign, show, export and remove', async () => {
    const made = await run(`wallet new main --password-file ${secretFile()} --json`)
    expect(made.exit).toBe(0)
    expect(Object.keys(made.json)).toEqual(['name', 'address'])
    const dir = join(home(), 'data', 'keystores')
    for (const name of readdirSync(dir)) expect(statSync(join(dir, name)).mode & 0o777).toBe(0o600)
    expect((await run('wallet list --json')).json.items).toEqual([{ ...made.json, default: false }])
    expect((await run('wallet use main --json')).json).toEqual({ default: 'main' })
    expect((await run('wallet list')).out).toMatch(/main +0x[0-9a-fA-F]{40} +yes/)
    expect((await run('wallet list --csv')).out.split('\n')[0]).toBe('name,address,default')

    await run(`sandbox fund ${made.json.address}`)
    const sent = await run(pay, { secrets: { password } })
    expect({ exit: sent.exit, from: sent.json.originAddress }).toEqual({ exit: 0, from: made.json.address })
    expect(await paid()).toBe(1_000000n)
    expect((await run('wallet show main --json')).json.address).toBe(made.json.address)
    expect((await run('wallet show --json')).json.address).toBe(made.json.address)

    const exported = await run('wallet export main --json')
    expect(exported.json).toMatchObject({ version: 3, crypto: { cipher: 'aes-128-ctr', kdf: 'scrypt' } })
    expect((await run('wallet use --json')).json).toEqual({ default: null })
    expect((await run('wallet remove main')).exit).toBe(2)
    expect((await run('wallet remove main --yes --json')).json).toEqual({ removed: 'main' })
    expect((await run('wallet list')).err).toContain('sluice wallet new NAME')
  })

  test('reports an unusable keystore folder as STATE_UNUSABLE before it asks for a password or key', async () => {
    file(join('data', 'keystores'), '')
    const lines = ['list', 'new one', 'import one', 'export one', 'remove one --yes', 'use one']
    for (const line of lines) {
      const { exit, json } = await run(`wallet ${line} --json`)
      expect({ line, exit, ...json.error }).toMatchObject({
        line,
        exit: 12,
        code: 'STATE_UNUSABLE',
        message: expect.stringMatching(/keystores cannot be used: another file is in its place$/),
      })
    }
    rmSync(join(home(), 'data'), { recursive: true })
    file('data', '')
    for (const line of ['new one', 'import one'])
      expect((await run(`wallet ${line} --json`)).json.error).toMatchObject({ code: 'STATE_UNUSABLE' })
  })

  test('import reads a key from a file or stdin, new refuses a used name, and cast opens the export', async () => {
    const passwordFile = secretFile()
    const fromFile = await run(
      `wallet import one --key-file ${file('key', key)} --password-file ${passwordFile} --json`,
    )
    expect(fromFile.json).toEqual({ name: 'one', address })
    const fromPipe = await run(`wallet import two --key-file - --password-file ${passwordFile} --json`, {
      stdin: `${key}\n`,
    })
    expect(fromPipe.json.address).toBe(address)
    const again = await run('wallet new one --json', { secrets: { password } })
    expect([again.exit, again.json.error.code]).toEqual([13, 'KEY_SOURCE'])
    for (const { out, err } of [fromFile, fromPipe, again]) expect(out + err).not.toContain(key.slice(2))
    if (cast === undefined) return
    const exported = file('exported', (await run('wallet export one')).out)
    const opened = ask('address', '--keystore', exported, '--password-file', passwordFile)
    expect(opened.trim()).toBe(address)
  })

  test.skipIf(cast === undefined)('import opens a keystore that cast wrote', async () => {
    const passwordFile = secretFile()
    const dir = join(home(), 'cast')
    mkdirSync(dir)
    ask(
      'import',
      'theirs',
      '--keystore-dir',
      dir,
      '--private-key',
      sandboxKey(3),
      '--unsafe-password',
      password,
    )
    const { json } = await run(
      `wallet import theirs --keystore ${join(dir, 'theirs')} --password-file ${passwordFile} --json`,
    )
    expect(json).toEqual({ name: 'theirs', address: sandboxAddress(3) })
  })

  test('a wrong password exits 13 and signs nothing', async () => {
    keepSealed(join(home(), 'data', 'keystores'), 'main', key, password)
    const before = await sandbox.chain(31337).rpc.request('eth_getTransactionCount', [address, 'pending'])
    const { exit, json } = await signsNothing(() =>
      run(`${pay} --wallet main`, { secrets: { password: 'no' } }),
    )
    expect([exit, json.error.code]).toEqual([13, 'WRONG_PASSWORD'])
    expect(await sandbox.chain(31337).rpc.request('eth_getTransactionCount', [address, 'pending'])).toBe(
      before,
    )
    expect(JSON.stringify(json)).not.toContain(password)
  })
})

describe('key sources other than a keystore', () => {
  test('--key-file signs', async () => {
    const { json } = await run(`${pay} --key-file ${file('key', `${key}\n`)}`)
    expect(json.originAddress).toBe(address)
    expect(await paid()).toBe(1_000000n)
  })

  test('SLUICE_PRIVATE_KEY signs, and --key-file takes precedence over it', async () => {
    const third = privateKeyToAccount(sandboxKey(3)).address
    expect((await run(pay, { secrets: { privateKey: sandboxKey(3) } })).json.originAddress).toBe(third)
    const flagged = await run(`${pay} --key-file ${file('key', key)}`, {
      secrets: { privateKey: sandboxKey(3) },
    })
    expect(flagged.json.originAddress).toBe(address)
  })

  test('a text that is no private key is refused with its source, and is not repeated', async () => {
    const bad = `${key}00`
    const path = file('bad', bad)
    const newOne = `wallet import one --password-file ${secretFile()} --json`
    const ran = [
      await run(pay, { secrets: { privateKey: bad } }),
      await run(`${pay} --key-file ${path}`),
      await run(`${newOne} --key-file ${path}`),
      await run(`${newOne} --key-file -`, { stdin: bad }),
    ]
    const sources = ['SLUICE_PRIVATE_KEY', path, path, 'Standard input']
    expect(ran.map(({ exit, json }) => [exit, json.error.message])).toEqual(
      sources.map((source) => [13, `${source} is not a private key, which is 32 bytes in hex`]),
    )
    for (const { out, err } of ran) expect(out + err).not.toContain(key.slice(2))
  })

  test('without a key the sandbox account signs', async () => {
    expect((await run(pay)).json.originAddress).toBe(sandbox.user.address)
  })

  test('--wallet with an address allows a dry run and fails to sign with KEY_REQUIRED', async () => {
    const plan = await run(`${pay.replace('--yes', '--dry-run')} --wallet ${address}`)
    expect({ exit: plan.exit, wallet: plan.json.wallet }).toEqual({ exit: 0, wallet: address })
    const { exit, json } = await signsNothing(() => run(`${pay} --wallet ${address}`))
    expect([exit, json.error.code]).toEqual([2, 'KEY_REQUIRED'])
  })

  test('a keystore that cannot be opened is refused without a warning about the idempotency key', async () => {
    expect((await run('wallet new locked --json', { secrets: { password: 'a long password' } })).exit).toBe(0)
    await run('sandbox fund locked')
    const { exit, json, err } = await signsNothing(() => run(`${pay} --wallet locked`))
    expect([exit, json.error.code]).toEqual([2, 'PROMPT_NEEDED'])
    expect(err).not.toContain('--idempotency-key')
  })

  test('an action signed with --key-file resumes only with that key', async () => {
    const sent = await run(`${pay} --no-wait --key-file ${file('key', key)}`)
    expect(sent.exit).toBe(20)
    const { id } = sent.json.error.details
    const wrong = await run(`action resume ${id} --json --quiet`)
    expect(wrong.exit).not.toBe(0)
    expect((await run(`action resume ${id} --json --quiet --key-file ${join(home(), 'key')}`)).exit).toBe(0)
    expect(await paid()).toBe(1_000000n)
  })

  test('no file in the data folder contains the private key', async () => {
    await run(`${pay} --key-file ${file('key', key)}`)
    for (const entry of readdirSync(join(home(), 'data'), { recursive: true, withFileTypes: true }))
      if (entry.isFile())
        expect(readFileSync(join(entry.parentPath, entry.name)).includes(key.slice(2))).toBe(false)
  })
})
