import { beforeEach, describe, expect, test } from 'vitest'
import { swapProviderNames } from '../../../src/swaps/swap-provider-registry.ts'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run } = useCommands(sandbox)
const friend = '0x6666666666666666666666666666666666666666'
const collectors = [friend, '0x7777777777777777777777777777777777777777'] as const

/** Two tokens of the sandbox that each provider swaps or carries. A new provider must be listed here. */
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

/**
 * The ways between two tokens and the native coin, on one chain and to the other, with each exact side. Every second one is paid to another
 * wallet, beginning with the first one if `isPaidAway`.
 */
const waysOf = ([one, other]: readonly [string, string], isPaidAway: boolean): string[] =>
  [`${one} ${other}`, `${other} ${one}`, `ETH ${one}`, `${one} ETH`, `${one} ${one}`]
    .filter((pair, at, all) => all.indexOf(pair) === at)
    .flatMap((pair) => {
      const [a, b] = pair.split(' ') as [string, string]
      return ['sandbox-one', 'sandbox-two']
        .filter((to) => to !== 'sandbox-one' || a !== b)
        .flatMap((to) =>
          [`in ${amounts[a]}`, `out ${amounts[b]}`].map(
            (amount) => `--to ${to} --token-in ${a} --token-out ${b} --amount-${amount}`,
          ),
        )
    })
    .map((way, at) => `${way}${isPaidAway === (at % 2 === 0) ? ` --destination ${friend}` : ''}`)

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
  expect(Object.keys(tokens)).toEqual(swapProviderNames)
})

describe.each(swapProviderNames)('what %s offers', (name) => {
  test.each(Object.keys(charges) as (keyof typeof charges)[])(
    'is accepted by guard and simulation, with %s',
    async (charge) => {
      const set = charges[charge]
      if (set) expect((await run(set)).exit).toBe(0)
      const asked = await Promise.all(
        waysOf(tokens[name]!, set !== undefined).map(async (way) => {
          const { exit, json } = await run(
            `swap execute --from sandbox-one ${way} --provider ${name} --dry-run --yes --json --max-price-impact 100%`,
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

test('an order of CoW Protocol with two service fees is filled, and pays each collector its fee', async () => {
  expect((await run(charges['two service fees'])).exit).toBe(0)
  const way = '--from sandbox-one --token-in USDC --token-out WETH --amount-in 500 --provider cow'
  const { json } = await run(`swap execute ${way} --yes --json`)
  expect(json).toMatchObject({ status: 'SUCCESS' })
  const { address } = sandbox.token(31337, 'USDC')
  const paid = await Promise.all(collectors.map((to) => sandbox.balanceOf(31337, address, to)))
  expect(paid).toEqual([1_250_000n, 500_000n])
})
