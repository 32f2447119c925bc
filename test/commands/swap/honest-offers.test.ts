import { beforeEach, describe, expect, test } from 'vitest'
import { swapDefinitions, swapProviderNames } from '../../../src/swaps/swap-provider-registry.ts'
import { campaignSeed, cells, inTurn, seeded } from '../../support/engine.ts'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run } = useCommands(sandbox)
const friend = '0x6666666666666666666666666666666666666666'
const collectors = [friend, '0x7777777777777777777777777777777777777777'] as const

/** Two tokens of the sandbox that each provider swaps or carries. A new provider with contracts in the sandbox must be listed here. */
const tokens: Readonly<Record<string, readonly [string, string]>> = {
  'uniswap-v3': ['USDC', 'WETH'],
  'uniswap-v2': ['USDC', 'WETH'],
  kyberswap: ['USDC', 'WETH'],
  'uniswap-v4': ['USDC', 'WETH'],
  cctp: ['USDC', 'USDC'],
  across: ['USDC', 'USDC'],
  cow: ['USDC', 'WETH'],
  'balancer-v2': ['USDT', 'WBTC'],
  'pancakeswap-v3': ['USDT', 'WBTC'],
  avenia: ['USDC', 'BRLA'],
  lifi: ['USDC', 'WETH'],
  '1inch': ['USDC', 'WETH'],
  relay: ['USDC', 'WETH'],
}

const names = Object.keys(tokens)

/** Amounts that the limits and the price impact of every provider allow. */
const amounts: Readonly<Record<string, string>> = {
  USDC: '500',
  USDT: '500',
  BRLA: '3000',
  WETH: '0.2',
  ETH: '0.2',
  WBTC: '0.01',
}

/** Kinds of service fees: none, and those of the operator and of the customer, together 0.35 %. */
const charges = {
  'no service fee': undefined,
  'two service fees': `fees set --swap-fee-bps 25 --operator-collector ${collectors[0]} --markup-bps 10 --collector ${collectors[1]} --json`,
}

type Way = { to: string; a: string; b: string; exact: 'in' | 'out' }

/** The ways between two tokens and the native coin, on one chain and to the other, with each exact side. */
const waysOf = ([one, other]: readonly [string, string]): Way[] =>
  [`${one} ${other}`, `${other} ${one}`, `ETH ${one}`, `${one} ETH`, `${one} ${one}`]
    .filter((pair, at, all) => all.indexOf(pair) === at)
    .flatMap((pair) => {
      const [a, b] = pair.split(' ') as [string, string]
      return ['sandbox-one', 'sandbox-two']
        .filter((to) => to !== 'sandbox-one' || a !== b)
        .flatMap((to) => [
          { to, a, b, exact: 'in' as const },
          { to, a, b, exact: 'out' as const },
        ])
    })

/** The ways of a provider on one chain or to the other, as far as it reaches. */
function waysWithin(name: string): Way[] {
  const { reach } = swapDefinitions.find((one) => one.name === name)!
  const isReached = ({ to }: Way) => reach === 'both' || (reach === 'same-chain') === (to === 'sandbox-one')
  return waysOf(tokens[name]!).filter(isReached)
}

/** The swap of a way as flags; `times` multiplies the usual amount. */
function flagsOf({ to, a, b, exact }: Way, isPaidAway: boolean, times = 1): string {
  const amount = (Number(amounts[exact === 'in' ? a : b]) * times).toFixed(6)
  return `--from sandbox-one --to ${to} --token-in ${a} --token-out ${b} --amount-${exact} ${amount}${isPaidAway ? ` --destination ${friend}` : ''}`
}

/** Whether a provider has no offer: it does not serve the route or the exact side, or pays only to the wallet that sends. */
const isNoOffer = (name: string, message: string): boolean =>
  [`${name} does not serve this route`, `${name} swaps an exact`].some((text) => message.startsWith(text)) ||
  (name === 'avenia' && message.includes('pays out only to the wallet'))

beforeEach(async () => {
  for (const [symbol, amount] of [
    ['USDC', 10_000_000000n],
    ['USDT', 10_000_000000n],
    ['BRLA', 100_000n * 10n ** 18n],
    ['WBTC', 10n ** 8n],
    ['WETH', 10n ** 19n],
  ] as const)
    await sandbox.world.fund(sandbox.user.address, { symbol, amount })
})

test('each swap provider has tokens here', () => {
  const { swaps } = sandbox.world.catalog()
  expect(Object.keys(tokens)).toEqual(swapProviderNames.filter((name) => (swaps[name] ?? []).length > 0))
})

describe.each(names.map((name, turn) => [name, turn] as const))('what %s offers', (name, turn) => {
  test.each(inTurn(Object.keys(charges) as (keyof typeof charges)[], 2, turn))(
    'is accepted by guard and simulation, with %s',
    async (charge) => {
      const set = charges[charge]
      if (set) expect((await run(set)).exit).toBe(0)
      const asked = await Promise.all(
        waysWithin(name).map(async (one, at) => {
          // Every second swap pays another wallet.
          const way = flagsOf(one, (at % 2 === 0) === (set === undefined))
          const { exit, json } = await run(
            `swap execute ${way} --provider ${name} --dry-run --yes --json --max-price-impact 100%`,
          )
          return { way, exit, error: json.error as { code: string; message: string } | undefined }
        }),
      )
      const offered = asked.filter(({ error }) => !isNoOffer(name, error?.message ?? ''))
      expect(offered.filter(({ exit }) => exit !== 0)).toEqual([])
      expect(offered.length).toBeGreaterThanOrEqual(1)
    },
  )
})

describe.each(names)('a quote of %s', (name) => {
  const [a, b] = tokens[name]!
  const { reach } = swapDefinitions.find((one) => one.name === name)!
  const to = reach === 'cross-chain' ? 'sandbox-two' : 'sandbox-one'
  const flags = `${flagsOf({ to, a, b, exact: 'in' }, false)} --provider ${name} --json`

  test('states the gas of all transactions of a first swap, with a margin of at most a third', async () => {
    const { json: quote } = await run(`swap quote ${flags}`)
    const { json: done } = await run(`swap execute ${quote.id} --yes --json --max-price-impact 100%`)
    const used = (done.transactions as { gasUsed: string | null }[]).reduce(
      (sum, { gasUsed }) => sum + Number(gasUsed ?? 0),
      0,
    )
    expect(Number(quote.estimatedGas)).toBeGreaterThanOrEqual(used)
    expect(Number(quote.estimatedGas)).toBeLessThan((used * 4) / 3)
  })

  test('states the same price impact with service fees as without, and more gas', async () => {
    const { json: free } = await run(`swap quote ${flags}`)
    expect((await run(charges['two service fees']!)).exit).toBe(0)
    const { json: charged } = await run(`swap quote ${flags}`)
    expect(charged.fees.length).toBe(free.fees.length + 2)
    expect(Math.abs(charged.priceImpact - free.priceImpact)).toBeLessThan(0.0002)
    expect(Number(charged.estimatedGas)).toBeGreaterThan(Number(free.estimatedGas))
  })
})

test('an order of CoW Protocol with two service fees is filled, and pays each collector its fee', async () => {
  expect((await run(charges['two service fees'])).exit).toBe(0)
  const way = '--from sandbox-one --token-in USDC --token-out WETH --amount-in 500 --provider cow'
  const { json } = await run(`swap execute ${way} --yes --json`)
  expect(json).toMatchObject({ status: 'SUCCESS' })
  const { address } = sandbox.token(31337, 'USDC')
  const paid = await Promise.all(collectors.map((to) => sandbox.balanceOf(31337, address, to)))
  expect(paid).toEqual([1_250_000n, 500_000n])
})

const random = seeded(campaignSeed(20260101))
const oneOf = <value>(all: readonly value[]): value => all[Math.floor(random() * all.length)]!
const offers = Array.from({ length: cells(6, 1_000) }, (_, at) => {
  const name = names[at % names.length]!
  const bps = () => Math.floor(random() * 50)
  return {
    at,
    name,
    flags: flagsOf(
      oneOf(waysWithin(name)),
      random() < 0.3,
      Math.exp(Math.log(0.1) + random() * Math.log(60)),
    ),
    slippage: (0.1 + random() ** 2 * 5).toFixed(2),
    fees:
      random() < 0.3
        ? undefined
        : `fees set --swap-fee-bps ${bps()} --operator-collector ${collectors[0]} --markup-bps ${bps()} --collector ${oneOf(collectors)} --json`,
  }
})
/** Codes of an answer without an offer. */
const unoffered = [
  'QUOTE_GENERATION_FAILED',
  'PREFERRED_PROVIDER_QUOTE_UNAVAILABLE',
  'PREFERRED_PROVIDER_NOT_ELIGIBLE',
  'AMOUNT_IN_TOO_LOW_OFFRAMP',
  'AMOUNT_IN_TOO_HIGH_OFFRAMP',
  'AMOUNT_OUT_TOO_LOW_OFFRAMP',
  'AMOUNT_OUT_TOO_HIGH_OFFRAMP',
  'AMOUNT_IN_TOO_LOW_ONRAMP',
  'AMOUNT_IN_TOO_HIGH_ONRAMP',
  'AMOUNT_OUT_TOO_LOW_ONRAMP',
  'AMOUNT_OUT_TOO_HIGH_ONRAMP',
]

describe('a random swap of any provider', () => {
  test.each(offers)(
    '$at: an offer of $name is accepted by guard and simulation: $flags at $slippage %',
    async ({ name, flags, slippage, fees }) => {
      if (fees) expect((await run(fees)).exit).toBe(0)
      const { exit, json } = await run(
        `swap execute ${flags} --provider ${name} --slippage ${slippage}% --dry-run --yes --json --max-price-impact 100%`,
      )
      const error = json.error as { code: string; message: string } | undefined
      if (error && (unoffered.includes(error.code) || isNoOffer(name, error.message))) return
      expect({ exit, error }).toEqual({ exit: 0, error: undefined })
    },
  )
})
