import { describe, expect, test } from 'vitest'
import type { ChainClient } from '../../src/chain/chain-client.ts'
import { approve } from '../../src/chain/erc20.ts'
import { httpRpc } from '../../src/chain/rpc/failover.ts'
import { AppError } from '../../src/domain/errors.ts'
import { adviceText, sluice } from '../../src/domain/text/next-step.ts'
import { refuseDust } from '../../src/guard/simulation/deposit-loss-check.ts'
import { checkLaterLegs } from '../../src/planning/later-leg-checks.ts'
import { supply } from '../../src/protocols/aave-v3/encode.ts'
import { cctpV2Contracts } from '../../src/swaps/cctp-v2/constants-schema.ts'
import { contractsIn } from '../../src/swaps/swap-contracts.ts'
import { continueAdvice } from '../../src/transactions/outcome/continue-hints.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const two = 31338
const unbounded = { maxFeePerGas: null, policy: null }

/** A deposit that waits for `amount` of its asset and supplies `spent` of it. */
const leg = (amount: bigint, spent = amount) => {
  const strategy = sandbox.strategy('aave-v3-USDC-sandbox-two')
  const wallet = sandbox.user.address
  const { asset, constants } = strategy
  if (constants.family !== 'aave-v3') throw new Error('not a pool')
  const { pool } = constants
  return {
    chainId: two,
    intent: { kind: 'deposit' as const, wallet, strategy, amount },
    arrival: { token: asset.address, minimum: amount, recipient: wallet },
    transactions: [
      approve({ chainId: two, token: asset.address, spender: pool, amount: spent }),
      supply({ chainId: two, pool, asset: asset.address, amount: spent, onBehalfOf: wallet }),
    ],
  }
}

/** The node of the second chain, whose answers a test may replace. */
const node = (
  answer: (method: string, params: readonly unknown[]) => unknown = () => undefined,
): ChainClient => {
  const rpc = httpRpc(sandbox.chain(two).rpcUrl)
  return {
    host: rpc.host,
    peers: [],
    request: async <T>(method: string, params: readonly unknown[] = []) =>
      ((await answer(method, params)) ?? rpc.request(method, params)) as T,
    batch: (calls) => rpc.batch(calls),
  }
}
const check = (rpc: ChainClient, ...of: Parameters<typeof leg>) =>
  checkLaterLegs({ rpc: () => rpc, catalog: sandbox.world.catalog() }, [leg(...of)], unbounded)
const setCoin = (wei: string) =>
  sandbox.chain(two).rpc.request('anvil_setBalance', [sandbox.user.address, wei])

describe('the check of a leg that waits for a bridge', () => {
  test('passes before the funds arrive when the wallet has gas and the market accepts the deposit', async () => {
    const [cost, ...others] = await check(node(), 10_000_000n)
    expect(others).toEqual([])
    expect(cost).toMatchObject({ at: 0, held: await sandbox.nativeBalanceOf(two, sandbox.user.address) })
    expect(cost!.gas).toBeGreaterThan(100_000n)
    expect(cost!.price).toBeGreaterThan(0n)
  })

  test('fails when a step would revert after the delivery', async () => {
    await expect(check(node(), 1_000_000n, 10n ** 30n)).rejects.toMatchObject({
      code: 'SIMULATION_REVERTED',
      message: expect.stringMatching(
        /^After the bridge delivers the funds on sandbox-two, step 2 of 2 there would fail: /,
      ),
    })
  })

  test('simulates the mint from the minter that the bridge names, or else from the bridge', async () => {
    const minter = `0x${'be'.repeat(20)}`
    const { tokenMessenger } = contractsIn(sandbox.world.catalog(), cctpV2Contracts).find(
      ({ chainId }) => chainId === two,
    )!
    const from: string[][] = []
    const rpc = (named: string | undefined) =>
      node((method, params) => {
        if (method === 'eth_simulateV1') {
          const { blockStateCalls } = params[0] as { blockStateCalls: { calls: { from: string }[] }[] }
          from.push(blockStateCalls[0]!.calls.slice(0, -4).map((call) => call.from.toLowerCase()))
        }
        const { to } = (params[0] ?? {}) as { to?: string }
        return method === 'eth_call' && to === tokenMessenger && named !== undefined
          ? `0x${named.slice(2).padStart(64, '0')}`
          : undefined
      })
    await check(rpc(minter), 10_000_000n)
    await check(rpc(undefined), 10_000_000n)
    expect(from).toEqual([[minter, tokenMessenger.toLowerCase()], [tokenMessenger.toLowerCase()]])
  })

  test('requires the minimum gas when the node cannot simulate', async () => {
    const blind = node((method) => {
      if (method !== 'eth_simulateV1') return undefined
      return Promise.reject(new AppError('RPC_ERROR', 'unknown method', { details: { code: -32601 } }))
    })
    // The real gas need is unknown: the minimum is not reported as the cost.
    expect(await check(blind, 10_000_000n)).toMatchObject([{ at: 0, gas: null, held: expect.any(BigInt) }])
    await setCoin('0x1')
    await expect(check(blind, 10_000_000n)).rejects.toMatchObject({
      code: 'INSUFFICIENT_FUNDS',
      message: expect.stringMatching(/ETH on sandbox-two and needs at least 0\.\d+ ETH there, for the gas/),
    })
  })
})

test('an amount that arrives as dust gets the hint to abandon, not to retry', () => {
  const { strategy, wallet } = leg(1n).intent
  const changes = [{ token: strategy.receipt, before: 0n, delta: 0n }]
  let dust: AppError | undefined
  try {
    refuseDust({ kind: 'deposit', wallet, strategy, amount: 1n }, 0n, changes)
  } catch (error) {
    dust = error as AppError
  }
  expect(adviceText(continueAdvice(dust!, 'one'))).toBe('sluice action abandon one')
  expect(adviceText(continueAdvice(dust!, 'one', sluice('action replan', 'one')))).toBe(
    'sluice action abandon one',
  )
})
