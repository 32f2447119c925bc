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
  test.each(lines)('%s prints the response body unchanged', async (line) => {
    const ran = await ask(`${line} --raw`)
    expect({ exit: ran.exit, err: ran.err }).toEqual({ exit: 0, err: '' })
    expect(ran.out).toBe(`${other.said.at(-1)}\n`)
    expect(ran.out).toContain('\n   "')
  })

  test('prints every page of a list in sequence', async () => {
    other.indent = 0
    other.variant = { ...reference, strategies: 230 }
    const { exit, out } = await ask('strategies list --raw')
    expect({ exit, pages: other.said.length }).toEqual({ exit: 0, pages: 3 })
    expect(out.split('\n')).toEqual([...other.said, ''])
  })

  test('prints the strategy, not the position of the wallet', async () => {
    const { out } = await ask(`strategies show ${slug} --wallet ${owner} --raw`)
    expect(other.asked).toHaveLength(2)
    expect(out).toBe(`${other.said[0]}\n`)
  })

  test('prints the current wallet response, not the legacy one with the stats', async () => {
    const env = { SLUICE_BASE_URL: other.url, SLUICE_LEGACY_BASE_URL: other.url }
    const { out } = await ask(`wallet show ${owner} --raw`, { env })
    expect(other.asked).toHaveLength(2)
    expect(out).toBe(`${other.said[0]}\n`)
  })

  test('prints the legacy response when the current endpoint is missing', async () => {
    other.variant = { ...reference, pages: 'older' }
    const env = { SLUICE_BASE_URL: other.url, SLUICE_LEGACY_BASE_URL: other.url }
    expect((await ask('strategies list --raw', { env })).out).toBe(`${other.said[1]}\n`)
  })

  test('prints the final status of a watched swap once, with its exit code', async () => {
    const ran = await ask(`swap status ${id} --watch --raw`)
    // The word of a service is no outcome.
    expect({ exit: ran.exit, out: ran.out }).toEqual({ exit: 20, out: `${other.said[0]}\n` })
    other.fails = { status: 200, body: '{"status":"expired"}' }
    const expired = await ask(`swap status ${id} --watch --raw`)
    expect({ exit: expired.exit, out: expired.out }).toEqual({ exit: 20, out: '{"status":"expired"}\n' })
  })

  test.each<[what: string, status: number, body: string, exit: number]>([
    ['a 404 error', 404, '{ "error" : { "code": "QUOTE_NOT_FOUND", "message": "no" }, "more": 1 }', 4],
    ['a 401 error', 401, '{"error":{"code":"X","message":"invalid API key"}}', 3],
    ['a 429 error', 429, '{ "error":{"code":"X","message":"slow down","details":{"retryAfter":3600}} }', 5],
    ['a 502 page of a proxy', 502, '<html>\n<b>Bad gateway</b>', 6],
    ['an unreadable 200 body', 200, '{"rows": []}', 6],
    ['a 200 body of another type', 200, '[ 1 ]', 6],
  ])('prints %s unchanged, with its exit code', async (_, status, body, exit) => {
    other.fails = { status, body }
    const ran = await ask(`swap status ${id} --raw`)
    expect({ exit: ran.exit, out: ran.out }).toEqual({ exit, out: `${body}\n` })
    expect(ran.err).toMatch(/^error .+ \([A-Z_]+\)$/m)
  })

  test('prints nothing when a request times out, even after a complete page', async () => {
    other.variant = { ...reference, strategies: 230 }
    for (const patience of [0, 1]) {
      other.asked.length = 0
      other.patience = patience
      const { exit, out } = await ask('strategies list --raw --timeout 700ms')
      expect({ patience, exit, out }).toEqual({ patience, exit: 6, out: '' })
    }
  })

  test('removes control characters on a terminal, and keeps every byte in a pipe', async () => {
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

  test.each(['--json', '--csv', '--fields slug'])('cannot be combined with %s', async (flag) => {
    const { exit, out, err } = await ask(`strategies list --raw ${flag}`)
    expect(exit).toBe(2)
    expect(out + err).toContain('--raw cannot be combined')
    expect(other.asked).toEqual([])
  })

  test('is in the help of exactly the commands that accept it', async () => {
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
