import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Stream } from '../../../src/cli/terminal/io-types.ts'
import { unpainted } from '../../../src/cli/terminal/terminal-abilities.ts'
import { callView, type Plan } from '../../../src/cli/views/call-view.ts'
import { planQuestion, planView } from '../../../src/cli/views/plan-view.ts'
import { maxUint256, writtenAmount } from '../../../src/domain/amount.ts'
import { sanitizeText } from '../../../src/domain/text/terminal-sanitizing.ts'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run } = useCommands(sandbox)

const to = (columns?: number): Stream => ({
  write: () => undefined,
  isTerminal: columns !== undefined,
  columns: columns ?? 80,
  paint: unpainted,
})
const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((some) => Buffer.from(some).toString('hex'))
const address = hex(20).map((text) => `0x${text}`)
/** A name from a service or a token contract: any text, including control sequences. */
const foreign = fc.oneof(
  fc.string({ minLength: 1, maxLength: 20, unit: 'binary' }),
  fc.constantFrom('USD\u001b[2K\rC', '\u202eevil', 'a\nassurance  L4', '\u001b]8;;https://evil\u0007x'),
)
const whole = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(String)
const amount = fc.record({
  raw: whole,
  decimals: fc.integer({ min: 0, max: 18 }),
  symbol: foreign,
  formatted: fc.integer({ min: 1, max: 10 ** 9 }).map(String),
})
const step = fc
  .record({
    place: fc.constantFrom({ network: 'base', chainId: 8453 }, { network: 'sandbox-one', chainId: 31337 }),
    leg: fc.constantFrom(0, 1),
    to: address,
    contract: fc.option(foreign),
    data: fc.constantFrom('0x', '0x095ea7b3'),
    value: fc.oneof(fc.constant('0'), whole),
    call: fc.record({
      name: fc.constantFrom('approve', 'supply'),
      args: fc.dictionary(fc.stringMatching(/^[a-z]{1,12}$/), fc.oneof(address, whole, foreign), {
        maxKeys: 5,
      }),
    }),
    text: foreign,
    needs: fc.option(fc.record({ token: address, spender: address, amount })),
    simulated: fc.constantFrom('now', 'later'),
  })
  .map(({ place, ...rest }) => ({ ...place, ...rest }))
const plans = fc.record({
  planHash: hex(32),
  wallet: address,
  signer: fc.record({ kind: fc.constantFrom('keystore', 'ledger', 'else'), name: fc.option(foreign) }),
  steps: fc.array(step, { minLength: 1, maxLength: 4 }),
  contracts: fc.array(fc.record({ address, name: fc.option(foreign), firstUse: fc.boolean() }), {
    maxLength: 2,
  }),
  priceImpacts: fc.array(
    fc.record({ share: fc.constantFrom(null, 0.0123), by: fc.constantFrom('pool', 'oracle', 'usd') }),
    { maxLength: 2 },
  ),
  slippages: fc.array(
    fc.record({ share: fc.constantFrom(null, 0.0456), by: fc.constantFrom('own engine', 'service') }),
    { maxLength: 2 },
  ),
  standing: fc.array(
    fc.record({
      spender: address,
      name: fc.option(foreign),
      amount,
      unlimited: fc.boolean(),
      revoke: address.map((one) => `sluice wallet approvals revoke --spender ${one}`),
    }),
    { maxLength: 1 },
  ),
  simulation: fc.option(
    fc.record({
      how: fc.constantFrom('eth_simulateV1', 'unavailable'),
      changes: fc.array(
        amount.chain((one) =>
          fc
            .record({ network: fc.constant('base'), token: address, usd: fc.option(fc.constant('12.5')) })
            .map((more) => ({ ...one, ...more })),
        ),
        { maxLength: 3 },
      ),
      allowances: fc.array(
        fc.record({
          token: address,
          symbol: fc.option(foreign),
          decimals: fc.option(fc.integer({ min: 0, max: 18 })),
          spender: address,
          after: whole,
        }),
        { maxLength: 2 },
      ),
    }),
  ),
  fees: fc.option(
    fc.record(
      {
        gas: whole,
        feeCap: whole,
        maxCost: amount.map((one) => ({ ...one, usd: null })),
        dataFee: fc.option(amount.map((one) => ({ ...one, usd: null }))),
      },
      { requiredKeys: ['gas', 'feeCap', 'maxCost'] },
    ),
  ),
  laterFees: fc.array(
    fc.record({
      network: foreign,
      symbol: foreign,
      gas: fc.option(whole),
      gasPrice: fc.option(whole),
      cost: fc.option(amount.map((one) => ({ ...one, usd: '12.5' }))),
      held: fc.option(amount),
    }),
    { maxLength: 1 },
  ),
  arrivals: fc.array(
    fc.record({
      network: fc.constant('base'),
      to: address,
      least: amount.map((one) => ({ ...one, usd: '12.5' })),
    }),
    { maxLength: 1 },
  ),
  serviceFees: fc.array(
    fc.record({ amount: amount.map((one) => ({ ...one, usd: '12.5' })), of: amount, to: address }),
    { maxLength: 1 },
  ),
  reference: fc.constantFrom('equal', 'different', 'unknown'),
  proof: fc.array(
    fc.record({
      leg: fc.nat(2),
      term: fc.constantFrom('spender', 'recipient'),
      by: fc.constantFrom('calldata', 'simulation', 'none'),
    }),
    { maxLength: 3 },
  ),
  policy: fc.option(hex(32)),
  nonce: fc.option(fc.nat()),
  assurance: fc.constantFrom('L0', 'L2', 'L3'),
  expiresAt: fc.option(fc.constant('2026-11-21T12:05:26.000Z')),
}) as unknown as fc.Arbitrary<Plan>

/** An amount that is approved and that no token has is called unlimited. */
const argumentOf = (call: string, value: string): string =>
  call === 'approve' && writtenAmount({ raw: value, formatted: '' }) !== '' ? 'unlimited' : value

test('planView shows every value of the plan and no control characters', () => {
  fc.assert(
    fc.property(plans, foreign, (plan, title) => {
      const text = planView(plan, title, to())
      expect(text.match(/^nonce +([0-9]+) \(pinned\)$/m)?.[1] ?? null).toBe(plan.nonce?.toString() ?? null)
      expect(text).not.toMatch(/(?!\n)\p{Cc}|[\u200b-\u200f\u2028-\u202e]/u)
      const {
        wallet,
        steps,
        planHash,
        assurance,
        policy,
        contracts,
        priceImpacts,
        slippages,
        standing,
        simulation,
        arrivals,
        serviceFees,
        fees,
        laterFees,
      } = plan
      const leaves = [
        title,
        wallet,
        planHash,
        assurance,
        policy,
        ...steps.flatMap((one) => [
          ...[one.network, `chain ${one.chainId}`, one.to, one.contract, one.text],
          ...(one.data === '0x'
            ? []
            : [
                one.call.name,
                ...Object.entries(one.call.args).flatMap(([name, value]) => [
                  name,
                  argumentOf(one.call.name, value),
                ]),
              ]),
          one.needs && writtenAmount(one.needs.amount),
        ]),
        ...contracts.filter(({ firstUse }) => firstUse).map((one) => one.address),
        ...(simulation?.changes ?? [])
          .filter(({ raw }) => raw !== '0')
          .flatMap((one) => [one.formatted, one.symbol]),
        ...(simulation?.allowances ?? []).map(({ spender }) => spender),
        ...priceImpacts.map(({ share }) =>
          share === null ? 'its offer cannot be checked' : '1.23% below spot',
        ),
        ...slippages.map(({ share }) => (share === null ? 'slippage' : '4.56% at most')),
        ...slippages.map(({ by }) =>
          by === 'service' ? 'according to the service' : 'by the price of the local engine',
        ),
        ...standing.flatMap(({ spender, amount }) => [
          spender,
          writtenAmount(amount),
          'to revoke it: sluice wallet approvals revoke',
        ]),
        ...arrivals.flatMap(({ least, to }) => [least.formatted, least.symbol, to]),
        ...serviceFees.flatMap((fee) => [fee.to, fee.amount.symbol, '($12.5'].filter(Boolean)),
        fees?.maxCost.formatted,
        fees?.dataFee?.formatted,
        fees?.gas,
        ...laterFees.flatMap(({ network, cost, gasPrice, held }) => [
          network,
          held?.formatted,
          cost && gasPrice ? cost.formatted : 'is unknown',
        ]),
      ]
      const ungrouped = (shown: string) => shown.replace(/(?<=\d),(?=\d{3})/g, '')
      for (const leaf of leaves) if (leaf) expect(ungrouped(text)).toContain(ungrouped(sanitizeText(leaf)))
    }),
    { numRuns: 300 },
  )
})

test('planView says that the signer shows other hashes only for a Ledger or an external signer', () => {
  fc.assert(
    fc.property(plans, fc.constantFrom('ledger', 'external', 'keystore'), (plan, kind) => {
      const text = planView({ ...plan, signer: { kind, name: null } } as Plan, 'Deposit', to())
      expect(text).toContain(`plan${' '.repeat(text.match(/^plan( +)/m)![1]!.length)}${plan.planHash}`)
      expect(/hash(es)?\b.*(while signing|transactions instead)$/m.test(text)).toBe(kind !== 'keystore')
    }),
    { numRuns: 30 },
  )
})

test('planView keeps lines within 60 and 80 columns, except for words that are longer', () => {
  fc.assert(
    fc.property(plans, fc.constantFrom(60, 80), (plan, columns) => {
      for (const line of planView(plan, 'Deposit', to(columns)).split('\n').slice(1))
        if (line.length > columns)
          expect(line.trim().split(/ {2,}/).at(-1)!.split(' ').length).toBeLessThanOrEqual(2)
    }),
  )
})

test('planQuestion names the action, every network and the wallet', () => {
  fc.assert(
    fc.property(plans, foreign, (plan, title) => {
      const question = planQuestion(plan, title)
      expect(question).not.toMatch(/\p{Cc}/u)
      expect(question.startsWith(sanitizeText(title))).toBe(true)
      for (const { network } of plan.steps) expect(question).toContain(network)
      expect(question).toContain(`${plan.wallet.slice(0, 6)}...${plan.wallet.slice(-4)}?`)
    }),
  )
})

test('the plan view is drawn from the value that --dry-run --json prints', async () => {
  const line = 'deposit aave-v3-usdc-sandbox-one --amount 100 --dry-run'
  const { json } = await run(`${line} --json`)
  const { out } = await run(line)
  const title = 'Deposit 100 USDC into aave-v3-usdc-sandbox-one (dry run, nothing is signed)'
  const digest = /[0-9a-f]{64}$/
  expect(out.trimEnd().replace(digest, '')).toBe(planView(json, title, to()).replace(digest, ''))
  expect(json.signer).toEqual({ kind: 'sandbox', name: null })
  expect(json.steps.map(({ contract }: { contract: string }) => contract)).toEqual(['USDC', 'aave-v3'])
  expect(json.simulation.allowances[0]).toMatchObject({ symbol: 'USDC', decimals: 6, after: '0' })
  expect(out).toMatch(/^allowances +0x[0-9a-fA-F]{40} aave-v3: 0 USDC remaining$/m)
  expect(json.simulation.changes).toContainEqual(expect.objectContaining({ symbol: 'USDC', usd: '-100' }))
  const { maxCost } = json.fees
  expect(Number(maxCost.usd) / 3000).toBeCloseTo(Number(maxCost.formatted), 5)
  expect(out).toMatch(/^balances +-100 USDC on sandbox-one \(-\$100\.00\)$/m)
  expect(out).toMatch(/^gas +at most [0-9.]+ ETH \((\$[0-9.]+|less than \$0\.01)\): /m)
  const quoted =
    'swap execute --from sandbox-one --to sandbox-one --token-in WETH --token-out USDC --amount-in 0.5'
  const swap = await run(`${quoted} --dry-run --json`)
  expect(swap.json.simulation.changes).toContainEqual(
    expect.objectContaining({ symbol: 'WETH', usd: '-1500' }),
  )
  const sent = await run(
    'transfer --network sandbox-two --token WETH --to 0x7777777777777777777777777777777777777777 --amount 0.01 --dry-run --json',
  )
  expect(sent.json.simulation.changes).toContainEqual(expect.objectContaining({ symbol: 'WETH', usd: '-30' }))
})

test('a native transfer lists the coin among the balances, gas included', async () => {
  const line =
    'transfer --network sandbox-one --token ETH --to 0x7777777777777777777777777777777777777777 --amount 1.5 --dry-run'
  const { json } = await run(`${line} --json`)
  expect(json.simulation.changes).toMatchObject([{ symbol: 'ETH', network: 'sandbox-one' }])
  const [{ raw }] = json.simulation.changes
  const gas = -BigInt(raw) - 1_500_000_000_000_000_000n
  expect(gas).toBeGreaterThan(21_000n)
  expect(gas).toBeLessThanOrEqual(BigInt(json.fees.maxCost.raw))
  const { out } = await run(line)
  expect(out).toMatch(/^ {3}to +0x7{40}\n {3}carries +1\.5 ETH$/m)
  expect(out).not.toContain('call')
  expect(out).toMatch(/^balances +-1\.5000\d* ETH on sandbox-one \(-\$4,5\d\d\.\d\d\), gas included$/m)
  const deposit = await run('deposit aave-v3-usdc-sandbox-one --amount 100 --dry-run --json')
  expect(deposit.json.simulation.changes.map(({ symbol }: { symbol: string }) => symbol)).not.toContain('ETH')
})

test('the zero address is not shown as a coin', async () => {
  const { out } = await run('deposit sandbox-lido-eth-sandbox-one --amount 1 --dry-run')
  expect(out).toMatch(/^ +referral +0x0{40}$/m)
})

test('shares are priced by their market, and funds arriving on another chain or address are listed separately', async () => {
  const deposit = await run('deposit sandbox-vault-usdc-sandbox-one --amount 100 --dry-run')
  expect(deposit.out).toMatch(
    /^balances +-100 USDC on sandbox-one \(-\$100\.00\)\n +\+\d[\d.]* svUSDC on sandbox-one \(\$(99\.99|100\.00)\)$/m,
  )
  const bridged =
    'swap execute --from sandbox-one --to sandbox-two --token-in USDC --token-out USDC --amount-in 50 --speed fast --dry-run'
  expect((await run(bridged)).out).toMatch(
    /^arrives +at least 49\.99\d* USDC on sandbox-two \(\$49\.99\) for this wallet$/m,
  )
  const other = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
  const given = await run(
    `swap execute --from sandbox-one --token-in WETH --token-out USDC --amount-in 0.5 --destination ${other} --dry-run --json`,
  )
  expect(given.json.arrivals).toMatchObject([
    { network: 'sandbox-one', to: other, least: { symbol: 'USDC', usd: expect.stringMatching(/^14\d\d\./) } },
  ])
})

test('an argument of 2^256 - 1 is shown as everything, as unlimited for an allowance, and the coin with separators', () => {
  const shown = (name: string) =>
    callView(
      {
        wallet: `0x${'11'.repeat(20)}`,
        steps: [
          {
            ...{
              leg: 0,
              network: 'base',
              to: `0x${'22'.repeat(20)}`,
              contract: 'aave-v3',
              value: String(19_998n * 10n ** 18n),
              data: '0x1234',
            },
            ...{
              call: { name, args: { amount: String(maxUint256) } },
              text: 'Withdraw all',
              needs: null,
              simulated: 'now',
            },
          },
        ],
        ...{ contracts: [], simulation: null, fees: null },
      } as never,
      0,
      to(80),
    )
  expect(shown('withdraw')).toContain('amount  2^256 - 1 (everything)')
  expect(shown('approve')).toContain('amount  unlimited')
  // The coin that a call carries is written as every other amount.
  expect(shown('withdraw')).toContain('carries   19,998 ETH')
})
