import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { depositProviderNames } from '../../src/swaps/deposit-provider-registry.ts'
import { swapProviderNames } from '../../src/swaps/swap-provider-registry.ts'
import { oneDocument, useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const { run, home } = useCommands(useSandbox())
const slug = 'aave-v3-usdc-sandbox-one'

/** The candidates for the last word of a line. */
const candidates = async (...words: string[]) => {
  const { exit, out, err } = await run(['__complete', '--', ...words])
  expect({ exit, err }).toEqual({ exit: 0, err: '' })
  const lines = out.trimEnd().split('\n')
  expect(lines.at(-1)).toMatch(/^:[04]$/)
  return { words: lines.slice(0, -1).map((line) => line.split('\t')[0]), files: lines.at(-1) === ':0', out }
}
const words = async (...line: string[]) => (await candidates(...line)).words

describe('__complete', () => {
  test('offers commands, options not given yet, and values of options', async () => {
    expect(await words('strat')).toEqual(['strategies'])
    expect(await words('strategies', '')).toEqual(expect.arrayContaining(['list', 'show', 'analytics']))
    expect(await words('strategies', 'list', '--so')).toEqual(['--sort'])
    expect(await words('config', '--sh')).toEqual(['--show-origin'])
    expect(await words('strategies', 'list', '--sort', '')).toEqual(['apy', 'tvl', 'name'])
    expect(await words('strategies', 'list', '--sort=t')).toEqual(['--sort=tvl'])
    expect(await words('strategies', 'list', '--sort', 'apy', '--so')).toEqual([])
    expect(await words('deposit', slug, '--assert', 'fees', '--ass')).toEqual(['--assert'])
    expect(await words('completion', '')).toEqual(['bash', 'zsh', 'fish', 'powershell'])
    expect(await words('strategies', 'list', '--network', 'sandbox-t')).toEqual(['sandbox-two'])
    expect(await words('--profile', 'engine', 'strategies', 'list', '--network', 'bas')).toEqual([])
  })

  test('offers the webhooks of the database on this machine', async () => {
    const { id } = (await run('webhooks add https://example.com/hook --customer acme --json')).json
    expect(await words('webhooks', 'show', '')).toEqual([id])
    expect(await words('webhooks', 'resend', 'we_')).toEqual([id])
    expect(await words('webhooks', 'resend', id, '')).toEqual([])
    expect(await words('--profile', 'engine', 'webhooks', 'show', '')).toEqual([])
  })

  test('offers help topics, commands for schema, kinds of profile, statuses and swap providers', async () => {
    const help = await words('help', '')
    expect(help).toEqual(expect.arrayContaining(['deposit', 'strategies', 'exit-codes', 'signing']))
    expect(await words('help', 'exit')).toEqual(['exit-codes'])
    expect(await words('help', 'deposit', '')).toEqual([])
    expect(await words('schema', 'strat')).toEqual(['strategies'])
    expect(await words('schema', 'strategies', '')).toEqual(['list', 'show', 'watch', 'analytics'])
    expect(await words('schema', 'wallet', 'approvals', '')).toEqual(['list', 'revoke'])
    expect(await words('schema', 'deposit', '')).toEqual([])
    expect(await words('init', '--kind', '')).toEqual(['engine', 'remote'])
    expect(await words('profile', 'set', 'x', '--kind', 'r')).toEqual(['remote'])
    expect(await words('action', 'list', '--status', 'P')).toEqual(['PENDING'])
    expect(await words('swap', 'quote', '--provider', 'sushi')).toEqual(['sushiswap-v2'])
    expect(await words('swap', 'list', '--provider', 'sushi')).toEqual(['sushiswap-v2'])
    expect(await words('swap', 'quote', '--compare', 'cow,sushi')).toEqual(['cow,sushiswap-v2'])
    expect(await words('sandbox', 'fault', 'bridge-s')).toEqual([
      'bridge-stuck',
      'bridge-short',
      'bridge-slow-fill',
    ])
    expect(await words('sandbox', 'fault', 'cle')).toEqual(['clear'])
    expect(await words('strategies', 'list', '--fields', 'slug,ap')).toEqual(['slug,apy', 'slug,apyBasis'])
    expect(await words('wallet', 'show', '--fields=total')).toEqual([
      '--fields=totalValueUsd',
      '--fields=totalProfitUsd',
    ])
    expect(await words('swap', 'execute', '--provider', '')).toEqual(
      expect.arrayContaining([...swapProviderNames, ...depositProviderNames]),
    )
  })

  test('offers strategies and tokens once strategies list has run', async () => {
    expect(await words('deposit', 'aave')).toEqual([])
    await run('strategies list')
    const { words: found, out } = await candidates('deposit', 'aave-v3-usdc-')
    expect(found).toEqual(expect.arrayContaining([slug, 'aave-v3-usdc-sandbox-two']))
    expect(out).toMatch(/aave-v3-usdc-sandbox-one\t\d+\.\d\d% USDC sandbox-one/)
    expect(await words('history', slug)).toEqual([slug])
    expect(await words('transfer', '--token', 'WE')).toEqual(['WETH'])
  })

  test('keeps the strategies of a network that is down when the list is read again', async () => {
    await run('strategies list')
    const before = await words('deposit', '')
    await run('sandbox fault rpc-down --network sandbox-one')
    const { exit, out } = await run('strategies list --json')
    expect({ exit, missing: oneDocument(out).missing }).toEqual({ exit: 0, missing: ['sandbox-one'] })
    expect((await words('deposit', '')).toSorted()).toEqual(before.toSorted())
    await run('sandbox fault clear')
  })

  test('offers IDs of actions and open quotes, profiles and wallets', async () => {
    const { json } = await run(`deposit ${slug} --amount 1 --yes --json`)
    expect(await words('action', 'show', json.id.slice(0, 4))).toEqual([json.id])
    expect((await candidates('action', 'show', '')).out).toBe(`${json.id}\tdeposit SUCCESS\n:4\n`)
    const quote = (
      await run('swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-in 1 --json')
    ).json
    expect(await words('swap', 'status', quote.id.slice(0, 4))).toEqual([quote.id])
    expect((await candidates('swap', 'execute', '')).out).toMatch(
      new RegExp(`^${quote.id}\t1 USDC on sandbox-one for 0\\.\\d+ WETH, open\n:4\n$`),
    )
    // A quote is offered to `swap execute` only while it is open, and not in another profile.
    const later = { later: 3_600_000 }
    expect((await run(['__complete', '--', 'swap', 'execute', ''], later)).out).toBe(':4\n')
    expect((await run(['__complete', '--', 'swap', 'status', ''], later)).out).toMatch(/, expired\n:4\n$/)
    const other = { env: { SLUICE_BASE_URL: 'http://127.0.0.1:1' } }
    for (const command of ['execute', 'status'])
      expect((await run(['__complete', '--', 'swap', command, ''], other)).out).toBe(':4\n')
    expect((await run(`swap execute ${quote.id} --yes --json`)).exit).toBe(0)
    expect(await words('swap', 'execute', '')).toEqual([])
    expect((await candidates('swap', 'status', '')).out).toMatch(/, fulfilled\n:4\n$/)
    // A pending swap is not offered, a new quote with the same terms is.
    const wish = '--from sandbox-one --token-in USDC --token-out WETH --amount-in 1'
    expect((await run(`swap execute ${wish} --yes --no-wait --json`)).exit).toBe(20)
    expect(await words('swap', 'execute', '')).toEqual([])
    const named = (await run(`swap quote ${wish} --json`)).json.id
    expect(await words('swap', 'execute', '')).toEqual([named])
    await run('profile set prod --base-url https://service.example')
    expect(await words('profile', 'use', 'p')).toEqual(['prod'])
    expect(await words('--profile', '')).toEqual(['prod', 'sandbox', 'engine', 'remote'])
    const keys = join(home(), 'data', 'keystores')
    mkdirSync(keys, { recursive: true, mode: 0o700 })
    writeFileSync(join(keys, 'ops.json'), '{}', { mode: 0o600 })
    expect(await words('deposit', slug, '--wallet', 'o')).toEqual(['ops'])
  })

  test('offers files only where the command takes one', async () => {
    expect((await candidates('action', 'submit', './pl')).files).toBe(true)
    expect((await candidates('deposit', slug, '--key-file', './k')).files).toBe(true)
    expect((await candidates('deposit', 'x')).files).toBe(false)
  })

  test('drops names of a service that a shell would execute', async () => {
    const bad = ['$(touch /tmp/x)', '`id`', 'a b', 'a;b', "a'b", '-rf', 'a\nb', '\u001b[31m']
    const strategies = [...bad, 'fine-one'].map((name) => ({
      slug: name,
      about: '$(id)\u001b[31m',
      asset: name,
    }))
    mkdirSync(join(home(), 'cache', 'completion'), { recursive: true })
    writeFileSync(join(home(), 'cache', 'completion', 'sandbox.json'), JSON.stringify({ strategies }))
    const seen = await run(['__complete', '--', 'deposit', ''])
    expect(seen.out.split('\n').map((line) => line.split('\t')[0])).toEqual(['fine-one', ':4', ''])
    expect(seen.out).not.toContain('\u001b')
  })

  test('offers nothing for an unknown profile, and still offers commands with a broken config.json', async () => {
    expect(await words('--profile', 'moon', 'deposit', '')).toEqual([])
    mkdirSync(join(home(), 'config'), { recursive: true })
    writeFileSync(join(home(), 'config', 'config.json'), '{')
    expect(await words('strat')).toEqual(['strategies'])
  })
})

test('completion prints a script for each shell, and exits 2 for another one', async () => {
  expect(readdirSync(join(import.meta.dirname, '..', '..', 'completions')).sort()).toEqual(
    ['_sluice', 'sluice.bash', 'sluice.fish', 'sluice.ps1'].sort(),
  )
  for (const shell of ['bash', 'zsh', 'fish', 'powershell']) {
    const { exit, out } = await run(`completion ${shell}`)
    expect({ exit, asks: out.includes('__complete --') }).toEqual({ exit: 0, asks: true })
  }
  expect((await run('completion tcsh')).exit).toBe(2)
})
