import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseTransaction } from 'viem/utils'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hexQuantity } from '../../src/chain/rpc/quantities.ts'
import { sandboxKey } from '../../src/sandbox/accounts.ts'
import { type FaultyRpc, startFaultyRpc } from '../support/nodes/faulty-rpc.ts'
import { provider } from '../support/nodes/proxy-node.ts'
import { type Circumstances, rpcEnvOf, useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

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

/** From its nth answer on the node asks for 20,000 gwei, and says that everybody pays as much, where it `forges` that, too. */
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

/** What the plan says that its gas costs at most. */
const planned = async () => {
  const { fees } = (await run(`${deposit} --dry-run`, here())).json
  return { maxCost: BigInt(fees.maxCost.raw), feeCap: BigInt(fees.feeCap), gas: BigInt(fees.gas) }
}

/** What the gas of all that this node was given costs at most, as it was signed. */
const signed = () =>
  [...new Set(node.sends)].map((raw) => {
    const { gas, maxFeePerGas } = parseTransaction(raw as `0x02${string}`)
    return { cost: gas! * maxFeePerGas!, maxFeePerGas: maxFeePerGas! }
  })

/** What was paid for it. */
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

/** Stops before the second signature, by a lie that begins with it; gives the action. The first is signed as it was planned. */
const refusedAtSigning = async () => {
  lieFrom(2)
  const ran = await run(`${deposit} --yes --allow-duplicate`, here())
  expect({ exit: ran.exit, code: ran.json.error.code }).toEqual({ exit: 21, code: 'PARTIAL' })
  expect(signed()).toHaveLength(1)
  node.rules = []
  return String(ran.json.error.details.id)
}

describe('a node that lies about the tip', () => {
  test.each([1, 2, 3, 4])('alone, from its answer %i on, is not believed', async (nth) => {
    const { maxCost } = await planned()
    lieFrom(nth, false)
    const { exit, json } = await run(`${deposit} --yes --allow-duplicate`, here())
    expect(exit).toBe(0)
    expect(await paid(json)).toBeLessThanOrEqual(maxCost)
    expect(await paid(json)).toBeGreaterThan(0n)
  })

  test('and forges what others paid, after the plan, is not paid more than the plan says', async () => {
    const { maxCost } = await planned()
    await refusedAtSigning()
    expect(signed().reduce((sum, { cost }) => sum + cost, 0n)).toBeLessThanOrEqual(maxCost)
  })

  test('does no better with a lie about how much gas it takes', async () => {
    const { maxCost } = await planned()
    node.rules = [{ method: 'eth_estimateGas', act: 'high-gas', value: 20_000_000, always: true }]
    const ran = await run(`${deposit} --yes --allow-duplicate`, here())
    expect({ exit: ran.exit, code: ran.json.error?.code }).toEqual({ exit: 21, code: 'PARTIAL' })
    expect(signed().reduce((sum, { cost }) => sum + cost, 0n)).toBeLessThanOrEqual(maxCost)
  })

  test('costs what --max-fee allows once the person says so', async () => {
    const id = await refusedAtSigning()
    lieFrom(1)
    const ran = await run(`action resume ${id} --max-fee 30000 --json`, here())
    expect(ran).toMatchObject({ exit: 0 })
    expect(signed().every(({ maxFeePerGas }) => maxFeePerGas <= 30_000n * gwei)).toBe(true)
    expect(signed().some(({ maxFeePerGas }) => maxFeePerGas > 20_000n * gwei)).toBe(true)
  })

  test.each([
    ['a unit', { maxFeePerGas: '100' }],
    ['all of it', { maxTotalFee: '0.1' }],
  ])('never costs more than the policy allows for %s, whatever the person says', async (_, policy) => {
    writePolicy(policy)
    const id = await refusedAtSigning()
    lieFrom(1)
    const ran = await signsNothing(() => run(`action resume ${id} --max-fee 30000 --json`, here()))
    expect({ exit: ran.exit, code: ran.json.error.code }).toEqual({ exit: 21, code: 'PARTIAL' })
  })

  test('a total is for all steps together', async () => {
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

test('a fee is raised within what the plan said, and beyond it only when the person says so', async () => {
  const { feeCap } = await planned()
  await chain().rpc.request('evm_setAutomine', [false])
  const begun = await run(`${deposit} --yes --allow-duplicate --no-wait`, here())
  expect(begun.exit).toBe(20)
  const id = begun.json.error.details.id
  lieFrom(1)
  let last = begun
  for (let tried = 0; tried < 8; tried++)
    last = await run(`action speed-up ${id} --timeout 1s --json`, here())
  // It is the plan that is in the way, and no policy.
  expect(last.json.error.hint).toMatch(/^sluice action speed-up \S+ --max-fee [0-9.]+/)
  expect(signed().length).toBeGreaterThan(1)
  expect(signed().every(({ maxFeePerGas }) => maxFeePerGas <= feeCap)).toBe(true)
  await run(`action cancel ${id} --timeout 1s --yes --json`, here())
  expect(signed().every(({ maxFeePerGas }) => maxFeePerGas <= feeCap)).toBe(true)
  node.rules = []
  const lifted = (4n * feeCap) / gwei
  await run(`action speed-up ${id} --timeout 1s --max-fee ${lifted} --json`, here())
  const dearest = signed().reduce((most, { maxFeePerGas }) => (maxFeePerGas > most ? maxFeePerGas : most), 0n)
  expect(dearest > feeCap && dearest <= lifted * gwei).toBe(true)
})

describe('a pool that refuses as too cheap what was sent', () => {
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
    'is named by all that speak of it, and what they say to do helps: %s',
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

  test('what was paid beyond the plan for one step leaves nothing for the next, which says what would do', async () => {
    const begun = await run(`${deposit} --yes --allow-duplicate`, here())
    const { id } = begun.json.error.details
    const raised = await run(`action speed-up ${id} --max-fee 30 --no-wait --json`, here())
    expect(raised.exit).toBe(20)
    const capped = await run(`action resume ${id} --json`, here())
    expect(capped.exit).toBe(21)
    expect(capped.json.error.message).toMatch(/and at most 0 may be paid$/)
    const [, pasted] = /^Once that is allowed: (sluice action resume \S+ --max-fee [0-9.]+);/.exec(
      capped.json.error.hint,
    )!
    // The pool takes it now; the tip is still the same.
    node.rules = node.rules.filter(({ method }) => method === tips)
    expect(await run(`${pasted!.slice('sluice '.length)} --json`, here())).toMatchObject({ exit: 0 })
  })
})

describe('what nobody can mean', () => {
  /** A node whose newest blocks have another base fee. */
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
    '%s of a million gwei is refused alike in a dry run and in earnest, before anything is written down',
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
      // Who means it says so.
      expect(await run(`${deposit} --dry-run --max-fee 9000000`, circumstances)).toMatchObject({ exit: 0 })
      await based.close()
    },
  )

  test('a base fee that no number of coins could pay is the fault of the node, and not of the wallet', async () => {
    const based = await basedOn(2n ** 120n)
    const { exit, json } = await run(`${deposit} --dry-run`, through(based.url))
    expect({ exit, json }).toMatchObject({ exit: 7, json: { error: { code: 'RPC_INCONSISTENT' } } })
    await based.close()
  })
})
