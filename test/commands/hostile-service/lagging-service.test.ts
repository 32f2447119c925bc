import { afterEach, beforeEach, expect, test } from 'vitest'
import { engineOn } from '../../support/engine.ts'
import {
  type HostileService,
  startHostileService,
  type Wire,
} from '../../support/services/hostile-service.ts'
import { rpcEnvOf, useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

// A service whose node is a few blocks behind the node of its client.

const sandbox = useSandbox()
const { run, attempts } = useCommands(sandbox)
const apiKey = 'key-12345'

let service: HostileService
beforeEach(async () => {
  service = await startHostileService(engineOn(sandbox).service, apiKey)
})
afterEach(() => service.stop())

const typed = (line: string) =>
  run(line, {
    env: { ...rpcEnvOf(sandbox), SLUICE_BASE_URL: service.url },
    secrets: { privateKey: sandbox.user.key, apiKey },
  })

/** The service still sees a spent allowance, for this many requests. */
const seesAllowance = (times: number) => {
  service.lies = {
    strategyBytecode: (body: Wire) => (times-- > 0 ? { ...body, bytecode: body.bytecode.slice(-1) } : body),
  }
}

test('deposit asks a lagging service again when its transactions lack the approval', async () => {
  seesAllowance(1)
  const { exit } = await typed(
    'deposit aave-v3-usdc-sandbox-one --amount 10 --yes --json --idempotency-key behind-1',
  )
  expect(exit).toBe(0)
  expect(service.asked.filter((name) => name === 'strategyBytecode')).toHaveLength(2)
})

test('deposit exits 10 and signs nothing while a lagging service omits the approval', async () => {
  seesAllowance(100)
  const { exit, json } = await typed(
    'deposit aave-v3-usdc-sandbox-one --amount 10 --yes --json --timeout 20s --idempotency-key behind-2',
  )
  expect({ exit, error: json.error }).toMatchObject({
    exit: 10,
    error: {
      code: 'SIMULATION_REVERTED',
      message: expect.stringMatching(
        /has no approval, but the allowance of 0x\w+ is 0 USDC and it needs 10 USDC/,
      ),
      hint: 'Run the same command again in a few seconds.',
    },
  })
  expect(attempts()).toBe(0)
})

test('action explain reports FOREIGN when the service does not say whether a swap was sent', async () => {
  const quote = 'swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-in 10 --json'
  const { id } = (await typed(quote)).json
  await typed(`swap execute ${id} --dry-run --json`)
  expect((await typed(`action explain ${id} --json`)).json.situation).toBe('QUOTE_OPEN')
  service.lies = { getAction: () => ({}) }
  expect((await typed(`action explain ${id} --json`)).json).toMatchObject({
    situation: 'FOREIGN',
    verdict: expect.stringContaining('not whether a transaction was sent'),
    funds: expect.stringContaining('Unknown'),
    safeToRetry: false,
    next: `sluice action explain ${id}`,
    evidence: expect.arrayContaining([
      { source: 'service', text: expect.stringContaining('the service did not return the action') },
    ]),
  })
})
