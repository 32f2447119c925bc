import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { inTurn } from '../../support/engine.ts'
import { pasted } from '../../support/hints/paste-hint.ts'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const { run, home } = useCommands(useSandbox())
const to = '0x7777777777777777777777777777777777777777'
const pay = `transfer --network sandbox-one --token USDC --to ${to} --amount 1 --yes`.split(' ')

/** File names and other words that a user types or a service sends. */
const names = [
  'my key',
  "it's",
  '"',
  'x;touch ran',
  '$(touch ran)',
  'a & touch ran',
  'a\nb',
  '-rf',
  '*',
  '\u202ex',
]

/** A file with the given name and mode in a directory of its own. */
function file(name: string, text: string, mode: number): string {
  const path = join(mkdtempSync(join(home(), 'in ')), name)
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}

type Way = (name: string) => {
  line: readonly string[]
  env?: Record<string, string>
  /** The start of the hinted command, as a shell reads it. */
  is: readonly string[]
}

/** Every kind of hint that contains a word of a user or a service. */
const ways: Record<string, Way> = {
  'a key file that others can read': (name) => {
    const path = file(name, '0x01', 0o644)
    return { line: [...pay, '--key-file', path], is: ['chmod', '600', path] }
  },
  'a policy that others can write': (name) => {
    const path = file(name, '{}', 0o666)
    return { line: [...pay, '--policy', path], is: ['chmod', 'go-w', path] }
  },
  'invalid settings': (name) => {
    const home = file(name, '', 0o600).slice(0, -name.length)
    const path = join(home, `c${name}`, 'config', 'config.json')
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, '{')
    return {
      line: ['strategies', 'list'],
      env: { SLUICE_HOME: join(home, `c${name}`) },
      is: ['mv', path, `${path}.old`],
    }
  },
  'a missing certificate': (name) => {
    const path = join(home(), `x${name}`, 'cert.pem')
    return {
      line: ['serve', '--tls-cert', path, '--tls-key', path, '--profile', 'engine'],
      env: { SLUICE_RPC_BASE: 'http://127.0.0.1:9' },
      is: ['ls', '-l', join(home(), `x${name}`)],
    }
  },
  'a missing key file': (name) => {
    const path = join(home(), `x${name}`, 'key')
    return { line: [...pay, '--key-file', path], is: ['ls', '-l', join(path, '..')] }
  },
  'a missing policy': (name) => {
    const path = join(home(), `x${name}`, 'policy.json')
    return { line: [...pay, '--policy', path], is: ['ls', '-l', join(path, '..')] }
  },
  'a missing plan': (name) => {
    const path = join(home(), `x${name}`, 'plan.json')
    return { line: ['action', 'submit', path], is: ['ls', '-l', join(path, '..')] }
  },
  'a missing keystore': (name) => {
    const path = join(home(), `x${name}`, 'keystore')
    return { line: [...pay, '--wallet', path], is: ['ls', '-l', join(path, '..')] }
  },
  'an unknown wallet': (name) => ({
    line: ['wallet', 'show', '--', name],
    is: name === '-rf' ? ['sluice', 'wallet', 'new', '--', '-rf'] : ['sluice', '--wallet', `./${name}`],
  }),
  'a quote ID with flags of a new quote': (name) => ({
    line: ['swap', 'execute', '--from', 'sandbox-one', '--', name],
    is: ['sluice', 'swap', 'execute', ...(name === '-rf' ? ['--'] : []), name],
  }),
  'sandbox fund without a token': (name) => ({
    line: ['sandbox', 'fund', to, `--amount=${name}`],
    is: ['sluice', 'sandbox', 'fund', to, '--token', 'USDC', '--amount', name],
  }),
  'a host without TLS': (name) => ({
    line: ['serve', `--host=${name}`, '--profile', 'engine'],
    env: { SLUICE_RPC_BASE: 'http://127.0.0.1:9' },
    is: ['sluice', 'serve', '--host', name],
  }),
  'a recommendation without a wallet': (name) => ({
    line: ['yield', 'recommend', '--amount', '5', '--', name],
    is: [
      'sluice',
      'yield',
      'recommend',
      ...(name === '-rf' ? [] : [name]),
      '--wallet',
      'ADDR',
      '--amount',
      '5',
      ...(name === '-rf' ? ['--', name] : []),
    ],
  }),
}

describe('hints that are pasted into a shell', () => {
  // A third of the words for each kind of hint, in turn; all words with `SLUICE_CELLS=all`.
  const wordsFor = (nth: number) => inTurn(names, 3, nth)
  test.each(Object.entries(ways).map(([of, way], nth) => [of, way, wordsFor(nth)] as const))(
    '%s: the command keeps each word unchanged',
    async (_, way, words) => {
      for (const name of words) {
        const { line, env, is } = way(name)
        const { json } = await run(['--json', ...line], { ...(env && { env }) })
        expect({ name, pasted: pasted(json.error.hint).slice(0, is.length) }).toEqual({ name, pasted: is })
        const { err } = await run(line, { ...(env && { env }) })
        const told = /\nnext\s+([\s\S]*)\n$/.exec(err)?.[1]?.replace(/\n\s+/g, ' ') ?? ''
        expect({ name, pasted: pasted(told).slice(0, is.length) }).toEqual({ name, pasted: is })
      }
    },
  )
})

test('withdraw --claim from a market without a queue hints at withdraw', async () => {
  const { exit, json } = await run('withdraw aave-v3-usdc-sandbox-one --claim --yes --json')
  expect([exit, json.error.hint]).toEqual([
    2,
    'It has no queue to claim from. To withdraw: sluice withdraw aave-v3-usdc-sandbox-one --amount max',
  ])
})

test('action watch hints at resume, swap status at --watch a longer timeout, wallet new at wallet show', async () => {
  await run('sandbox fault stop-mining')
  const slow = (await run([...pay, '--json', '--no-wait'])).json.error.details.id
  const watched = await run(['action', 'watch', slow, '--timeout', '1s'])
  expect(watched.exit).toBe(20)
  expect(watched.err).toContain(`next\n      sluice action resume ${slow}\n`)
  await run('sandbox fault clear')
  const quote = (
    await run('swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-in 1 --json')
  ).json
  const followed = await run(['swap', 'status', quote.id, '--watch', '--timeout', '1s'])
  expect(followed.err).toContain(`next\n      sluice swap status ${quote.id} --watch --timeout 1h\n`)
  const deposit = await run(['swap', 'status', quote.id, '--btc-tx', 'c0ffee'.repeat(10) + 'abcd'])
  expect(deposit.err).toContain(`sluice swap status ${quote.id} --btc-tx ${'c0ffee'.repeat(10)}abcd\n`)
  const made = await run('wallet new ops', { secrets: { password: 'x' } })
  expect(made.out).toContain('sluice wallet show ops')
  expect((await run('wallet show ops')).exit).toBe(0)
})
