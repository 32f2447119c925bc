import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sandboxKey } from '../../src/sandbox/accounts.ts'
import { keepSealed } from '../support/keys/cheap-keystore.ts'
import { alwaysSays } from '../support/services/serve-in-process.ts'
import { useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, home } = useCommands(sandbox)
const to = '0x8888888888888888888888888888888888888888'

test.each([
  ['deposit aave-v3-udsc-sandbox-one --amount 1 --yes', 'did you mean aave-v3-usdc-sandbox-one?'],
  ['strategies show aave-v3-USDC-sandbox-on', 'did you mean aave-v3-usdc-sandbox-one?'],
  ['history aave-v3-usdc-sandbox-onee', 'did you mean aave-v3-usdc-sandbox-one?'],
  ['yield recommend UDSC', 'did you mean USDC?'],
  ['yield recommend lendng', 'did you mean lending?'],
  [`transfer --network sandbox-onw --token USDC --to ${to} --amount 1 --yes`, 'did you mean sandbox-one?'],
  [`transfer --network sandbox-one --token UDSC --to ${to} --amount 1 --yes`, 'did you mean USDC?'],
  [`sandbox fund ${to} --token WTEH`, 'did you mean WETH?'],
  ['strategies list --profile sandbx', 'did you mean sandbox?'],
  ['strategies list --network sandbox-onw', 'did you mean sandbox-one?'],
  ['strategies list --category lendng', 'did you mean lending?'],
  ['strategies list --sort yield', 'allowed choices are apy, tvl, name'],
  // A known network that the profile lacks: the variable that brings it.
  ['deposit aave-v3-usdc-base --amount 1', 'set SLUICE_RPC_BASE to the URL'],
  ['withdraw aave-v3-usdc-base-sepolia --amount max', 'set SLUICE_RPC_BASE_SEPOLIA to the URL'],
  ['strategies show aave-v3-usdc-base', 'set SLUICE_RPC_BASE to the URL'],
  ['history aave-v3-usdc-base', 'set SLUICE_RPC_BASE to the URL'],
  ['strategies list --network base', 'set SLUICE_RPC_BASE to the URL'],
  ['tokens list --network 8453', 'set SLUICE_RPC_BASE to the URL'],
  ['swap quote --from base --token-in USDC --token-out WETH --amount-in 1', 'set SLUICE_RPC_BASE to the URL'],
  ['profile use sandbox1', 'did you mean sandbox?'],
  ['strategis list', 'Did you mean strategies?'],
  ['strategies lst', 'Did you mean list?'],
  ['deposit x --amuont 1', 'Did you mean --amount?'],
])('%s prints "%s"', async (line, guess) => {
  const { exit, err } = await run(line)
  expect(err.toLowerCase()).toContain(guess.toLowerCase())
  expect([2, 4]).toContain(exit)
})

test.each([
  ['--asset USCD', 'No strategies for asset "USCD". Did you mean USDC?'],
  ['--protocol aave-v4', 'No strategies for protocol "aave-v4". Did you mean aave-v3?'],
  ['--network 31338 --asset USCD', 'No strategies on sandbox-two for asset "USCD". Did you mean USDC?'],
  ['--asset NOTHING', 'No strategies for asset "NOTHING".'],
  ['--asset weth --protocol aave-v3 --min-apy 90%', /^No strategies match/],
])('strategies list %s without a match prints %s', async (filter, words) => {
  const { exit, out, err } = await run(`strategies list ${filter} --quiet`)
  expect([exit, out]).toEqual([0, ''])
  if (typeof words === 'string') expect(err).toContain(words)
  else expect(err).toMatch(words)
  const json = (await run(`strategies list ${filter} --json`)).json
  expect([json.items, json.total]).toEqual([[], 0])
})

test('strategies list of a service without strategies says so, and does not hint at itself', async () => {
  const service = await alwaysSays(200, { docs: [], totalDocs: 0, page: 1, limit: 100, totalPages: 0 })
  const there = { env: { SLUICE_BASE_URL: service.url }, secrets: { apiKey: 'key-meant' } }
  for (const filter of ['', '--asset USDC']) {
    const { exit, err } = await run(`strategies list ${filter}`, there)
    expect({ exit, err }).toEqual({ exit: 0, err: expect.stringContaining('This profile has no strategies') })
    expect(err).not.toContain('sluice strategies list')
  }
  await service.close()
})

test('a mistyped network in an RPC setting gets a suggestion', async () => {
  for (const [variable, guess] of [
    ['SLUICE_RPC_BAES', 'did you mean base?'],
    ['SLUICE_RPC_BASE_SEPOLA', 'did you mean base-sepolia?'],
  ]) {
    const { exit, err } = await run('strategies list', { env: { [variable!]: 'http://127.0.0.1:9' } })
    expect([exit, err]).toEqual([2, expect.stringContaining(`does not support; ${guess}`)])
  }
})

test('a mistyped wallet gets a suggestion, and an unrelated name gets none', async () => {
  keepSealed(join(home(), 'data', 'keystores'), 'main', sandboxKey(2), 'x')
  for (const line of ['wallet export mian', 'wallet show mian', 'wallet use mian'])
    expect(await run(line)).toMatchObject({ exit: 13, err: expect.stringContaining('did you mean main?') })
  for (const line of [
    'wallet export everything',
    'strategies show nothing-like-it',
    'yield recommend DOGECOIN',
  ])
    expect((await run(line)).err).not.toMatch(/did you mean/i)
})

test('an unknown token lists the known tokens, with addresses where two share a symbol', async () => {
  const { err } = await run(`transfer --network sandbox-one --token USDV --to ${to} --amount 1 --yes`)
  const [one, other] = sandbox.world
    .catalog()
    .tokens.filter(({ chainId, symbol }) => chainId === 31337 && symbol === 'DUP')
  // USDV may be another asset, so nothing is suggested for it.
  expect(err).not.toContain('did you mean')
  expect(err).toContain('Known: ETH, ')
  for (const { address } of [one!, other!]) expect(err).toContain(`DUP (${address})`)
  expect(err).not.toMatch(/DUP,|USDC \(/)
  const far = await run(`transfer --network sandbox-one --token DOGE --to ${to} --amount 1 --yes`)
  expect(far.err).toContain('"DOGE" on sandbox-one. Known: ETH, ')
})

describe('a recipient with a network before the address', () => {
  const pay = (recipient: string) =>
    run(`transfer --network sandbox-one --token USDC ${recipient} --amount 1 --yes --json`)
  test.each([`--to sandbox-one:${to}`, `--to=31337:${to}`, `--to eip155:31337:${to}`])(
    '%s is paid on that network',
    async (recipient) => {
      expect((await pay(recipient)).json).toMatchObject({ status: 'SUCCESS' })
    },
  )

  test('on another network is refused, by transfer and by swap', async () => {
    const message = 'is an address on base, but this command sends to sandbox-one'
    const swap = `swap execute --from sandbox-one --token-in USDC --token-out WETH --amount-in 1 --destination base:${to} --yes --json`
    for (const { exit, json } of [await pay(`--to base:${to}`), await run(swap)]) {
      expect(exit).toBe(2)
      expect(json.error).toMatchObject({
        message: expect.stringContaining(message),
        hint: `If the address is right, use it alone: ${to}`,
      })
    }
  })

  test('is paid by a swap on its network', async () => {
    const line = `swap execute --from sandbox-one --token-in USDC --token-out WETH --amount-in 1 --destination sandbox-one:${to} --yes --json`
    expect((await run(line)).json).toMatchObject({ status: 'SUCCESS' })
  })
})

test.each([
  ['strategies list --asset USDV', 'No strategies for asset "USDV". Assets: '],
  ['strategies list --asset UDSC', 'No strategies for asset "UDSC". Did you mean USDC?'],
  ['strategies list --protocol nobody', 'No strategies for protocol "nobody".'],
  ['strategies list --page 9', 'Page 9 is empty'],
  ['strategies list --asset USDV --fields slug', 'No strategies for asset "USDV". Assets: '],
  ['swap list', 'No quotes. Get one: sluice swap quote --help'],
  ['action list', 'No actions'],
  ['wallet approvals list', '0x'],
])('%s is empty and says why, as JSON too', async (line, why) => {
  const { exit, json } = await run(`${line} --json`)
  expect({ exit, items: json.items }).toEqual({ exit: 0, items: [] })
  expect(json.why).toContain(why)
  expect((await run(line)).err).toContain(json.why)
})

test('strategies list takes another spelling of a symbol as the commands that sign do', async () => {
  const { json } = await run('strategies list --asset W.ETH --json')
  expect(json.items.length).toBeGreaterThan(0)
  for (const { asset } of json.items) expect(asset.symbol).toBe('WETH')
})

test('a list with rows has no reason for being empty', async () => {
  expect((await run('strategies list --asset USDC --json')).json).not.toHaveProperty('why')
})
