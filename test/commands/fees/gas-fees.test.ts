import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseTransaction } from 'viem/utils'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hexQuantity } from '../../../src/chain/rpc/quantities.ts'
import { sandboxKey } from '../../../src/sandbox/accounts.ts'
import { type FaultyRpc, startFaultyRpc } from '../../support/nodes/faulty-rpc.ts'
import { provider } from '../../support/nodes/proxy-node.ts'
import { type Circumstances, rpcEnvOf, useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, home, signsNothing } = useCommands(sandbox)
const chain = () => sandbox.chain(31337)

let node: FaultyRpc
beforeEach(async () => {
  node = await startFaultyRpc(chain().rpcUrl)
})
afterEach(async () => {
  await chain().rpc.request('anvil_dropAllTransactions')
  await chain().rpc.request('evm_setAutomine', [true])
  await node.stop()
})

const here = (): Circumstances => ({
  env: rpcEnvOf(sandbox, { 'sandbox-one': node.url }),
  secrets: { privateKey: sandboxKey() },
})
const deposit = 'deposit aave-v3-usdc-sandbox-one --amount 100 --trust-first-use --json'
const tips = 'eth_maxPriorityFeePerGas'
const gwei = 10n ** 9n

/** From its nth answer on, the node reports a tip of 20,000 gwei; with `forges`, its fee history agrees. */
const lieFrom = (nth: number, forges = true) => {
  const already = (method: string) => node.calls.filter((one) => one === method).length
  node.rules = [tips, ...(forges ? ['eth_feeHistory'] : [])].map((method) => ({
    method,
    act: 'high-tip',
    value: 20_000,
    from: already(method) + nth,
    to: Number.POSITIVE_INFINITY,
  }))
}

/** The maximum gas cost that the plan states. */
const planned = async () => {
  const { fees } = (await run(`${deposit} --dry-run`, here())).json
  return { maxCost: BigInt(fees.maxCost.raw), feeCap: BigInt(fees.feeCap), gas: BigInt(fees.gas) }
}

/** The maximum gas cost of each transaction that this node received, as signed. */
const signed = () =>
  [...new Set(node.sends)].map((raw) => {
    const { gas, maxFeePerGas } = parseTransaction(raw as `0x02${string}`)
    return { cost: gas! * maxFeePerGas!, maxFeePerGas: maxFeePerGas! }
  })

/** The gas cost actually paid. */
const paid = async (report: { transactions: { hash: string | null }[] }) => {
  const receipts = await Promise.all(
    report.transactions
      .filter(({ hash }) => hash !== null)
      .map(({ hash }) =>
        chain().rpc.request<{ gasUsed: string; effectiveGasPrice: string } | null>(
          'eth_getTransactionReceipt',
          [hash],
        ),
      ),
  )
  return receipts.reduce(
    (sum, one) => sum + (one ? BigInt(one.gasUsed) * BigInt(one.effectiveGasPrice) : 0n),
    0n,
  )
}

const writePolicy = (policy: object) => {
  mkdirSync(join(home(), 'config'), { recursive: true })
  writeFileSync(join(home(), 'config', 'policy.json'), JSON.stringify(policy), { mode: 0o600 })
}

/** Runs a deposit whose second signature is refused because the node raises its fees after the plan; returns the operation ID. */
const refusedAtSigning = async () => {
  lieFrom(2)
  const ran = await run(`${deposit} --yes --allow-duplicate`, here())
  expect({ exit: ran.exit, code: ran.json.error.code }).toEqual({ exit: 21, code: 'PARTIAL' })
  expect(signed()).toHaveLength(1)
  node.rules = []
  return String(ran.json.error.details.id)
}

describe('a node that reports false fees', () => {
  test.each([1, 2, 3, 4])(
    'only as a tip, from answer %i on, does not raise the cost above the plan',
    async (nth) => {
      const { maxCost } = await planned()
      lieFrom(nth, false)
      const { exit, json } = await run(`${deposit} --yes --allow-duplicate`, here())
      expect(exit).toBe(0)
      expect(await paid(json)).toBeLessThanOrEqual(maxCost)
      expect(await paid(json)).toBeGreaterThan(0n)
    },
  )

  test('as tip and fee history, after the plan, gets no more signed than the plan allows', async () => {
    const { maxCost } = await planned()
    await refusedAtSigning()
    expect(signed().reduce((sum, { cost }) => sum + cost, 0n)).toBeLessThanOrEqual(maxCost)
  })

  test('as a gas estimate gets no more signed than the plan allows', async () => {
    const { maxCost } = await planned()
    node.rules = [{ method: 'eth_estimateGas', act: 'high-gas', value: 20_000_000, always: true }]
    const ran = await run(`${deposit} --yes --allow-duplicate`, here())
    expect({ exit: ran.exit, code: ran.json.error?.code }).toEqual({ exit: 21, code: 'PARTIAL' })
    expect(signed().reduce((sum, { cost }) => sum + cost, 0n)).toBeLessThanOrEqual(maxCost)
  })

  test('is paid up to --max-fee when the user sets it', async () => {
    const id = await refusedAtSigning()
    lieFrom(1)
    const ran = await run(`action resume ${id} --max-fee 30000 --json`, here())
    expect(ran).toMatchObject({ exit: 0 })
    expect(signed().every(({ maxFeePerGas }) => maxFeePerGas <= 30_000n * gwei)).toBe(true)
    expect(signed().some(({ maxFeePerGas }) => maxFeePerGas > 20_000n * gwei)).toBe(true)
  })

  test.each([
    ['maxFeePerGas', { maxFeePerGas: '100' }],
    ['maxTotalFee', { maxTotalFee: '0.1' }],
  ])('is limited by %s of the policy despite --max-fee', async (_, policy) => {
    writePolicy(policy)
    const id = await refusedAtSigning()
    lieFrom(1)
    const ran = await signsNothing(() => run(`action resume ${id} --max-fee 30000 --json`, here()))
    expect({ exit: ran.exit, code: ran.json.error.code }).toEqual({ exit: 21, code: 'PARTIAL' })
  })

  test('shares maxTotalFee of the policy among all steps', async () => {
    const { maxCost, feeCap } = await planned()
    writePolicy({ maxTotalFee: decimalOf((maxCost * 3n) / 5n) })
    const ran = await run(`${deposit} --yes --allow-duplicate`, here())
    expect(ran.exit).toBe(0)
    expect(signed()).toHaveLength(2)
    expect(signed().reduce((sum, { cost }) => sum + cost, 0n)).toBeLessThanOrEqual((maxCost * 3n) / 5n)
    expect(signed().every(({ maxFeePerGas }) => maxFeePerGas <= feeCap)).toBe(true)
  })
})

const decimalOf = (wei: bigint) => `0.${wei.toString().padStart(18, '0')}`

test('speed-up and cancel stay within the planned fee; only --max-fee exceeds it', async () => {
  const { feeCap } = await planned()
  await chain().rpc.request('evm_setAutomine', [false])
  const begun = await run(`${deposit} --yes --allow-duplicate --no-wait`, here())
  expect(begun.exit).toBe(20)
  const id = begun.json.error.details.id
  lieFrom(1)
  let last = begun
  for (let tried = 0; tried < 8; tried++)
    last = await run(`action speed-up ${id} --timeout 3s --json`, here())
  // The plan limits the fee here, not a policy.
  expect(last.json.error.hint).toMatch(/^sluice action speed-up \S+ --max-fee [0-9.]+/)
  expect(signed().length).toBeGreaterThan(1)
  expect(signed().every(({ maxFeePerGas }) => maxFeePerGas <= feeCap)).toBe(true)
  await run(`action cancel ${id} --timeout 3s --yes --json`, here())
  expect(signed().every(({ maxFeePerGas }) => maxFeePerGas <= feeCap)).toBe(true)
  node.rules = []
  const lifted = (4n * feeCap) / gwei
  await run(`action speed-up ${id} --timeout 3s --max-fee ${lifted} --json`, here())
  const dearest = signed().reduce((most, { maxFeePerGas }) => (maxFeePerGas > most ? maxFeePerGas : most), 0n)
  expect(dearest > feeCap && dearest <= lifted * gwei).toBe(true)
})

describe('a transaction pool that refuses a transaction as underpriced', () => {
  const refused = /^transaction underpriced: gas tip cap \d+, minimum needed 25000000000$/
  beforeEach(() => {
    node.rules = [
      { method: 'eth_sendRawTransaction', act: 'error-floor', value: 25, always: true },
      { method: tips, act: 'high-tip', value: 1, always: true },
    ]
  })

  test.each([
    ['speed-up', 'SUCCESS', 0],
    ['cancel', 'CANCELLED', 24],
  ] as const)(
    'is reported by deposit, explain and abandon, and the hint of %s resolves it',
    async (verb, ends, exit) => {
      const begun = await run(`${deposit} --yes --allow-duplicate`, here())
      const { error } = begun.json
      expect(begun.exit).toBe(20)
      expect(error).toMatchObject({ code: 'PENDING', details: { refused: expect.stringMatching(refused) } })
      expect(error.message).toContain(error.details.refused)
      const { id } = error.details
      expect(error.hint).toMatch(new RegExp(`^sluice action speed-up ${id} --max-fee [0-9.]+$`))

      const { json: said } = await signsNothing(() => run(`action explain ${id} --json`, here()))
      expect(said).toMatchObject({ situation: 'REFUSED', safeToRetry: false, next: error.hint })
      expect(said.verdict).toContain(`refused it: ${error.details.refused}`)

      const kept = await signsNothing(() => run(`action abandon ${id} --yes --json`, here()))
      expect(kept.exit).toBe(20)
      expect(kept.json.error).toMatchObject({ code: 'PENDING', hint: `sluice action cancel ${id} --yes` })
      expect(kept.json.error.message).toContain(error.details.refused)

      const capped = await signsNothing(() => run(`action ${verb} ${id} --yes --json`, here()))
      expect(capped.exit).toBe(20)
      expect(capped.json.error.hint).toMatch(new RegExp(`^sluice action ${verb} ${id} .*--max-fee [0-9.]+$`))
      const ended = await run([...capped.json.error.hint.split(' ').slice(1), '--yes', '--json'], here())
      expect(ended.exit).toBe(exit)
      if (exit === 0) expect(ended.json.status).toBe(ends)
      else expect(ended.json.error.code).toBe(ends)
      const nonces = [...new Set(node.sends)].map((raw) => parseTransaction(raw as `0x02${string}`).nonce)
      expect(new Set(nonces).size).toBe(verb === 'cancel' ? 1 : 2)
    },
  )

  test('leaves no fee for the next step after a higher fee for the first, and the hint allows one', async () => {
    const begun = await run(`${deposit} --yes --allow-duplicate`, here())
    const { id } = begun.json.error.details
    const raised = await run(`action speed-up ${id} --max-fee 30 --no-wait --json`, here())
    expect(raised.exit).toBe(20)
    const capped = await run(`action resume ${id} --json`, here())
    expect(capped.exit).toBe(21)
    expect(capped.json.error.message).toMatch(/above the maximum of 0 wei$/)
    const [, pasted] = /^Once this is allowed: (sluice action resume \S+ --max-fee [0-9.]+);/.exec(
      capped.json.error.hint,
    )!
    // The pool accepts transactions again; the tip stays the same.
    node.rules = node.rules.filter(({ method }) => method === tips)
    expect(await run(`${pasted!.slice('sluice '.length)} --json`, here())).toMatchObject({ exit: 0 })
  })
})

describe('implausible fees', () => {
  /** A node whose newest blocks have the given base fee. */
  const basedOn = (baseFeePerGas: bigint) =>
    provider(chain().rpcUrl, async ({ method, params }, ask) =>
      method === 'eth_getBlockByNumber'
        ? {
            result: { ...((await ask(method, params)) as object), baseFeePerGas: hexQuantity(baseFeePerGas) },
          }
        : undefined,
    )
  const through = (url: string): Circumstances => ({
    ...here(),
    env: rpcEnvOf(sandbox, { 'sandbox-one': url }),
  })
  const actions = async () => (await run('action list --json', here())).json.items

  test.each(['a tip', 'a base fee'])(
    '%s of a million gwei is refused in a dry run and a run, before an action is recorded',
    async (which) => {
      node.rules = [tips, 'eth_feeHistory'].map((method) => ({
        method,
        act: 'high-tip',
        value: 1_000_000,
        from: 1,
        to: Number.POSITIVE_INFINITY,
      }))
      const based = await basedOn(1_000_000n * gwei)
      const circumstances = through(which === 'a tip' ? node.url : based.url)
      for (const more of ['--dry-run', '--yes --idempotency-key too-dear-a-fee-1']) {
        const { exit, json } = await signsNothing(() => run(`${deposit} ${more}`, circumstances))
        expect({ exit, json }).toMatchObject({ exit: 8, json: { error: { code: 'POLICY_FEE_CAP' } } })
      }
      expect(await actions()).toEqual([])
      // --max-fee accepts it.
      expect(await run(`${deposit} --dry-run --max-fee 9000000`, circumstances)).toMatchObject({ exit: 0 })
      await based.close()
    },
  )

  test('a base fee that no balance could pay is reported as an error of the node, exit 7', async () => {
    const based = await basedOn(2n ** 120n)
    const { exit, json } = await run(`${deposit} --dry-run`, through(based.url))
    expect({ exit, json }).toMatchObject({ exit: 7, json: { error: { code: 'RPC_INCONSISTENT' } } })
    await based.close()
  })
})
