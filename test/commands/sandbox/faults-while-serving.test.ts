import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type ProgramHome, programHome, spawnSluice, startSluice } from '../../support/spawn-program.ts'
import { type Document, oneDocument } from '../../support/use-commands.ts'

let at: ProgramHome
beforeAll(() => {
  at = programHome(inject('sandboxCache'))
})
afterAll(() => at.end())

const sluice = async (...args: string[]) => {
  const { exit, out, err } = await spawnSluice(at.home, args)
  if (exit !== 0) throw new Error(`${args.join(' ')} ended with ${exit}: ${out}${err}`)
  return out
}

test('a running server applies faults that another process sets', async () => {
  const { key } = oneDocument(await sluice('keys', 'create', '--customer', 'acme', '--json'))
  const server = startSluice(at.home, ['serve', '--port', '0', '--json'])
  const { url } = oneDocument(await server.line())
  const asked = async (path: string, body?: object) => {
    const answer = await fetch(url + path, {
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
    return { missing: answer.headers.get('x-sluice-missing'), body: (await answer.json()) as Document }
  }
  const seen = async (missing: string) => expect((await asked('/strategies')).missing).toBe(missing)
  /** On a busy machine a network may also be left out because it answers late. */
  const isWhole = async () => {
    while ((await asked('/strategies')).missing !== null) await new Promise((done) => setTimeout(done, 200))
  }
  await isWhole()
  await sluice('sandbox', 'fault', 'rpc-down', '--network', 'sandbox-one')
  await seen('sandbox-one')
  await sluice('sandbox', 'fault', 'clear')
  await isWhole()
  await sluice('sandbox', 'fault', 'rpc-wrong-chain', '--network', 'sandbox-two')
  await seen('sandbox-two')
  await sluice('sandbox', 'fault', 'clear')
  await isWhole()
  // The server also follows the sandbox clock, which stale-quote moves forward.
  const quote = oneDocument(
    await sluice(
      ...'swap quote --from sandbox-one --to sandbox-one --token-in USDC --token-out WETH --amount-in 5 --json'.split(
        ' ',
      ),
    ),
  )
  expect(Date.parse(quote.deadline)).toBeLessThan(Date.now() + 600_000)
  await sluice('sandbox', 'fault', 'stale-quote')
  const deadline = async () => {
    const { body } = await asked(
      `/v2/swap/quote?${new URLSearchParams({ chainIdIn: '31337', chainIdOut: '31337', tokenIn: quote.tokenIn.address, tokenOut: quote.tokenOut.address, amountIn: '5000000' })}`,
    )
    return body.quote.deadline * 1_000
  }
  expect(await deadline()).toBeGreaterThan(Date.now() + 2_000_000)
  server.child.kill('SIGTERM')
  await server.ended
})

test('sluice demo runs on the sandbox despite the active profile and SLUICE_ environment variables', async () => {
  await sluice('profile', 'set', 'mine', '--kind', 'engine')
  await sluice('profile', 'use', 'mine')
  const env = {
    SLUICE_PROFILE: 'nonsense',
    SLUICE_BASE_URL: 'http://127.0.0.1:1',
    SLUICE_RPC_BASE: 'http://127.0.0.1:1',
  }
  const { exit, out, err } = await spawnSluice(at.home, ['demo', '--json'], { env })
  expect({ exit, err: exit === 0 ? '' : err }).toEqual({ exit: 0, err: '' })
  expect(oneDocument(out)).toMatchObject({ ok: true })
})
