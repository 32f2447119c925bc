import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Hex } from '../../src/domain/address.ts'
import { AppError, type ErrorCode } from '../../src/domain/errors.ts'
import { sandboxAddress } from '../../src/sandbox/accounts.ts'
import { engineOn, perform } from '../support/engine.ts'
import { type HostileService, startHostileService } from '../support/services/hostile-service.ts'
import { rpcEnvOf, useCommands } from '../support/use-commands.ts'
import { calldata, useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, signsNothing } = useCommands(sandbox)
const apiKey = 'key-12345'
const slug = 'sandbox-lido-eth-sandbox-one'
const chainId = 31337
const ether = 10n ** 18n
const stranger = sandboxAddress(2)

let service: HostileService
beforeEach(async () => {
  service = await startHostileService(engineOn(sandbox).service, apiKey)
})
afterEach(() => service.stop())

type Item = { to: Hex; data: Hex; value: string; chainId: number }

/** A command line at a service that says something else instead of its last transaction. */
const lied = (line: string, instead?: (item: Item) => Partial<Item>) => {
  service.lies = instead
    ? {
        strategyBytecode: (body) => {
          const items: Item[] = body.bytecode
          const last = items.at(-1)!
          return { ...body, bytecode: [...items.slice(0, -1), { ...last, ...instead(last) }] }
        },
      }
    : {}
  return run(`${line} --yes --json --allow-duplicate --trust-first-use`, {
    env: { ...rpcEnvOf(sandbox), SLUICE_BASE_URL: service.url },
    secrets: { privateKey: sandbox.user.key, apiKey },
  })
}
const queue = () => {
  const { constants } = sandbox.strategy('sandbox-lido-ETH-sandbox-one')
  return constants.family === 'lido' ? constants : undefined!
}
const requested = async (who: `0x${string}`) => {
  const { stEth, queue: place } = queue()
  const to = (at: Hex, signature: string, args: readonly unknown[], value = 0n) => ({
    to: at,
    data: calldata(`function ${signature}`, args),
    value,
    chainId,
  })
  await perform(sandbox, who, [
    to(stEth, 'submit(address)', ['0x0000000000000000000000000000000000000000'], 5n * ether),
    to(stEth, 'approve(address,uint256)', [place, ether]),
    to(place, 'requestWithdrawals(uint256[],address)', [[ether], who]),
  ])
}

describe('at a service that is not ours', () => {
  test('a withdrawal is asked for and claimed, each as our own engine would build it', async () => {
    await requested(sandbox.user.address)
    const asked = await lied(`withdraw ${slug} --amount 1`)
    expect(asked).toMatchObject({ exit: 0, json: { queued: { next: `sluice withdraw ${slug} --claim` } } })
    await sandbox.world.warp(2 * 86_400)
    const plan = await lied(`withdraw ${slug} --claim --dry-run`)
    expect(plan.json).toMatchObject({ reference: 'equal', assurance: 'L3' })
    expect(await lied(`withdraw ${slug} --claim`)).toMatchObject({
      exit: 0,
      json: { type: 'SAMECHAIN_INVESTMENT_CLAIM', amounts: { out: { formatted: '2' } } },
    })
  })

  test('which knows no claims, one is made by our own engine, and says so', async () => {
    await requested(sandbox.user.address)
    await sandbox.world.warp(2 * 86_400)
    await service.stop()
    let code: ErrorCode = 'VALIDATION_ERROR'
    const { service: ours } = engineOn(sandbox)
    const strategyBytecode: typeof ours.strategyBytecode = async (ask) => {
      if (ask.action === 'claim') throw new AppError(code, 'No')
      return ours.strategyBytecode(ask)
    }
    service = await startHostileService({ ...ours, strategyBytecode }, apiKey)
    const { exit, json, err } = await lied(`withdraw ${slug} --claim`)
    expect({ exit, json }).toMatchObject({ exit: 0, json: { amounts: { out: { formatted: '1' } } } })
    expect(err).toContain('This deployment does not support claims')
    // What is not about the word itself is nobody else's to answer.
    code = 'STRATEGY_PAUSED'
    expect(await lied(`withdraw ${slug} --claim`)).toMatchObject({
      exit: 10,
      json: { error: { code: 'STRATEGY_PAUSED' } },
    })
  })

  const claims = 'function claimWithdrawals(uint256[],uint256[])'
  test.each<[string, (item: Item) => Partial<Item>, string]>([
    [
      'pays somebody else',
      () => ({
        data: calldata('function claimWithdrawalsTo(uint256[],uint256[],address)', [[1n], [1n], stranger]),
      }),
      'POLICY_DECODE',
    ],
    [
      'claims the request of somebody else',
      () => ({ data: calldata(claims, [[2n], [1n]]) }),
      'POLICY_AMOUNT',
    ],
    ['claims nothing', () => ({ data: calldata(claims, [[], []]) }), 'POLICY_AMOUNT'],
    ['goes to another contract', () => ({ to: queue().stEth }), 'POLICY_CONTRACT_NOT_ALLOWED'],
    ['takes the coin', () => ({ value: '1' }), 'POLICY_VALUE'],
    ['has wrong hints', () => ({ data: calldata(claims, [[1n], [7n]]) }), 'SIMULATION_REVERTED'],
    [
      'asks for more instead',
      () => ({
        data: calldata('function requestWithdrawals(uint256[],address)', [[ether], sandbox.user.address]),
      }),
      'POLICY_DECODE',
    ],
  ])('a claim that %s is signed by nobody', async (_, instead, code) => {
    await requested(sandbox.user.address)
    await requested(stranger)
    await sandbox.world.warp(2 * 86_400)
    const { json } = await signsNothing(() => lied(`withdraw ${slug} --claim`, instead))
    expect(json.error.code).toBe(code)
  })

  test('a request on behalf of somebody else is signed by nobody', async () => {
    await requested(sandbox.user.address)
    const theirs = calldata('function requestWithdrawals(uint256[],address)', [[ether], stranger])
    const { json } = await signsNothing(() => lied(`withdraw ${slug} --amount 1`, () => ({ data: theirs })))
    expect(json.error.code).toBe('POLICY_RECIPIENT')
  })
})

test('a claim that was sent and left is gone on with, and not sent twice', async () => {
  await requested(sandbox.user.address)
  await sandbox.world.warp(2 * 86_400)
  const { rpc } = sandbox.chain(chainId)
  await rpc.request('evm_setAutomine', [false])
  const sent = await run(`withdraw ${slug} --claim --yes --json --no-wait --idempotency-key claim-once-1`)
  expect(sent.exit).toBe(20)
  const { id } = sent.json.error.details
  expect((await run(`action explain ${id}`)).out).toContain('1 ETH')
  await rpc.request('evm_mine')
  await rpc.request('evm_setAutomine', [true])
  const before = await rpc.request('eth_getTransactionCount', [sandbox.user.address, 'latest'])
  expect(await run(`action resume ${id} --json`)).toMatchObject({
    exit: 0,
    json: { status: 'SUCCESS', amounts: { out: { formatted: '1' } } },
  })
  expect(await rpc.request('eth_getTransactionCount', [sandbox.user.address, 'latest'])).toBe(before)
})
