import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { signerProcessService } from '../../src/app/signing/signer-process.ts'
import type { Address } from '../../src/domain/address.ts'
import type { SigningService } from '../../src/signing/signing-service-protocol.ts'
import { builtFile } from '../support/built-file.ts'
import { engineOn, inTurn, over } from '../support/engine.ts'
import { type OtherDeployment, startOtherDeployment } from '../support/services/other-deployment.ts'
import { type Lies, live } from '../support/services/other-deployment-execution.ts'
import { type Document, type Ran, rpcEnvOf, useCommands, wordsOf } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

/* A deployment that sends only the fields of the specification. Actions through it end as with our own service. */

const sandbox = useSandbox()
const { run, signsNothing, home, attempts } = useCommands(sandbox)
const friend: Address = '0x6666666666666666666666666666666666666666'
const held = (chainId: number, symbol: string, who: Address = sandbox.user.address) =>
  sandbox.balanceOf(chainId, sandbox.token(chainId, symbol).address, who)
const receiptOf = (id: string) => {
  const { receipt } = sandbox.strategy(id)
  return sandbox.balanceOf(receipt.chainId, receipt.address, sandbox.user.address)
}

let other: OtherDeployment
let lies: Lies
beforeEach(async () => {
  lies = {}
  const source = over(engineOn(sandbox).service)
  other = await startOtherDeployment(live(source, () => lies, 'sandbox-one'))
})
afterEach(() => other.close())

const ask = (line: string | readonly string[]): Promise<Ran> =>
  run(line, {
    env: { SLUICE_BASE_URL: other.url, ...rpcEnvOf(sandbox) },
    secrets: { apiKey: 'key-12345', privateKey: sandbox.user.key },
  })
const signing = (key: string) => `--yes --json --idempotency-key other-${key}`
const near = '--from sandbox-one --token-in USDC --token-out WETH'
const far = '--from sandbox-one --to sandbox-two --token-in USDC --token-out USDC'
const across = 'deposit aave-v3-usdc-sandbox-two --amount 25 --from sandbox-one'

/** Runs a command that must succeed. */
async function done(line: string): Promise<Document> {
  const ran = await ask(line)
  expect({ line, exit: ran.exit, err: ran.err }).toMatchObject({ exit: 0 })
  return ran.json
}

/** Runs a command that must be refused with nothing signed. */
async function refused(line: string): Promise<{ code: string; message: string }> {
  const ran = await signsNothing(() => ask(line))
  expect({ line, exit: ran.exit, ...ran.json }).toMatchObject({ exit: 8 })
  return ran.json.error
}

/** An amount reduced by a slippage in basis points. */
const less = (amount: string, bps: bigint) => ((BigInt(amount) * (10_000n - bps)) / 10_000n).toString()
const grown = (amount: string, bps: bigint) => ((BigInt(amount) * (10_000n + bps)) / 10_000n).toString()
const hex = (amount: string | bigint) => BigInt(amount).toString(16).padStart(64, '0')
/** The calldata with one amount replaced everywhere. */
const swapped = (data: string, was: string | bigint, now: string | bigint): string => {
  expect(data).toContain(hex(was))
  return data.replaceAll(hex(was), hex(now))
}
const moreOut = (bps: bigint): Lies => ({
  quote: (quote) => ({
    ...quote,
    tokenOut: { ...quote.tokenOut, amount: grown(quote.tokenOut.amount, bps) },
  }),
})

describe('a swap', () => {
  test('with an exact input spends exactly that, and delivers the reported output', async () => {
    const before = [await held(31337, 'USDC'), await held(31337, 'WETH')] as const
    const json = await done(`swap execute ${near} --amount-in 100 ${signing('in')}`)
    expect(json).toMatchObject({ type: 'SAMECHAIN_SWAP', status: 'SUCCESS' })
    expect(before[0] - (await held(31337, 'USDC'))).toBe(100_000000n)
    expect((await held(31337, 'WETH')) - before[1]).toBe(BigInt(json.amounts.out.raw))
  })

  test('with an exact output delivers exactly that, for at most 0.5 percent more than reported', async () => {
    const before = await held(31337, 'USDC')
    const json = await done(
      `swap execute ${near} --amount-out 0.02 --destination ${friend} ${signing('out')}`,
    )
    expect(await held(31337, 'WETH', friend)).toBe(2n * 10n ** 16n)
    const paid = before - (await held(31337, 'USDC'))
    expect(paid).toBeLessThanOrEqual(BigInt(grown(json.amounts.in.raw, 50n)) + 1n)
    expect(paid).toBeGreaterThan(0n)
  })

  test('by quote ID uses the slippage of the quote request, which the quote does not contain', async () => {
    const quote = await done(`swap quote ${near} --amount-in 100 --slippage 1% --json`)
    expect(quote).toMatchObject({ minAmountOut: null, slippage: null, fees: null })
    const plan = await done(`swap execute ${quote.id} --dry-run --json`)
    const [{ intent }] = plan.operation.legs
    expect(intent.amountOut).toBe(less(quote.tokenOut.amount.raw, 100n))
    const usual = await done(`swap quote ${near} --amount-in 100 --json`)
    const tighter = await done(`swap execute ${usual.id} --dry-run --json`)
    expect(tighter.operation.legs[0].intent.amountOut).toBe(less(usual.tokenOut.amount.raw, 50n))
    const before = await held(31337, 'USDC')
    await done(`swap execute ${quote.id} --yes --json`)
    expect(before - (await held(31337, 'USDC'))).toBe(100_000000n)
  })

  test('shows the minimum of its transactions when they guarantee more than is accepted', async () => {
    lies = { asks: { slippage: '0.004' } }
    const { out } = await ask(`swap execute ${near} --amount-in 100 --dry-run`)
    const least = (text: string) => Number(/for at least ([0-9.]+) WETH on Uniswap v3$/m.exec(text)?.[1])
    lies = {}
    const exact = await ask(`swap execute ${near} --amount-in 100 --dry-run`)
    expect(least(out)).toBeGreaterThan(least(exact.out))
    await done(`swap execute ${near} --amount-in 100 ${signing('better')}`)
  })

  test('accepts a lower minimum only down to --accept-min-out', async () => {
    const { tokenOut } = await done(`swap quote ${near} --amount-in 100 --json`)
    const expected = Number(tokenOut.amount.formatted)
    lies = { asks: { slippage: '0.02' } }
    const line = `swap execute ${near} --amount-in 100`
    expect((await refused(`${line} ${signing('least-0')}`)).code).toBe('POLICY_MIN_OUT')
    const low = (expected * 0.979).toFixed(12)
    const plan = await done(`${line} --accept-min-out ${low} --dry-run --json`)
    expect(plan.operation.legs[0].intent.amountOut).toBe(
      BigInt(Math.round(Number(low) * 1e12)).toString() + '0'.repeat(6),
    )
    const high = (expected * 0.981).toFixed(12)
    expect((await refused(`${line} --accept-min-out ${high} ${signing('least-1')}`)).code).toBe(
      'POLICY_MIN_OUT',
    )
    await done(`${line} --accept-min-out ${low} ${signing('least-2')}`)
    const { id } = await done(`swap quote ${near} --amount-in 100 --json`)
    expect((await refused(`swap execute ${id} --yes --json`)).code).toBe('POLICY_MIN_OUT')
    await done(`swap execute ${id} --accept-min-out ${(expected * 0.97).toFixed(12)} --yes --json`)
    // Another --accept-min-out is another request.
    const again = await ask(`${line} --accept-min-out ${high} ${signing('least-2')}`)
    expect({ exit: again.exit, code: again.json.error.code }).toEqual({
      exit: 14,
      code: 'IDEMPOTENCY_KEY_REUSED',
    })
    const exact = await ask(`swap execute ${near} --amount-out 0.01 --accept-min-out 1 ${signing('least-3')}`)
    expect({ exit: exact.exit, code: exact.json.error.code }).toEqual({ exit: 2, code: 'USAGE' })
  })

  test('across chains delivers its output', async () => {
    const before = [await held(31337, 'USDC'), await held(31338, 'USDC')] as const
    const json = await done(`swap execute ${far} --amount-in 50 --speed fast ${signing('far')}`)
    expect(json).toMatchObject({ type: 'CROSSCHAIN_SWAP', status: 'SUCCESS' })
    expect(before[0] - (await held(31337, 'USDC'))).toBe(50_000000n)
    expect((await held(31338, 'USDC')) - before[1]).toBe(49_995000n)
    expect(json.destinationTxHash).toMatch(/^0x[0-9a-f]{64}$/)
  })

  test('across chains with an exact output delivers exactly that', async () => {
    const before = await held(31338, 'USDC')
    await done(`swap execute ${far} --amount-out 20 ${signing('far-out')}`)
    expect((await held(31338, 'USDC')) - before).toBe(20_000000n)
  })

  test('is submitted from its plan, and spends the exact input', async () => {
    const { out } = await ask(`swap execute ${near} --amount-in 100 --slippage 1% --dry-run --json`)
    const path = join(home(), 'plan.json')
    writeFileSync(path, out)
    const before = await held(31337, 'USDC')
    await done(`action submit ${path} --yes --json`)
    expect(before - (await held(31337, 'USDC'))).toBe(100_000000n)
  })

  test('is resumed with a new quote when its quote expired after the approval', async () => {
    const line =
      'swap execute --from sandbox-one --token-in USDC --token-out USDT --amount-in 100 --slippage 1%'
    const begun = await ask(`${line} ${signing('expires')} --no-wait`)
    expect(begun).toMatchObject({ exit: 20 })
    await sandbox.world.warp(3_600)
    const before = [await held(31337, 'USDC'), await held(31337, 'USDT')] as const
    await done(`action resume ${begun.json.error.details.id} --json`)
    expect(before[0] - (await held(31337, 'USDC'))).toBe(100_000000n)
    expect((await held(31337, 'USDT')) - before[1]).toBeGreaterThan(99_000000n)
  })
})

test('swap quote --compare lists each provider that the profile names', async () => {
  const line = `swap quote --compare ${near} --amount-in 100 --json`
  const { json, err } = await run(line, {
    env: {
      SLUICE_BASE_URL: other.url,
      ...rpcEnvOf(sandbox),
      SLUICE_SWAP_PROVIDERS: 'uniswap-v2, uniswap-v3',
    },
    secrets: { apiKey: 'key-12345', privateKey: sandbox.user.key },
  })
  expect(
    json.items.map(({ provider }: Document) => provider),
    err,
  ).toEqual(['uniswap-v3', 'uniswap-v2'])
})

describe('a deposit across chains', () => {
  test('bridges first, then deposits the full amount received', async () => {
    const [one, two] = [await held(31337, 'USDC'), await held(31338, 'USDC')]
    const json = await done(`${across} ${signing('across')}`)
    expect(json).toMatchObject({ type: 'CROSSCHAIN_INVESTMENT_DEPOSIT', status: 'SUCCESS' })
    expect(json.transactions.map(({ chainId }: Document) => chainId)).toEqual([31337, 31337, 31338, 31338])
    expect(one - (await held(31337, 'USDC'))).toBe(25_000000n)
    expect(await held(31338, 'USDC')).toBe(two)
    const brought = 25_000000n
    expect(await receiptOf('aave-v3-USDC-sandbox-two')).toBeGreaterThanOrEqual(brought - 1n)
    expect(await receiptOf('aave-v3-USDC-sandbox-two')).toBeLessThan(brought + 10n)
  })

  test('succeeds when the clock of the destination chain is 5 s behind', async () => {
    const advance = (chainId: number) => sandbox.chain(chainId).rpc.request('evm_increaseTime', [5])
    await advance(31337)
    expect(await done(`${across} ${signing('across-clock')}`)).toMatchObject({ status: 'SUCCESS' })
    await advance(31338)
  })

  test('may deposit less than the bridge delivers, within the slippage', async () => {
    const two = await held(31338, 'USDC')
    lies = deposits((brought) => BigInt(less(brought, 40n)))
    await done(`${across} ${signing('across-less')}`)
    const rest = 25_000000n - BigInt(less('25000000', 40n))
    expect((await held(31338, 'USDC')) - two).toBe(rest)
  })
})

/** A deposit across chains whose calldata deposits another amount than the bridge delivers. */
const deposits = (amount: (brought: string) => bigint): Lies => ({
  strategyBytecode: (made) => {
    const brought = made.quote.tokenOut.amount
    return {
      ...made,
      bytecode: made.bytecode.map((item: { chainId: number; data: string }) =>
        item.chainId === 31338 ? { ...item, data: swapped(item.data, brought, amount(brought)) } : item,
      ),
    }
  },
})
/** Replaces the maximum fee in the bridge calldata: `bps` basis points of `sum` instead of `most`. */
const fee = (sum: bigint, bps: bigint, most: bigint) => (item: { data: string }) => ({
  ...item,
  data: swapped(item.data, most, (sum * bps) / 10_000n),
})
const costlyBridge = (bps: bigint): Lies => ({
  swapBytecode: (made) => ({ ...made, transactionData: fee(50_000000n, bps, 5_500n)(made.transactionData) }),
})
/** The calldata of a burn with another maximum fee, its sixth word. */
const withFee = (data: string, most: bigint): string => {
  const at = 2 + 8 + 64 * 5
  return `${data.slice(0, at)}${hex(most).padStart(64, '0')}${data.slice(at + 64)}`
}
const costlyDeposit = (bps: bigint): Lies => ({
  strategyBytecode: (made) => ({
    ...made,
    bytecode: made.bytecode.map((item: { data: string }, at: number) =>
      at === 1 ? { ...item, data: withFee(item.data, (25_000000n * bps) / 10_000n) } : item,
    ),
  }),
})

describe('false answers of the deployment', () => {
  const [tooLow, unfair] = [
    /less than [0-9]|may bring less than|is the least that is accepted/,
    /% less than .* maximum is (3|0\.75) %/,
  ]
  const exactIn = `swap execute ${near} --amount-in 100`
  const exactOut = `swap execute ${near} --amount-out 0.02`
  const bridge = `swap execute ${far} --amount-in 50 --speed fast`
  const falseAnswers: [string, string, () => Lies, string, RegExp][] = [
    [
      'swap minimum below the default slippage',
      exactIn,
      () => ({ asks: { slippage: '0.006' } }),
      'POLICY_MIN_OUT',
      tooLow,
    ],
    [
      'swap minimum below the requested slippage',
      `${exactIn} --slippage 0.1%`,
      () => ({ asks: { slippage: '0.002' } }),
      'POLICY_MIN_OUT',
      tooLow,
    ],
    [
      'maximum input above the slippage',
      exactOut,
      () => ({ asks: { slippage: '0.006' } }),
      'POLICY_AMOUNT',
      /It may spend/,
    ],
    ['quoted output above the swap minimum', exactIn, () => moreOut(10n), 'POLICY_MIN_OUT', tooLow],
    [
      'quoted output of zero',
      exactIn,
      () => ({ quote: (quote) => ({ ...quote, tokenOut: { ...quote.tokenOut, amount: '0' } }) }),
      'POLICY_MIN_OUT',
      /names no minimum/,
    ],
    [
      'unfair quoted output with a swap minimum to match',
      exactIn,
      () => ({
        asks: { slippage: '0.09' },
        quote: (quote) => ({
          ...quote,
          tokenOut: { ...quote.tokenOut, amount: less(quote.tokenOut.amount, 950n) },
        }),
      }),
      'POLICY_MIN_OUT',
      unfair,
    ],
    ['bridge fee above the slippage', bridge, () => costlyBridge(60n), 'POLICY_MIN_OUT', tooLow],
    ['quoted output above the bridge minimum', bridge, () => moreOut(60n), 'POLICY_MIN_OUT', tooLow],
    [
      'unfair bridge fee with a quote to match',
      bridge,
      () => ({
        ...costlyBridge(400n),
        quote: (quote) => ({ ...quote, tokenOut: { ...quote.tokenOut, amount: '48000000' } }),
      }),
      'POLICY_MIN_OUT',
      unfair,
    ],
    [
      'deposit below the slippage',
      across,
      () => deposits((sum) => BigInt(less(sum, 51n))),
      'POLICY_MIN_OUT',
      /the minimum for this quote/,
    ],
    ['deposit of zero', across, () => deposits(() => 0n), 'POLICY_MIN_OUT', /the minimum for this quote/],
    [
      'deposit above the quoted bridge output',
      across,
      () => deposits((sum) => BigInt(sum) + 1n),
      'POLICY_AMOUNT',
      /its quote delivers only/,
    ],
    ['deposit above the bridge minimum', across, () => costlyDeposit(2n), 'POLICY_MIN_OUT', tooLow],
    ['bridge minimum too low for the deposit', across, () => costlyDeposit(60n), 'POLICY_MIN_OUT', tooLow],
    [
      'quoted output above the deposit',
      across,
      () => moreOut(60n),
      'POLICY_MIN_OUT',
      /the minimum for this quote/,
    ],
    [
      'deposit from another chain than requested',
      across.replace('--from sandbox-one', '--from sandbox-two'),
      () => ({}),
      'POLICY_CHAIN',
      /but the request was for/,
    ],
    [
      'deposit from another chain, without --from',
      across.replace(' --from sandbox-one', ''),
      () => ({}),
      'POLICY_CHAIN',
      /but the request was for/,
    ],
    [
      'deposit of local funds instead of funds on the requested chain',
      'deposit aave-v3-usdc-sandbox-one --amount 25 --from sandbox-two',
      () => ({}),
      'POLICY_CHAIN',
      /but the request was for/,
    ],
    [
      'unfair bridge fee before a deposit, with a quote to match',
      across,
      () => {
        const [costly, lower] = [costlyDeposit(400n), deposits(() => 24_000000n)]
        return {
          strategyBytecode: (made) => {
            const told = costly.strategyBytecode!(lower.strategyBytecode!(made))
            return {
              ...told,
              quote: { ...told.quote, tokenOut: { ...told.quote.tokenOut, amount: '24000000' } },
            }
          },
        }
      },
      'POLICY_MIN_OUT',
      unfair,
    ],
  ]
  test.each(inTurn(falseAnswers, 2, 0))(
    'are refused with nothing signed: %s',
    async (name, line, lie, code, why) => {
      lies = lie()
      const error = await refused(`${line} ${signing(name.replaceAll(/\W/g, '-'))}`)
      expect(error).toMatchObject({ code, message: expect.stringMatching(why) })
    },
  )

  test('are accepted within the slippage: a higher bridge fee, with both minimums in the plan', async () => {
    lies = costlyBridge(50n)
    const { exit, out } = await ask(`${bridge} --dry-run`)
    expect(exit).toBe(0)
    expect(out).toMatch(/at least 49\.75 USDC arrive for 0x\w+\n[\s\S]*arrives +at least 49\.745025 USDC/)
  })
})

describe('the signer process', () => {
  const children: ChildProcess[] = []
  afterEach(() => {
    for (const child of children.splice(0)) child.kill()
  })

  /** Starts the signer as the program does. */
  const signerFor = (line: string): SigningService => {
    const path = builtFile(join(import.meta.dirname, '..', '..'), 'signer-process-main.js')
    const child = spawn(process.execPath, [path], {
      stdio: ['pipe', 'pipe', 'inherit'],
      // The signer learns which networks are set, not their URLs.
      env: {
        PATH: process.env.PATH ?? '',
        SLUICE_HOME: home(),
        SLUICE_BASE_URL: 'set',
        ...rpcEnvOf(sandbox, { 'sandbox-one': 'set', 'sandbox-two': 'set' }),
      },
    })
    children.push(child)
    const argv = wordsOf(line)
    child.stdin!.write(`${JSON.stringify({ argv, privateKey: sandbox.user.key, quiet: true })}\n`)
    return signerProcessService(child)
  }

  type Leg = { chainId: number; intent: Document; transactions: { to: string; data: string }[] }
  /** Sends the signer the plan of a command, changed by `change`, and returns its verdict. */
  async function shown(line: string, quoteId: string | null, change: (legs: Leg[]) => Leg[]) {
    const plan = await done(`${line} --dry-run --json`)
    const legs = plan.operation.legs.map(({ chainId, intent }: Leg, at: number) => ({
      chainId,
      intent,
      transactions: plan.steps
        .filter(({ leg }: Document) => leg === at)
        .map(({ to, data, value }: Document) => ({ to, data, value, chainId })),
    }))
    const desk = signerFor(`${line} --yes`)
    await desk({ do: 'open', source: { kind: 'environment' } })
    return desk({
      do: 'approve',
      wallet: sandbox.user.address,
      legs: change(legs.filter(({ intent }: Leg) => intent !== null)) as never,
      vouched: { allow: [], allowTokens: [] },
      planHash: plan.planHash,
      quoteId: quoteId ?? plan.operation.quoteId,
    }).then(
      () => 'approved',
      (error: { code: string }) => error.code,
    )
  }
  const honest = (legs: Leg[]) => legs
  /** A plan with a minimum one unit lower, in the intent and in the calldata. */
  const oneLess = ([leg]: Leg[]): Leg[] => {
    const { amountOut } = leg!.intent
    const least = (BigInt(amountOut) - 1n).toString()
    return [
      {
        ...leg!,
        intent: { ...leg!.intent, amountOut: least },
        transactions: leg!.transactions.map((call, at) =>
          at === leg!.transactions.length - 1
            ? { ...call, data: swapped(call.data, amountOut, least) }
            : call,
        ),
      },
    ]
  }

  test('derives the minimum itself, for a quote by ID and for a quote by flags', async () => {
    const quote = await done(`swap quote ${near} --amount-in 100 --slippage 1% --json`)
    const byName = `swap execute ${quote.id}`
    expect(await shown(byName, null, honest)).toBe('approved')
    expect(await shown(byName, null, oneLess)).toBe('POLICY_TAMPER')
    // The signer uses the quote on the command line, whichever ID its parent names.
    const loose = await done(`swap quote ${near} --amount-in 100 --slippage 50% --json`)
    expect(await shown(byName, loose.id, oneLess)).toBe('POLICY_TAMPER')
    const byFlags = `swap execute ${near} --amount-in 100`
    expect(await shown(byFlags, null, honest)).toBe('approved')
    expect(await shown(byFlags, null, oneLess)).toBe('POLICY_TAMPER')
    // The slippage is that of the command line, not that of the stored quote.
    expect(await shown(`${byFlags} --slippage 0.5%`, loose.id, oneLess)).toBe('POLICY_TAMPER')
    expect(attempts()).toBe(0)
  })

  test('refuses to resume a swap whose stored quote was changed', async () => {
    const line = `swap execute ${near} --amount-in 100 ${signing('goes-on')}`
    const begun = await ask(`${line} --no-wait`)
    expect(begun).toMatchObject({ exit: 20 })
    const memory = new DatabaseSync(join(home(), 'data', 'quotes.db'))
    const { id } = begun.json.error.details
    // The program itself never changes a stored quote.
    const write = (value: string) => memory.prepare('update memory set value = ? where id = ?').run(value, id)
    const { value } = memory.prepare('select value from memory where id = ?').get(id) as { value: string }
    const kept = JSON.parse(value) as Document
    const { tokenOut } = kept.raw
    const raw = { ...kept.raw, tokenOut: { ...tokenOut, amount: grown(tokenOut.amount, 1n) } }
    write(JSON.stringify({ ...kept, raw }))
    const stopped = await ask(line)
    expect({ exit: stopped.exit, ...stopped.json.error.details }).toMatchObject({
      exit: 21,
      cause: 'POLICY_TAMPER',
    })
    expect(attempts()).toBe(1)
    write(value)
    memory.close()
    await done(line)
    expect(attempts()).toBe(2)
  })

  test('checks the second leg of a deposit against the request', async () => {
    const amount = (percent: bigint) => (legs: Leg[]) =>
      legs.map((leg): Leg => {
        if (leg.intent.kind !== 'deposit') return leg
        const now = ((BigInt(leg.intent.amount) * percent) / 100n).toString()
        return {
          ...leg,
          transactions: leg.transactions.map((call) => ({
            ...call,
            data: swapped(call.data, leg.intent.amount, now),
          })),
          intent: { ...leg.intent, amount: now },
        }
      })
    expect(await shown(across, null, honest)).toBe('approved')
    expect(await shown(across, null, amount(90n))).toBe('POLICY_TAMPER')
    expect(await shown(across, null, amount(101n))).toBe('POLICY_TAMPER')
    const unbound = ([bridge, deposit]: Leg[]): Leg[] => [
      { ...bridge!, intent: { ...bridge!.intent, amountOut: '1' } },
      deposit!,
    ]
    expect(await shown(across, null, unbound)).toBe('POLICY_TAMPER')
  })
})
