import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { engineOn } from '../support/engine.ts'
import { serveTo, type TestServer } from '../support/services/serve-in-process.ts'
import { type ProgramHome, programHome, spawnSluice } from '../support/spawn-program.ts'
import { rpcEnvOf } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
let place: ProgramHome
let server: TestServer
beforeAll(async () => {
  place = programHome(inject('sandboxCache'))
  server = await serveTo(engineOn(sandbox).service, 'key-12345')
})
afterAll(async () => {
  await server.close()
  await place.end()
})

/** Loaded before the program: replaces the global fetch by one that returns false answers and writes a trace. */
const poison = `process.stderr.write('poisoned ');
globalThis.fetch = async () => {
  process.stderr.write('fetched ');
  return Response.json({ jsonrpc: '2.0', id: 1, result: '0x1' })
}`

test.each([
  ['with the engine', () => rpcEnvOf(sandbox)],
  [
    'with a service',
    () => ({ TMPDIR: place.home, SLUICE_BASE_URL: server.url, SLUICE_API_KEY: 'key-12345' }),
  ],
])('strategies list ignores a replaced global fetch: %s', async (_, env) => {
  const line = ['strategies', 'list', '--all', '--json']
  const honest = await spawnSluice(place.home, line, { env: env() })
  const poisoned = await spawnSluice(place.home, line, {
    env: { ...env(), NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(poison)}` },
  })
  expect(poisoned.err).toContain('poisoned')
  expect(poisoned.err).not.toContain('fetched')
  const slugs = (out: string) => JSON.parse(out).items.map(({ slug }: { slug: string }) => slug)
  expect(slugs(poisoned.out).length).toBeGreaterThan(3)
  expect(slugs(poisoned.out)).toEqual(slugs(honest.out))
})
