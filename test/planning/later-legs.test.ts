import { describe, expect, test } from 'vitest'
import type { ChainClient } from '../../src/chain/chain-client.ts'
import { approve } from '../../src/chain/erc20.ts'
import { httpRpc } from '../../src/chain/rpc/failover.ts'
import { AppError } from '../../src/domain/errors.ts'
import { refuseDust } from '../../src/guard/simulation/deposit-loss-check.ts'
import { checkLaterLegs } from '../../src/planning/later-leg-funding.ts'
import { supply } from '../../src/protocols/aave-v3/encode.ts'
import { continueHint } from '../../src/transactions/operations/continue-hints.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const two = 31338
const unbounded = { maxFeePerGas: null, policy: null }

/** A deposit that waits for so much of its asset, and puts in `spent` of it. */
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

/** The node of the other chain, whose answers a test may change. */
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

describe('a leg that waits for a bridge', () => {
  test('passes where the wallet has coin and the market takes what arrives, though nothing is there yet', async () => {
    const [cost, ...others] = await check(node(), 10_000_000n)
    expect(others).toEqual([])
    expect(cost).toMatchObject({ at: 0, held: await sandbox.nativeBalanceOf(two, sandbox.user.address) })
    expect(cost!.gas).toBeGreaterThan(100_000n)
    expect(cost!.price).toBeGreaterThan(0n)
  })

  test('is refused where a step of it would fail with what arrives', async () => {
    await expect(check(node(), 1_000_000n, 10n ** 30n)).rejects.toMatchObject({
      code: 'SIMULATION_REVERTED',
      message: expect.stringMatching(
        /^Once the bridge had brought the funds to sandbox-two, step 2 of 2 there would fail: /,
      ),
    })
  })

  test('has its funds minted by whom the bridge names, and where it names nobody by the bridge itself', async () => {
    const minter = `0x${'be'.repeat(20)}`
    const { tokenMessenger } = sandbox.world.catalog().cctpV2.find(({ chainId }) => chainId === two)!
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

  test('where the node cannot simulate, needs the gas of the least transactions', async () => {
    const blind = node((method) => {
      if (method !== 'eth_simulateV1') return undefined
      return Promise.reject(new AppError('RPC_ERROR', 'unknown method', { details: { code: -32601 } }))
    })
    // How much that is nobody knows: the least is not said to be it.
    expect(await check(blind, 10_000_000n)).toMatchObject([{ at: 0, gas: null, held: expect.any(BigInt) }])
    await setCoin('0x1')
    await expect(check(blind, 10_000_000n)).rejects.toMatchObject({
      code: 'INSUFFICIENT_FUNDS',
      message: expect.stringMatching(/ETH on sandbox-two and needs at least 0\.\d+ ETH there, for the gas/),
    })
  })
})

test('what is dust after it came is not tried again, but given up', () => {
  const { strategy, wallet } = leg(1n).intent
  const changes = [{ token: strategy.receipt, before: 0n, delta: 0n }]
  let dust: AppError | undefined
  try {
    refuseDust({ kind: 'deposit', wallet, strategy, amount: 1n }, 0n, changes)
  } catch (error) {
    dust = error as AppError
  }
  expect(continueHint(dust!, 'one')).toBe('sluice action abandon one')
  expect(continueHint(dust!, 'one', 'sluice action replan one')).toBe('sluice action abandon one')
})
