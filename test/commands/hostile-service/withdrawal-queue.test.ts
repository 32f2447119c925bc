import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Hex } from '../../../src/domain/address.ts'
import { AppError, type ErrorCode } from '../../../src/domain/errors.ts'
import { sandboxAddress } from '../../../src/sandbox/accounts.ts'
import { engineOn, perform } from '../../support/engine.ts'
import { type HostileService, startHostileService } from '../../support/services/hostile-service.ts'
import { rpcEnvOf, useCommands } from '../../support/use-commands.ts'
import { calldata, useSandbox } from '../../support/use-sandbox.ts'

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

/** Runs a command with a service whose last transaction `instead` changes. */
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

describe('a remote service', () => {
  test('serves a withdrawal request and its claim, and the local rebuild of the claim is equal', async () => {
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

  test('without support for claims has the claim built by the local engine, with a notice', async () => {
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
    // Other errors of the service are reported as they are.
    code = 'STRATEGY_PAUSED'
    expect(await lied(`withdraw ${slug} --claim`)).toMatchObject({
      exit: 10,
      json: { error: { code: 'STRATEGY_PAUSED' } },
    })
  })

  const claims = 'function claimWithdrawals(uint256[],uint256[])'
  test.each<[string, (item: Item) => Partial<Item>, string]>([
    [
      'pays another recipient',
      () => ({
        data: calldata('function claimWithdrawalsTo(uint256[],uint256[],address)', [[1n], [1n], stranger]),
      }),
      'POLICY_DECODE',
    ],
    [
      'claims the request of another wallet',
      () => ({ data: calldata(claims, [[2n], [1n]]) }),
      'POLICY_AMOUNT',
    ],
    ['claims nothing', () => ({ data: calldata(claims, [[], []]) }), 'POLICY_AMOUNT'],
    ['goes to another contract', () => ({ to: queue().stEth }), 'POLICY_CONTRACT_NOT_ALLOWED'],
    ['sends native value', () => ({ value: '1' }), 'POLICY_VALUE'],
    ['has wrong hints', () => ({ data: calldata(claims, [[1n], [7n]]) }), 'SIMULATION_REVERTED'],
    [
      'requests another withdrawal',
      () => ({
        data: calldata('function requestWithdrawals(uint256[],address)', [[ether], sandbox.user.address]),
      }),
      'POLICY_DECODE',
    ],
  ])('a claim that %s is refused, and nothing is signed', async (_, instead, code) => {
    await requested(sandbox.user.address)
    await requested(stranger)
    await sandbox.world.warp(2 * 86_400)
    const { json } = await signsNothing(() => lied(`withdraw ${slug} --claim`, instead))
    expect(json.error.code).toBe(code)
  })

  test('a request for another owner is refused, and nothing is signed', async () => {
    await requested(sandbox.user.address)
    const theirs = calldata('function requestWithdrawals(uint256[],address)', [[ether], stranger])
    const { json } = await signsNothing(() => lied(`withdraw ${slug} --amount 1`, () => ({ data: theirs })))
    expect(json.error.code).toBe('POLICY_RECIPIENT')
  })
})

test('a claim that was sent is resumed and not sent twice', async () => {
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
