import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import type { Hex } from '../../src/domain/address.ts'
import { maxUint256 } from '../../src/domain/amount.ts'
import { engineOn } from '../engine/support.ts'
import { type HostileService, type Lies, startHostileService } from '../support/hostile-service.ts'
import { rpcEnvOf, useCommands } from '../support/run.ts'
import { calldata, useSandbox } from '../support/sandbox.ts'

const sandbox = useSandbox()
const { run, signsNothing } = useCommands(sandbox)
const apiKey = 'key-12345'
const slug = 'aave-v3-usdc-sandbox-one'

let service: HostileService
beforeEach(async () => {
  service = await startHostileService(engineOn(sandbox).service, apiKey)
})
afterEach(() => service.stop())

/** A command line at a service whose answers are changed by `lies`. */
const lied = (line: string, lies: Lies = {}) => {
  service.lies = lies
  return run(line, {
    env: { ...rpcEnvOf(sandbox), SLUICE_BASE_URL: service.url },
    secrets: { privateKey: sandbox.user.key, apiKey },
  })
}

type Item = { to: Hex; data: Hex; value: string; chainId: number }
const bytecode = (change: (items: Item[]) => Item[]): Lies => ({
  strategyBytecode: (body) => ({ ...body, bytecode: change(body.bytecode) }),
})
const approving = (amount: bigint) =>
  bytecode(([one, ...rest]) => {
    const spender = `0x${one!.data.slice(34, 74)}`
    return [{ ...one!, data: calldata('function approve(address,uint256)', [spender, amount]) }, ...rest]
  })
/** Takes the allowance back before it is given: honest, and not what our own engine builds. */
const roundabout = bytecode(([one, ...rest]) => {
  const spender = `0x${one!.data.slice(34, 74)}`
  const reset = { ...one!, data: calldata('function approve(address,uint256)', [spender, 0n]) }
  return [reset, one!, ...rest]
})

describe('what our own engine would build', () => {
  const dry = `deposit ${slug} --amount 100 --dry-run --json --trust-first-use`

  test('is the same for an honest service, byte for byte', async () => {
    expect((await lied(dry)).json).toMatchObject({ reference: 'equal', assurance: 'L3' })
    expect((await lied(dry.replace('--json', ''))).out).toContain('byte for byte')
  })

  test('is something else for one that goes round: still guarded, and less assured', async () => {
    expect((await lied(dry, roundabout)).json).toMatchObject({ reference: 'different', assurance: 'L2' })
    expect((await lied(dry.replace('--json', ''), roundabout)).out).toContain('would build something else')
    const refused = await signsNothing(() => lied(`${dry} --max-assurance-loss L3`, roundabout))
    expect(refused.json.error.code).toBe('POLICY_ASSURANCE')
  })

  test('is the same for a withdrawal', async () => {
    expect((await lied(`deposit ${slug} --amount 100 --yes --json --idempotency-key opinion-1`)).exit).toBe(0)
    for (const amount of ['50', 'max'])
      expect((await lied(`withdraw ${slug} --amount ${amount} --dry-run --json`)).json).toMatchObject({
        reference: 'equal',
        assurance: 'L3',
      })
  })

  test('is itself where it is the service', async () => {
    expect((await run(dry)).json).toMatchObject({ reference: 'equal', assurance: 'L3' })
  })
})

describe('an approval of more than is needed', () => {
  const line = `deposit ${slug} --amount 100 --yes --json --idempotency-key opinion-2`

  test.each([
    ['all there is', maxUint256],
    ['one more', 100_000_001n],
  ])('%s is refused, or made exact where that was asked for', async (_, amount) => {
    const refused = await signsNothing(() => lied(line, approving(amount)))
    expect(refused.json.error).toMatchObject({
      code: 'POLICY_ALLOWANCE',
      hint: expect.stringContaining('--exact-allowance rewrite'),
    })
    const done = await lied(`${line} --exact-allowance rewrite`, approving(amount))
    expect(done.json).toMatchObject({ status: 'SUCCESS' })
    const [approval] = done.json.transactions
    const { input } = await sandbox
      .chain(31337)
      .rpc.request<{ input: Hex }>('eth_getTransactionByHash', [approval.hash])
    expect(BigInt(`0x${input.slice(74)}`)).toBe(100_000_000n)
  })

  test('of less, or for somebody else, is not made exact', async () => {
    for (const [lies, code] of [
      [approving(99_999_999n), 'POLICY_ALLOWANCE'],
      [
        bytecode(([one, ...rest]) => [
          {
            ...one!,
            data: calldata('function approve(address,uint256)', [`0x${'66'.repeat(20)}`, maxUint256]),
          },
          ...rest,
        ]),
        'POLICY_SPENDER',
      ],
    ] as const) {
      const refused = await signsNothing(() => lied(`${line} --exact-allowance rewrite`, lies))
      expect(refused.json.error.code).toBe(code)
    }
  })
})

describe('the price of a swap', () => {
  const swap =
    'swap execute --from sandbox-one --token-in USDC --token-out WETH --amount-in 100 --yes --json --idempotency-key opinion-3'
  /** A quote that brings so many percent of what it would, with calldata that fits it. */
  const worse = (percent: bigint): Lies => {
    const less = (amount: string) => ((BigInt(amount) * percent) / 100n).toString()
    return {
      quote: (body) => {
        const quote = body.quote ?? body
        const changed = {
          ...quote,
          tokenOut: { ...quote.tokenOut, amount: less(quote.tokenOut.amount) },
          minAmountOut: less(quote.minAmountOut),
        }
        return body.quote ? { ...body, quote: changed } : changed
      },
    }
  }

  test('of an honest service is taken', async () => {
    expect((await lied(swap)).json).toMatchObject({ status: 'SUCCESS' })
  })

  test('that is more than 3 % worse than that of our own engine is refused', async () => {
    const { exit, json } = await signsNothing(() => lied(swap, worse(90n)))
    expect({ exit, code: json.error.code }).toEqual({ exit: 8, code: 'POLICY_MIN_OUT' })
    expect(json.error.message).toContain('more than 3 % less')
  })

  test('with more slippage than was asked for is refused', async () => {
    const loose: Lies = {
      quote: (body) => {
        const quote = body.quote ?? body
        const changed = {
          ...quote,
          minAmountOut: ((BigInt(quote.tokenOut.amount) * 985n) / 1000n).toString(),
        }
        return body.quote ? { ...body, quote: changed } : changed
      },
    }
    const { exit, json } = await signsNothing(() => lied(`${swap} --slippage 0.5%`, loose))
    expect({ exit, code: json.error.code }).toEqual({ exit: 8, code: 'POLICY_MIN_OUT' })
    expect(json.error.message).toContain('slippage')
  })
})
