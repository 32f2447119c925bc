import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sandboxKey } from '../../src/sandbox/accounts.ts'
import { type OtherDeployment, startOtherDeployment } from '../support/services/other-deployment.ts'
import { reference } from '../support/services/other-deployment-answers.ts'
import { type Circumstances, type Ran, useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run } = useCommands(sandbox)
const slug = 'aave-v3-usdc-sandbox-one'
const id = '0f8fad5b-d9cb-469f-a165-70867728950e'
const owner = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

let other: OtherDeployment
beforeEach(async () => {
  const token = (symbol: string) => {
    const { address, decimals, chainId } = sandbox.token(31337, symbol)
    return { symbol, contract: address, decimals, chainId }
  }
  other = await startOtherDeployment({
    wallet: owner,
    network: 'sandbox-one',
    tokenIn: token('USDC'),
    tokenOut: token('WETH'),
    slug,
    protocol: 'aave-v3',
    calls: [],
  })
  other.indent = 3
})
afterEach(() => other.close())

const ask = (line: string, more: Circumstances = {}): Promise<Ran> =>
  run(line, {
    env: { SLUICE_BASE_URL: other.url },
    secrets: { apiKey: 'key-12345', privateKey: sandboxKey() },
    ...more,
  })

const lines: readonly string[] = [
  'strategies list',
  `strategies show ${slug}`,
  'strategies analytics',
  'yield recommend USDC',
  `yield recommend USDC --wallet ${owner} --amount 100`,
  `wallet show ${owner}`,
  `history ${slug} --address ${owner}`,
  'swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-in 100',
  `swap status ${id}`,
  'swap list',
  `action show ${id}`,
]

describe('--raw', () => {
  test.each(lines)('%s prints the body as it came', async (line) => {
    const ran = await ask(`${line} --raw`)
    expect({ exit: ran.exit, err: ran.err }).toEqual({ exit: 0, err: '' })
    expect(ran.out).toBe(`${other.said.at(-1)}\n`)
    expect(ran.out).toContain('\n   "')
  })

  test('prints every page of a list, one after the other', async () => {
    other.indent = 0
    other.variant = { ...reference, strategies: 230 }
    const { exit, out } = await ask('strategies list --raw')
    expect({ exit, pages: other.said.length }).toEqual({ exit: 0, pages: 3 })
    expect(out.split('\n')).toEqual([...other.said, ''])
  })

  test('prints where a strategy stands, and not what a wallet holds in it', async () => {
    const { out } = await ask(`strategies show ${slug} --wallet ${owner} --raw`)
    expect(other.asked).toHaveLength(2)
    expect(out).toBe(`${other.said[0]}\n`)
  })

  test('prints the current page of a wallet, not the older one that its stats are from', async () => {
    const env = { SLUICE_BASE_URL: other.url, SLUICE_LEGACY_BASE_URL: other.url }
    const { out } = await ask(`wallet show ${owner} --raw`, { env })
    expect(other.asked).toHaveLength(2)
    expect(out).toBe(`${other.said[0]}\n`)
  })

  test('prints what the older page says where there is no other', async () => {
    other.variant = { ...reference, pages: 'older' }
    const env = { SLUICE_BASE_URL: other.url, SLUICE_LEGACY_BASE_URL: other.url }
    expect((await ask('strategies list --raw', { env })).out).toBe(`${other.said[1]}\n`)
  })

  test('prints once what is watched to its end', async () => {
    const ran = await ask(`swap status ${id} --watch --raw`)
    expect({ exit: ran.exit, out: ran.out }).toEqual({ exit: 0, out: `${other.said[0]}\n` })
    other.fails = { status: 200, body: '{"status":"expired"}' }
    const expired = await ask(`swap status ${id} --watch --raw`)
    expect({ exit: expired.exit, out: expired.out }).toEqual({ exit: 4, out: '{"status":"expired"}\n' })
  })

  test.each<[what: string, status: number, body: string, exit: number]>([
    ['a refusal', 404, '{ "error" : { "code": "QUOTE_NOT_FOUND", "message": "no" }, "more": 1 }', 4],
    ['a wrong key', 401, '{"error":{"code":"X","message":"invalid API key"}}', 3],
    ['a limit', 429, '{ "error":{"code":"X","message":"slow down","details":{"retryAfter":3600}} }', 5],
    ['a page that stands before the service', 502, '<html>\n<b>Bad gateway</b>', 6],
    ['an answer that nobody understands', 200, '{"rows": []}', 6],
    ['an answer of another type', 200, '[ 1 ]', 6],
  ])('prints %s as it came, with the exit code that it has', async (_, status, body, exit) => {
    other.fails = { status, body }
    const ran = await ask(`swap status ${id} --raw`)
    expect({ exit: ran.exit, out: ran.out }).toEqual({ exit, out: `${body}\n` })
    expect(ran.err).toMatch(/^error .+ \([A-Z_]+\)$/m)
  })

  test('prints nothing where nobody answered, also after a page that did', async () => {
    other.variant = { ...reference, strategies: 230 }
    for (const patience of [0, 1]) {
      other.asked.length = 0
      other.patience = patience
      const { exit, out } = await ask('strategies list --raw --timeout 700ms')
      expect({ patience, exit, out }).toEqual({ patience, exit: 6, out: '' })
    }
  })

  test('gives a terminal nothing that moves its cursor, and a pipe every byte', async () => {
    const body = '{"status":"fulfilled","provider":"a\u009b2Jb"}'
    other.fails = { status: 200, body }
    expect((await ask(`swap status ${id} --raw`)).out).toBe(`${body}\n`)
    expect((await ask(`swap status ${id} --raw`, { columns: 80 })).out).toBe(
      '{"status":"fulfilled","provider":"a2Jb"}\n',
    )
  })

  test('needs a remote profile', async () => {
    const ran = await run('strategies list --raw')
    expect({ exit: ran.exit, out: ran.out }).toEqual({ exit: 2, out: '' })
    expect(ran.err).toContain('--raw needs a remote profile')
  })

  test.each(['--json', '--csv', '--fields slug'])('excludes %s', async (flag) => {
    const { exit, out, err } = await ask(`strategies list --raw ${flag}`)
    expect(exit).toBe(2)
    expect(out + err).toContain('--raw cannot be combined')
    expect(other.asked).toEqual([])
  })

  test('is in the help of the commands that take it, and of no other', async () => {
    for (const line of lines) {
      const words = line
        .split(' ')
        .slice(0, line.startsWith('history') ? 1 : 2)
        .join(' ')
      expect((await run(`${words} --help`)).out).toContain('--raw')
    }
    for (const words of ['deposit', 'swap execute', 'action list', 'wallet list', 'sandbox status']) {
      expect((await run(`${words} --help`)).out).not.toContain('--raw')
      expect((await run(`${words} --raw`)).exit).toBe(2)
    }
  })
})
