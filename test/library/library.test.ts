import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { encodeCatalog } from '../../src/sandbox/catalog-json.ts'
import { useServe } from '../support/services/serve-as-process.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const served = useServe(sandbox)
const root = join(import.meta.dirname, '..', '..')

/** Runs the program in its own directory with the package installed, and with environment variables that must be ignored. */
function run(input: object): Promise<{ exit: number; out: string; err: string; dir: string }> {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-library-'))
  mkdirSync(join(dir, 'node_modules', '@sluice-cli'), { recursive: true })
  symlinkSync(root, join(dir, 'node_modules', '@sluice-cli', 'sluice'))
  copyFileSync(join(root, 'test', 'library', 'program.ts'), join(dir, 'program.mts'))
  return new Promise((done) => {
    const env = {
      SLUICE_PROFILE: 'nobody',
      SLUICE_BASE_URL: 'https://nobody.invalid',
      SLUICE_HOME: '/nowhere',
    }
    const child = execFile(process.execPath, ['program.mts'], { cwd: dir, env }, (error, out, err) =>
      done({ exit: error ? 1 : 0, out, err, dir }),
    )
    child.stdin!.end(JSON.stringify({ ...input, store: join(dir, 'kept', 'engine.db') }))
  })
}

test('createEngine and createRemote give the same answers, refuse invalid options and let the process exit', async () => {
  const input = {
    rpcs: Object.fromEntries(sandbox.world.chains.map(({ network, rpcUrl }) => [network.name, rpcUrl])),
    catalog: encodeCatalog(sandbox.world.catalog()),
    baseUrl: served.url(),
    apiKey: await served.newKey(),
    wallet: sandbox.user.address,
  }
  const { exit, out, err, dir } = await run(input)
  expect({ exit, err }).toEqual({ exit: 0, err: '' })
  const { answers, quotes, afterAll, closed, refused } = JSON.parse(out)
  const [near, far] = answers
  expect(near).toMatchObject({
    total: sandbox.world.catalog().strategies.length,
    failure: 'STRATEGY_NOT_FOUND',
    stopped: ['before', 'meanwhile'],
  })
  expect(near.to).toMatch(/^0x[0-9a-fA-F]{40}$/)
  expect(far).toEqual(near)
  const over = 'USAGE The service is closed. Create a new one with createEngine or createRemote'
  // A deadline too long for a timer does not expire at once.
  expect(afterAll).toBe(near.total)
  expect({ quotes, closed }).toEqual({ quotes: 0, closed: [over, over] })
  expect(refused).toEqual([
    expect.stringContaining('CONFIG_INVALID The URL of an RPC is not an http(s) URL'),
    'CONFIG_INVALID This package has no catalogue for sandbox-one. Pass the deployed contracts to createEngine as `catalog`.',
    'CONFIG_INVALID createEngine takes an options object. Options: now, rpcs, rpcHeaders, store, catalog, customer, budgetMs',
    expect.stringMatching(/^CONFIG_INVALID createEngine needs rpcs\./),
    expect.stringMatching(/^CONFIG_INVALID createEngine has an invalid value for rpcs\.base\./),
    expect.stringMatching(/^CONFIG_INVALID createEngine has no option rpc\./),
    'CONFIG_INVALID createEngine has the network base twice in rpcs. Give it once, as base or as 8453, with a list of all its URLs.',
    expect.stringMatching(/^CONFIG_INVALID createEngine has an invalid value for catalog\.networks\.0\./),
    expect.stringMatching(/^CONFIG_INVALID createEngine has an invalid value for catalog\.tokens\./),
    'CONFIG_INVALID createRemote takes an options object. Options: now, baseUrl, apiKey, legacyBaseUrl, deadlineMs',
    expect.stringMatching(/^CONFIG_INVALID createRemote needs apiKey\./),
    expect.stringMatching(/^CONFIG_INVALID createRemote has an invalid value for apiKey\./),
    expect.stringMatching(/^CONFIG_INVALID The base URL of the service is not a URL/),
  ])
  expect(statSync(join(dir, 'kept', 'engine.db')).mode & 0o777).toBe(0o600)
  rmSync(dir, { recursive: true, force: true })
})
