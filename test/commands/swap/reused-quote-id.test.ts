import { afterEach, beforeEach, expect, test } from 'vitest'
import { engineOn } from '../../support/engine.ts'
import {
  type HostileService,
  startHostileService,
  type Wire,
} from '../../support/services/hostile-service.ts'
import { rpcEnvOf, useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run } = useCommands(sandbox)
const apiKey = 'key-12345'

let service: HostileService
beforeEach(async () => {
  service = await startHostileService(engineOn(sandbox).service, apiKey)
})
afterEach(() => service.stop())

const say = (line: string) =>
  run(line, {
    env: { ...rpcEnvOf(sandbox), SLUICE_BASE_URL: service.url },
    secrets: { privateKey: sandbox.user.key, apiKey },
  })
const small = 'swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-in 10 --json'
const large = 'swap quote --from sandbox-one --token-in USDT --token-out WETH --amount-in 5000 --json'

test('a service that reuses a quote ID for another quote is refused, and the ID still executes the first quote', async () => {
  const first = JSON.parse((await say(small)).out) as { id: string }
  service.lies = { quote: ({ quote }) => ({ quote: { ...quote, id: first.id, quoteId: first.id } as Wire }) }
  const again = await say(large)
  expect(again.exit).toBe(8)
  expect(JSON.parse(again.out)).toMatchObject({
    error: {
      code: 'POLICY_QUOTE_DRIFT',
      message: expect.stringContaining(`reused the quote ID ${first.id} of an earlier quote`),
    },
  })
  const flags = `${large.replace('quote', 'execute')} --yes --idempotency-key large-one`
  expect(JSON.parse((await say(flags)).out).error.code).toBe('POLICY_QUOTE_DRIFT')
  service.lies = {}
  const before = await sandbox.balanceOf(31337, sandbox.token(31337, 'USDC').address, sandbox.user.address)
  expect((await say(`swap execute ${first.id} --yes --json`)).exit).toBe(0)
  const after = await sandbox.balanceOf(31337, sandbox.token(31337, 'USDC').address, sandbox.user.address)
  expect(before - after).toBe(10_000000n)
})

test('a service that returns the same quote twice is accepted', async () => {
  let given: Wire
  service.lies = {
    quote: ({ quote }) => {
      given ??= quote
      return { quote: given }
    },
  }
  const twice = [await say(small), await say(small)]
  expect(twice.map(({ exit }) => exit)).toEqual([0, 0])
  expect(twice[1]!.out).toBe(twice[0]!.out)
})
