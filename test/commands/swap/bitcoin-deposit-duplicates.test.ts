import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Document, useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

// A swap from Bitcoin signs nothing, but the limits of the command line and of policies still apply.

const sandbox = useSandbox()
const { run, home } = useCommands(sandbox)
/** Commands without a token that gives the price of bitcoin. */
const unpriced = useCommands(sandbox, {
  catalog: () => {
    const { tokens, ...rest } = sandbox.world.catalog()
    return { ...rest, tokens: tokens.filter(({ symbol }) => symbol !== 'WBTC') }
  },
})
const refund = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'
const friend = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const flags = `--from bitcoin --token-in BTC --to sandbox-one --token-out USDC --amount-in 0.01 --refund ${refund}`
const executed = (more: string) => run(`swap execute ${flags} --no-wait --yes --json ${more}`)
const quoted = async () => (await run(`swap quote ${flags} --json`)).json.id as string
const countQuotes = async () => (await run('swap list --from bitcoin --json')).json.total as number

/** Commands that cannot reach the Bitcoin API. */
const blind = useCommands(sandbox, {
  catalog: () => {
    const { bitcoin, ...rest } = sandbox.world.catalog()
    return { ...rest, bitcoin: { ...bitcoin!, esplora: 'http://127.0.0.1:1' } }
  },
})

test('hides the deposit address while it cannot check whether the deposit is paid', async () => {
  const { json: quote } = await blind.run(`swap quote ${flags} --provider near-intents --json`)
  const { exit, out, err, json } = await blind.run(`swap execute ${quote.id} --no-wait --yes --json`)
  expect({ exit, code: json.error.code }).toEqual({ exit: 20, code: 'PENDING' })
  expect(json.error.message).toMatch(/^Whether this deposit is paid is not known now\. .*Do not pay it until/)
  expect(out + err).not.toMatch(/bcrt1q/)
})

describe('idempotency key of a swap from Bitcoin', () => {
  const key = 'bitcoin-key-1'

  test('keeps the deposit of a dry run, and a refused reuse names the swap', async () => {
    const more = `--provider near-intents --idempotency-key ${key}`
    const { json: shown } = await run(`swap execute ${flags} ${more} --dry-run --json`)
    expect((await executed(more)).json.error.details).toMatchObject({
      id: shown.id,
      deposit: { address: shown.deposit.address },
    })
    const other = await run(`swap execute ${flags.replace('0.01', '0.02')} ${more} --no-wait --yes --json`)
    expect(other.json.error).toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
      hint: `Use another key for a new action. To see the earlier one: sluice action show ${shown.id}`,
    })
  })

  test('omitted by a script: prints a warning that running the command again pays again', async () => {
    const { exit, err } = await run(`swap execute ${flags} --no-wait --yes --json`)
    expect({ exit, err }).toEqual({
      exit: 20,
      err: expect.stringMatching(/no --idempotency-key; .* pays again/),
    })
  })

  test.each(['near-intents', 'thorchain'])(
    'names one deposit of %s on every repeat: unpaid, paid and two days later',
    async (name) => {
      const more = `--provider ${name} --idempotency-key ${key}`
      const first = await executed(more)
      expect(first.exit, first.err).toBe(20)
      const { id, deposit } = first.json.error.details
      for (let again = 0; again < 2; again++) {
        const { exit, json } = await executed(more)
        expect(exit).toBe(20)
        expect(json.error.details).toMatchObject({
          id,
          deposit: { address: deposit.address, memo: deposit.memo },
        })
      }
      expect((await run(`swap execute ${flags} ${more} --dry-run --json`)).json).toMatchObject({ id })
      expect(await countQuotes()).toBe(1)
      expect((await run(`swap status ${key} --json`)).json).toMatchObject({ id, status: 'pending' })
      expect((await run(`action explain ${key} --json`)).json).toMatchObject({ id, situation: 'QUOTE_OPEN' })
      const memo = deposit.memo === null ? [] : ['--memo', deposit.memo]
      const { json: paid } = await run(['sandbox', 'pay-bitcoin', deposit.address, '0.01', ...memo, '--json'])
      const known = await executed(more)
      // On a busy machine the swap may have finished by now.
      expect(known.json.error?.details ?? known.json).toMatchObject({
        id,
        originTxHash: paid.txid,
        deposit: { address: null },
      })
      const done = await run(`swap execute ${flags} ${more} --yes --json`)
      expect(done.json, done.err).toMatchObject({ id, status: 'fulfilled', originTxHash: paid.txid })
      // Local quotes are deleted after a day; the key remains.
      const later = await run(`swap execute ${flags} ${more} --yes --json`, { later: 50 * 3_600_000 })
      expect(later.json, later.err).toMatchObject({ id, status: 'fulfilled' })
      expect(await countQuotes()).toBe(1)
    },
  )

  test('gives two concurrent processes the same deposit', async () => {
    const both = await Promise.all([0, 1].map(() => executed(`--idempotency-key ${key}`)))
    const [one, other] = both.map(({ json }) => json.error.details as Document)
    expect(one.deposit.address).toBe(other.deposit.address)
  })

  test('gives QUOTE_EXPIRED and no second address after the quote expired unpaid', async () => {
    const { json } = await executed(`--idempotency-key ${key}`)
    const again = `swap execute ${flags} --no-wait --yes --json --idempotency-key ${key}`
    const { exit, json: late, err } = await run(again, { later: 5 * 3_600_000 })
    expect({ exit, code: late.error.code }, err).toEqual({ exit: 4, code: 'QUOTE_EXPIRED' })
    expect(late.error.hint).toBe(
      `Do not pay it any more. If you paid it: sluice swap status ${json.error.details.id} --watch. If you did not pay it, get a new quote with another key: --idempotency-key ${key}-2`,
    )
    expect(await countQuotes()).toBe(1)
  })

  test('is refused for any other request, on Bitcoin or on another network', async () => {
    const swap = 'swap execute --from sandbox-one --token-in USDC --token-out WETH --amount-in 5 --yes --json'
    await executed(`--idempotency-key ${key}`)
    const others = [
      `swap execute ${flags.replace('0.01', '0.02')} --no-wait --yes --json --idempotency-key ${key}`,
      `swap execute ${flags} --destination ${friend} --no-wait --yes --json --idempotency-key ${key}`,
      `swap execute ${flags} --accept-min-out 1 --no-wait --yes --json --idempotency-key ${key}`,
      `swap execute ${await quoted()} --no-wait --yes --json --idempotency-key ${key}`,
      `${swap} --idempotency-key ${key}`,
    ]
    for (const line of others) {
      const { exit, json } = await run(line)
      expect({ exit, code: json.error?.code }, line).toEqual({ exit: 14, code: 'IDEMPOTENCY_KEY_REUSED' })
    }
    expect((await run(`${swap} --idempotency-key signed-key-1`)).exit).toBe(0)
    expect((await executed('--idempotency-key signed-key-1')).exit).toBe(14)
  })

  test('given after a dry run without it is refused, and the next step shows the same deposit', async () => {
    const id = await quoted()
    const { json: shown } = await run(`swap execute ${id} --dry-run --json`)
    const { exit, json } = await run(`swap execute ${id} --no-wait --yes --json --idempotency-key ${key}`)
    expect({ exit, next: json.error.next[0].command }).toEqual({
      exit: 14,
      next: `sluice swap execute ${id}`,
    })
    const again = await run(`swap execute ${id} --no-wait --yes --json`)
    expect({ exit: again.exit, ...again.json.error.details }).toMatchObject({
      exit: 20,
      id,
      deposit: { address: shown.deposit.address },
    })
  })

  test('used with a quote ID is bound to that quote', async () => {
    const [one, other] = [await quoted(), await quoted()]
    const line = (id: string) => `swap execute ${id} --no-wait --yes --json --idempotency-key ${key}`
    const { address } = (await run(line(one))).json.error.details.deposit
    expect((await run(line(one))).json.error.details).toMatchObject({ id: one, deposit: { address } })
    expect((await run(line(other))).exit).toBe(14)
  })

  test('stays free after --accept-min-out refused the quote', async () => {
    expect((await executed(`--accept-min-out 1000000 --idempotency-key ${key}`)).exit).toBe(8)
    expect((await executed(`--idempotency-key ${key}`)).exit).toBe(20)
  })
})

describe.each(['flags', 'a quote ID'])('swap execute from Bitcoin by %s', (by) => {
  const refused = async (more: string) => {
    const what = by === 'flags' ? flags : await quoted()
    return run(`swap execute ${what} --no-wait --yes --json ${more}`)
  }

  test('enforces --accept-min-out', async () => {
    const { exit, json, err } = await refused('--accept-min-out 1000000')
    expect({ exit, code: json.error.code }).toEqual({ exit: 8, code: 'POLICY_MIN_OUT' })
    expect(json.error.hint).toContain('below the 1000000 that you accept')
    expect(err).not.toContain('bcrt1')
    expect((await refused('--accept-min-out 1')).exit).toBe(20)
  })

  test('enforces --max-price-impact against the price of WBTC', async () => {
    const { exit, json } = await refused('--max-price-impact 0.1%')
    expect({ exit, code: json.error.code }).toEqual({ exit: 8, code: 'POLICY_PRICE_IMPACT' })
    expect(json.error.details.share).toBeCloseTo(0.003, 4)
    expect((await refused('--max-price-impact 1%')).exit).toBe(20)
  })

  test.each<[object, string]>([
    [{ maxPriceImpact: '0.1%' }, 'POLICY_PRICE_IMPACT'],
    [{ maxSlippage: '0.1%' }, 'POLICY_LIMIT'],
    [{ simulation: 'required' }, 'POLICY_SIMULATION'],
    [{ minAssurance: 'L3' }, 'POLICY_ASSURANCE'],
  ])('enforces the policy %o', async (policy, code) => {
    const path = join(home(), 'policy.json')
    writeFileSync(path, JSON.stringify(policy), { mode: 0o600 })
    const { exit, json } = await refused(`--policy ${path}`)
    expect({ exit, code: json.error.code }, json.error.message).toEqual({ exit: 8, code })
  })

  test('refuses a missing policy file, and runs under a policy that is met', async () => {
    expect((await refused('--policy /nope')).json.error.code).toBe('CONFIG_INVALID')
    const path = join(home(), 'policy.json')
    const policy = {
      maxSlippage: '1%',
      maxPriceImpact: '1%',
      receivers: [],
      maxTotalFee: '0',
      maxFeePerGas: '0',
    }
    writeFileSync(path, JSON.stringify(policy), { mode: 0o600 })
    const met = await refused(`--policy ${path}`)
    expect(met.exit, met.out).toBe(20)
  })

  test.each([
    '--nonce 5',
    '--max-fee 3',
    '--pipeline',
    '--key-file /nope',
    '--password-file /nope',
    '--ledger',
    '--signer-url http://127.0.0.1:1',
    '--min-assurance L3',
    '--confirmations 3',
    '--queue-behind',
    '--assert USDC>=1',
    `--wallet foo${by === 'flags' ? ` --destination ${friend}` : ''}`,
    '--speed fast',
  ])('refuses %s because nothing is signed', async (more) => {
    const { exit, json } = await refused(more)
    expect({ exit, code: json.error.code }).toEqual({ exit: 2, code: 'USAGE' })
    if (!more.startsWith('--speed'))
      expect(json.error.message).toContain(`so ${more.split(' ')[0]} would have no effect`)
  })
})

test('without a bitcoin price a script must pass --max-price-impact', async () => {
  const line = `swap execute ${flags} --no-wait --yes --json`
  const { exit, json } = await unpriced.run(line)
  expect({ exit, code: json.error.code }).toEqual({ exit: 8, code: 'POLICY_PRICE_IMPACT' })
  expect((await unpriced.run(`${line} --max-price-impact 100%`)).exit).toBe(20)
})

test('a policy without receivers refuses another account as --destination or --wallet', async () => {
  const path = join(home(), 'policy.json')
  writeFileSync(path, JSON.stringify({ receivers: [] }), { mode: 0o600 })
  for (const flag of ['--destination', '--wallet']) {
    const { json } = await executed(`--policy ${path} ${flag} ${friend}`)
    expect(json.error.code).toBe('POLICY_RECIPIENT')
  }
})
