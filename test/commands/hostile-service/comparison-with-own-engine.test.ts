import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Hex } from '../../../src/domain/address.ts'
import { maxUint256 } from '../../../src/domain/amount.ts'
import { contractsIn } from '../../../src/swaps/swap-contracts.ts'
import { uniswapV2Contracts } from '../../../src/swaps/uniswap-v2/constants-schema.ts'
import { uniswapV3Contracts } from '../../../src/swaps/uniswap-v3/constants-schema.ts'
import { uniswapV4Contracts } from '../../../src/swaps/uniswap-v4/constants-schema.ts'
import { engineOn } from '../../support/engine.ts'
import {
  type HostileService,
  type Lies,
  startHostileService,
} from '../../support/services/hostile-service.ts'
import { listener } from '../../support/services/listener.ts'
import { rpcEnvOf, useCommands } from '../../support/use-commands.ts'
import { calldata, useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, signsNothing, home } = useCommands(sandbox)
const apiKey = 'key-12345'
const slug = 'aave-v3-usdc-sandbox-one'

let service: HostileService
beforeEach(async () => {
  service = await startHostileService(engineOn(sandbox).service, apiKey)
})
afterEach(() => service.stop())

/** Runs a command with a service whose answers `lies` changes. */
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
/** Resets the allowance before it is granted: harmless, but different from what the local engine builds. */
const roundabout = bytecode(([one, ...rest]) => {
  const spender = `0x${one!.data.slice(34, 74)}`
  const reset = { ...one!, data: calldata('function approve(address,uint256)', [spender, 0n]) }
  return [reset, one!, ...rest]
})

describe('the local rebuild', () => {
  const dry = `deposit ${slug} --amount 100 --dry-run --json --trust-first-use`

  test('is identical for an honest service', async () => {
    expect((await lied(dry)).json).toMatchObject({ reference: 'equal', assurance: 'L3' })
    expect((await lied(dry.replace('--json', ''))).out).toMatch(/local rebuild +identical/)
  })

  test('is different for an additional step: the plan gets L2, and --min-assurance L3 refuses it', async () => {
    expect((await lied(dry, roundabout)).json).toMatchObject({ reference: 'different', assurance: 'L2' })
    expect((await lied(dry.replace('--json', ''), roundabout)).out).toMatch(/local rebuild +different/)
    const refused = await signsNothing(() => lied(`${dry} --min-assurance L3`, roundabout))
    expect(refused.json.error.code).toBe('POLICY_ASSURANCE')
  })

  test('is identical for a withdrawal of an amount and of max', async () => {
    expect((await lied(`deposit ${slug} --amount 100 --yes --json --idempotency-key opinion-1`)).exit).toBe(0)
    for (const amount of ['50', 'max'])
      expect((await lied(`withdraw ${slug} --amount ${amount} --dry-run --json`)).json).toMatchObject({
        reference: 'equal',
        assurance: 'L3',
      })
  })

  test('is identical when the local engine is the service', async () => {
    expect((await run(dry)).json).toMatchObject({ reference: 'equal', assurance: 'L3' })
  })
})

describe('a policy with minAssurance L3, before any contract was used', () => {
  test('names the contracts used for the first time and the flag --trust-first-use', async () => {
    const policy = join(home(), 'policy-of-a-test.json')
    writeFileSync(policy, JSON.stringify({ minAssurance: 'L3' }), { mode: 0o600 })
    const line = `deposit ${slug} --amount 100 --yes --json --idempotency-key fresh-0001 --policy ${policy}`
    const { exit, json } = await signsNothing(() => lied(line))
    expect({ exit, code: json.error?.code }).toEqual({ exit: 8, code: 'POLICY_ASSURANCE' })
    expect(json.error.hint).toMatch(/0x[0-9a-fA-F]{40} for the first time.*--trust-first-use$/)
    expect((await lied(`${line} --trust-first-use`)).json).toMatchObject({ status: 'SUCCESS' })
  })
})

describe('an approval that the existing allowance covers', () => {
  test('is left out of the plan when the service proposes it', async () => {
    const { constants } = sandbox.strategy('aave-v3-USDC-sandbox-one')
    if (constants.family !== 'aave-v3') throw new Error('not a pool')
    const to = sandbox.token(31337, 'USDC').address
    const line = `deposit ${slug} --amount 100 --dry-run --json --trust-first-use`
    const { json: asked } = await lied(line)
    const [approval] = asked.steps as Item[]
    await sandbox.sendAs(31337, sandbox.user.address, {
      to,
      data: calldata('function approve(address,uint256)', [constants.pool, maxUint256]),
    })
    const { data, value, chainId } = approval!
    const always = bytecode((items) => [{ to, data, value, chainId }, ...items])
    const { json } = await lied(line, always)
    expect(json.steps.map(({ role }: { role: string }) => role)).toEqual(['action'])
    expect(json).toMatchObject({ reference: 'equal', standing: [{ unlimited: true }] })
  })
})

describe('an approval of another amount than needed', () => {
  const line = `deposit ${slug} --amount 100 --yes --json --idempotency-key opinion-2`

  test.each([
    ['the maximum', maxUint256],
    ['one unit more', 100_000_001n],
  ])('of %s is made exact, and the plan says so', async (_, amount) => {
    const plan = await lied(line.replace('--yes', '--dry-run'), approving(amount))
    expect(plan.json.steps[0].text).toMatch(/, not the larger amount that was proposed$/)
    const done = await lied(line, approving(amount))
    expect(done.json).toMatchObject({ status: 'SUCCESS' })
    const [approval] = done.json.transactions
    const { input } = await sandbox
      .chain(31337)
      .rpc.request<{ input: Hex }>('eth_getTransactionByHash', [approval.hash])
    expect(BigInt(`0x${input.slice(74)}`)).toBe(100_000_000n)
  })

  test('of less, or for another spender, is refused', async () => {
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
      const refused = await signsNothing(() => lied(line, lies))
      expect(refused.json.error.code).toBe(code)
    }
  })
})

describe('the price of a swap', () => {
  const swap =
    'swap execute --from sandbox-one --token-in USDC --token-out WETH --amount-in 100 --yes --json --idempotency-key opinion-3'
  /** A quote whose output and minimum are this percentage of the original. */
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

  test('is accepted from an honest service', async () => {
    expect((await lied(swap)).json).toMatchObject({ status: 'SUCCESS' })
  })

  test('more than 3 % below that of the local engine is refused', async () => {
    const { exit, json } = await signsNothing(() => lied(swap, worse(90n)))
    expect({ exit, code: json.error.code }).toEqual({ exit: 8, code: 'POLICY_MIN_OUT' })
    expect(json.error.message).toContain('the maximum is 3 %')
  })

  /** A quote whose minimum is so many thousandths of its output; `inCalldata` puts that minimum into the calldata, too. */
  const loose = (thousandths: bigint, inCalldata: boolean): Lies => {
    let [honest, said] = ['', '']
    const word = (amount: bigint) => amount.toString(16).padStart(64, '0')
    return {
      quote: (body) => {
        const quote = body.quote ?? body
        const minAmountOut = (BigInt(quote.tokenOut.amount) * thousandths) / 1000n
        ;[honest, said] = [word(BigInt(quote.minAmountOut)), word(minAmountOut)]
        const changed = { ...quote, minAmountOut: minAmountOut.toString() }
        return body.quote ? { ...body, quote: changed } : changed
      },
      ...(inCalldata && {
        swapBytecode: (body) => JSON.parse(JSON.stringify(body).replaceAll(honest, said)),
      }),
    }
  }

  test.each(['', '--slippage 0.5%'])(
    'of calldata that allows more than half a percent of slippage is refused (%s)',
    async (flag) => {
      for (const thousandths of [985n, 500n, 1n]) {
        const { exit, json } = await signsNothing(() => lied(`${swap} ${flag}`, loose(thousandths, true)))
        expect({ exit, code: json.error.code }).toEqual({ exit: 8, code: 'POLICY_MIN_OUT' })
        expect(json.error.hint).toMatch(/--slippage|new quote/)
      }
    },
  )

  test('is accepted if the calldata keeps the requested slippage while the quote names a lower minimum', async () => {
    const { exit, json } = await lied(
      `${swap.replace('--yes', '--dry-run')} --slippage 0.5%`,
      loose(985n, false),
    )
    expect(exit).toBe(0)
    expect(json.error).toBeUndefined()
  })

  test('with --slippage is compared with the price of the local engine, fees included', async () => {
    // The quotes are 2 % and 1 % below the honest ones, with a minimum that fits them.
    for (const [percent, flag] of [
      [98n, '--slippage 0.1%'],
      [99n, '--slippage 0.5%'],
    ] as const) {
      const { exit, json } = await signsNothing(() => lied(`${swap} ${flag}`, worse(percent)))
      expect({ exit, code: json.error.code }).toEqual({ exit: 8, code: 'POLICY_MIN_OUT' })
      expect(json.error.message).toContain('of the local engine')
      // The slippage in the hint works when pasted.
      const [accepted] = /--slippage \S+$/.exec(json.error.hint) ?? []
      const more = await lied(`${swap.replace('--yes', '--dry-run')} ${accepted}`, worse(percent))
      expect(more.json.slippages).toMatchObject([{ by: 'own engine' }])
    }
  })

  test('is refused by maxSlippage of a policy when it is 2 % worse', async () => {
    const policy = join(home(), 'policy-of-a-test.json')
    writeFileSync(policy, JSON.stringify({ maxSlippage: '1%' }), { mode: 0o600 })
    const { json } = await signsNothing(() => lied(`${swap} --policy ${policy}`, worse(98n)))
    expect(json.error).toMatchObject({ code: 'POLICY_LIMIT', details: { rule: 'maxSlippage' } })
    expect((await lied(`${swap} --policy ${policy}`)).json).toMatchObject({ status: 'SUCCESS' })
  })

  test('in a plan file is refused by maxSlippage of a policy in policy check and action submit', async () => {
    const policy = join(home(), 'policy-of-a-test.json')
    writeFileSync(policy, JSON.stringify({ maxSlippage: '1%' }), { mode: 0o600 })
    const file = join(home(), 'plan.json')
    const dry = swap.replace('--yes', '--dry-run')
    writeFileSync(file, (await lied(dry, worse(98n))).out)
    for (const line of [`policy check ${file}`, `action submit ${file} --yes`]) {
      const { exit, json } = await signsNothing(() => lied(`${line} --policy ${policy} --json`))
      expect({ line, exit, details: json.error.details }).toMatchObject({ line, exit: 8 })
      expect(json.error).toMatchObject({ code: 'POLICY_LIMIT' })
    }
    writeFileSync(file, (await lied(dry)).out)
    expect((await lied(`policy check ${file} --policy ${policy} --json`)).exit).toBe(0)
  })

  test('with --slippage 5% may have a minimum 4.5 % below the output, beyond the default of 3 %', async () => {
    const { json } = await lied(`${swap} --slippage 5%`, loose(955n, true))
    expect(json).toMatchObject({ status: 'SUCCESS' })
  })

  test('unknown to the local engine is paid only with --accept-min-out', async () => {
    const catalog = sandbox.world.catalog()
    const priced = [
      contractsIn(catalog, uniswapV3Contracts).find(({ chainId }) => chainId === 31337)!.quoterV2,
      contractsIn(catalog, uniswapV2Contracts).find(({ chainId }) => chainId === 31337)!.router02,
      contractsIn(catalog, uniswapV4Contracts).find(({ chainId }) => chainId === 31337)!.quoter,
    ].map((address) => address.slice(2).toLowerCase())
    const honest = rpcEnvOf(sandbox).SLUICE_RPC_SANDBOX_ONE!
    // This node does not answer calls to quoters, so the local engine knows no price.
    const deaf = await listener((request, response) => {
      let body = ''
      request.on('data', (part) => {
        body += String(part)
      })
      request.on('end', async () => {
        response.writeHead(200, { 'content-type': 'application/json' })
        type Asked = { id: number; method: string; params: unknown }
        const asked = JSON.parse(body) as Asked | Asked[]
        const isQuote = (one: Asked) =>
          one.method === 'eth_call' &&
          priced.some((address) => JSON.stringify(one.params).toLowerCase().includes(address))
        const answered = async (one: Asked): Promise<unknown> =>
          isQuote(one)
            ? { jsonrpc: '2.0', id: one.id, error: { code: -32000, message: 'no' } }
            : (
                await fetch(honest, {
                  method: 'POST',
                  headers: { 'content-type': 'application/json' },
                  body: JSON.stringify(one),
                })
              ).json()
        response.end(
          JSON.stringify(
            Array.isArray(asked) ? await Promise.all(asked.map(answered)) : await answered(asked),
          ),
        )
      })
    })
    const unpriced = (line: string, lies: Lies = {}) => {
      service.lies = lies
      return run(line, {
        env: { ...rpcEnvOf(sandbox), SLUICE_RPC_SANDBOX_ONE: deaf.url, SLUICE_BASE_URL: service.url },
        secrets: { privateKey: sandbox.user.key, apiKey },
      })
    }
    for (const lies of [{}, worse(50n)]) {
      const { exit, json } = await signsNothing(() => unpriced(swap, lies))
      expect({ exit, code: json.error.code }).toEqual({ exit: 8, code: 'POLICY_MIN_OUT' })
      expect(json.error.hint).toContain('--accept-min-out')
    }
    const plan = (
      await unpriced(`${swap.replace('--yes', '--dry-run')} --accept-min-out 0.03 --trust-first-use`)
    ).json
    expect(plan).toMatchObject({ slippages: [{ by: 'service' }], assurance: 'L2' })
    const said = `${swap.replace('--yes --json', '--dry-run')} --accept-min-out 0.03`
    expect((await unpriced(said)).out).toContain('according to the service')
    expect((await unpriced(`${swap} --accept-min-out 0.03`)).json).toMatchObject({ status: 'SUCCESS' })
    await deaf.close()
  })

  test('of a quote that this machine did not request is refused until it is requested here', async () => {
    const asked = 'swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-in 100 --json'
    const { id } = (await lied(asked)).json
    rmSync(join(home(), 'data', 'quotes.db'))
    const { exit, json } = await signsNothing(() => lied(`swap execute ${id} --yes --json`))
    expect({ exit, code: json.error.code }).toEqual({ exit: 8, code: 'POLICY_QUOTE_DRIFT' })
    expect(json.error.message).toContain('Swap 100 USDC on sandbox-one')
    const again = (await lied(asked)).json
    expect((await lied(`swap execute ${again.id} --yes --json`)).json).toMatchObject({ status: 'SUCCESS' })
  })
})

describe('the speed of a bridge', () => {
  const bridge =
    'swap execute --from sandbox-one --to sandbox-two --token-in USDC --token-out USDC --amount-in 100 --dry-run --json'
  const word = (threshold: number) => threshold.toString(16).padStart(64, '0')
  const asking = (from: number, to: number): Lies => ({
    swapBytecode: (body) => JSON.parse(JSON.stringify(body).replaceAll(word(from), word(to))),
  })

  test.each([
    ['fast', 1000, 2000],
    ['standard', 2000, 1000],
  ] as const)(
    '%s is signed as requested, and another speed in the calldata is refused',
    async (speed, asked, other) => {
      expect(
        (await lied(`${bridge} --speed ${speed}`)).json.steps.at(-1).call.args.minFinalityThreshold,
      ).toBe(String(asked))
      const { exit, json } = await lied(`${bridge} --speed ${speed}`, asking(asked, other))
      expect({ exit, code: json.error?.code }).toEqual({ exit: 8, code: 'POLICY_QUOTE_DRIFT' })
      // A stored quote keeps the speed that it was requested with.
      const quote = bridge.replace('execute', 'quote').replace('--dry-run ', '')
      const { id } = (await lied(`${quote} --speed ${speed}`)).json
      const taken = await lied(`swap execute ${id} --dry-run --json`, asking(asked, other))
      expect(taken.json.error?.code).toBe('POLICY_QUOTE_DRIFT')
    },
  )
})
