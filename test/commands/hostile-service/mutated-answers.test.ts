import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Service } from '../../../src/api/service-type.ts'
import { cells, engineOn, seeded } from '../../support/engine.ts'
import { mutated } from '../../support/mutate-document.ts'
import { type FaultyRpc, startFaultyRpc } from '../../support/nodes/faulty-rpc.ts'
import { type HostileService, startHostileService } from '../../support/services/hostile-service.ts'
import { rpcEnvOf, useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'
import { strategy } from './false-answers.ts'

const sandbox = useSandbox()
const { run, attempts } = useCommands(sandbox)
const apiKey = 'key-12345'
const payee = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'

let service: HostileService
let proxy: FaultyRpc
beforeEach(async () => {
  service = await startHostileService(engineOn(sandbox).service, apiKey)
  proxy = await startFaultyRpc(sandbox.chain(31337).rpcUrl)
})
afterEach(async () => {
  await service.stop()
  await proxy.stop()
})

const signing = '--yes --json --timeout 30s --idempotency-key mutated-1'
const cases: [keyof Service, string][] = [
  ['getStrategy', `deposit ${strategy} --amount 100 ${signing}`],
  ['strategyBytecode', `deposit ${strategy} --amount 100 ${signing}`],
  ['quote', `swap execute --from sandbox-one --token-in USDC --token-out WETH --amount-in 100 ${signing}`],
  [
    'swapBytecode',
    `swap execute --from sandbox-one --token-in USDC --token-out WETH --amount-in 100 ${signing}`,
  ],
  ['transferBytecode', `transfer --network sandbox-one --token USDC --to ${payee} --amount 100 ${signing}`],
]
const perMethod = cells(4, 5_000)

test.each(
  cases.flatMap(([name, line], at) =>
    Array.from({ length: perMethod }, (_, cell) => [name, at * 1_000_003 + cell, line] as const),
  ),
)(
  'a randomly changed answer of %s (seed %i) moves the requested amount or nothing',
  async (name, seed, line) => {
    const random = seeded(seed)
    service.lies = { [name]: (body: unknown) => mutated(body, random) }
    const usdc = sandbox.token(31337, 'USDC').address
    const balance = () => sandbox.balanceOf(31337, usdc, sandbox.user.address)
    const before = await balance()
    const ran = await run(line, {
      env: { ...rpcEnvOf(sandbox, { 'sandbox-one': proxy.url }), SLUICE_BASE_URL: service.url },
      secrets: { privateKey: sandbox.user.key, apiKey },
    })
    const moved = before - (await balance())
    expect({ exit: ran.exit, says: ran.json.error?.message }).not.toMatchObject({ exit: 1 })
    if (ran.exit === 0) expect(moved).toBe(100_000_000n)
    else
      expect({ exit: ran.exit, moved, attempts: attempts(), sends: proxy.sends.length }).toEqual({
        exit: ran.exit,
        moved: 0n,
        attempts: 0,
        sends: 0,
      })
  },
)

const reads: [keyof Service, string][] = [
  ['listStrategies', 'strategies list --all'],
  ['getStrategy', `strategies show ${strategy}`],
  ['analytics', 'strategies analytics'],
  ['getWallet', 'wallet show'],
  ['walletHistory', `history ${strategy}`],
  ['listQuotes', 'swap list'],
  ['quote', 'swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-in 100'],
  ['recommend', 'yield recommend USDC'],
]

test.each(reads)('a randomly changed answer of %s never causes exit code 1', async (name, line) => {
  await run(cases[0]![1])
  const random = seeded(7)
  service.lies = { [name]: (body: unknown) => mutated(body, random) }
  for (let cell = 0; cell < cells(12, 2_000); cell++) {
    const ran = await run(cell % 2 === 0 ? line : `${line} --json`, {
      env: { ...rpcEnvOf(sandbox), SLUICE_BASE_URL: service.url },
      secrets: { privateKey: sandbox.user.key, apiKey },
    })
    expect({ cell, exit: ran.exit, says: ran.exit === 1 ? ran.out + ran.err : '' }).not.toMatchObject({
      exit: 1,
    })
  }
})
