import { describe, expect, test } from 'vitest'
import type { QuoteInput } from '../../../src/api/quote.ts'
import { quoteFor } from '../../../src/engine/quotes/create-quote.ts'
import type { SwapProvider } from '../../../src/swaps/provider.ts'
import { relayContracts } from '../../../src/swaps/relay/constants-schema.ts'
import { contractsIn } from '../../../src/swaps/swap-contracts.ts'
import { swapProviderNames } from '../../../src/swaps/swap-provider-registry.ts'
import { codeOf, engineOn } from '../../support/engine.ts'
import { startHostileService } from '../../support/services/hostile-service.ts'
import { rpcEnvOf, useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run } = useCommands(sandbox)
const apiKey = 'key-12345'
const [one, two] = [31337, 31338]
const usdc = (chainId: number) => sandbox.token(chainId, 'USDC').address
const across = (amountIn: bigint) => ({
  chainIdIn: one,
  chainIdOut: two,
  tokenIn: usdc(one),
  tokenOut: usdc(two),
  amountIn,
})
const far = '--from sandbox-one --to sandbox-two --token-in USDC --token-out USDC'

describe('the best quote', () => {
  test('of the service has the best expected output, whatever the gas, and lists the other offers', async () => {
    const { quote } = await engineOn(sandbox).service.quote(across(10_000000n))
    expect([quote.provider, quote.tokenOut.amount]).toEqual(['cctp', 10_000000n])
    const others = quote.alternatives!.filter(({ transferSpeed }) => transferSpeed === null)
    expect(others.map(({ provider }) => provider)).toEqual(['across', 'lifi', 'relay'])
    const [first] = others
    expect(first!.amountOut).toBe(9_997000n)
    expect(first!.netAmountOut).toBeLessThan(first!.amountOut)
    // Fewer units of gas outweigh the lower output.
    expect(first!.netAmountOut).toBeGreaterThan(quote.netAmountOut!)
  })

  test('of an exact output takes the lowest input', async () => {
    const { amountIn: amountOut, ...route } = across(10_000000n)
    const { quote } = await engineOn(sandbox).service.quote({ ...route, amountOut })
    expect([quote.provider, quote.tokenIn.amount]).toEqual(['cctp', 10_000000n])
  })

  test('of a command leaves most after gas, and the terminal says what the others would bring', async () => {
    const { json } = await run(`swap quote ${far} --amount-in 10 --json`)
    expect(json.provider).toBe('across')
    expect(json.alternatives.map(({ provider }: { provider: string }) => provider)).toContain('cctp')
    const { out } = await run(`swap quote ${far} --amount-in 10`)
    expect(out).toMatch(/^alternative +cctp brings 10 USDC, 9\.\d+ USDC after gas$/m)
  })

  test('of a command over a remote service is asked by the name of the provider, only if it is another one', async () => {
    const { service } = engineOn(sandbox)
    const asked: (string | undefined)[] = []
    const remote = await startHostileService(
      {
        ...service,
        quote: (input) => {
          asked.push(input.preferredProvider)
          return service.quote(input)
        },
      },
      apiKey,
    )
    const api = contractsIn(sandbox.world.catalog(), relayContracts)[0]!.api!
    const at = {
      env: { ...rpcEnvOf(sandbox), SLUICE_BASE_URL: remote.url, SLUICE_RELAY_URL: api },
      secrets: { privateKey: sandbox.user.key, apiKey },
    }
    try {
      const { json: small } = await run(`swap quote ${far} --amount-in 10 --json`, at)
      expect([small.provider, asked]).toEqual(['across', [undefined, 'across']])
      const [other] = small.alternatives
      expect([other.provider, other.amountOut.formatted]).toEqual(['cctp', '10'])
      asked.length = 0
      const { json: large } = await run(`swap quote ${far} --amount-in 1000 --json`, at)
      expect([large.provider, asked]).toEqual(['cctp', [undefined]])
      // Relay costs 1.1 % of this amount: more than a bridge that burns, less than the limit of the price impact.
      const transfer = `swap execute ${far} --amount-in 50 --provider relay --dry-run --yes --json`
      const { exit, json: plan } = await run(transfer, at)
      expect({ exit, impacts: plan.priceImpacts }).toMatchObject({ exit: 0, impacts: [{ by: 'same-asset' }] })
      expect(plan.priceImpacts[0].share).toBeGreaterThan(0.0075)
      const tiny = (await run(transfer.replace('50', '5'), at)).json.error
      expect(tiny).toMatchObject({ code: 'POLICY_PRICE_IMPACT' })
      expect(tiny.hint).toContain('--max-price-impact ')
    } finally {
      await remote.stop()
    }
  })

  test('brings the funds of a deposit from another network', async () => {
    const { service } = engineOn(sandbox)
    const { quote, bytecode } = await service.strategyBytecode({
      id: 'aave-v3-usdc-sandbox-two',
      action: 'lend',
      amount: 10_000000n,
      wallet: sandbox.user.address,
      from: 'sandbox-one',
    } as never)
    expect([quote!.provider, quote!.tokenOut.amount, quote!.minAmountOut]).toEqual([
      'cctp',
      10_000000n,
      10_000000n,
    ])
    expect(bytecode.at(-1)!.chainId).toBe(two)
  })
})

/** Routes of which every provider with contracts and an account here serves one. */
function routesToTry(): QuoteInput[] {
  const token = (chainId: number, symbol: string) => sandbox.token(chainId, symbol).address
  return [
    ...['WETH', 'BRLA'].map((symbol) => ({
      ...across(500_000000n),
      chainIdOut: one,
      tokenOut: token(one, symbol),
    })),
    { ...across(500_000000n), chainIdOut: one, tokenIn: token(one, 'USDT'), tokenOut: token(one, 'WETH') },
    { ...across(500_000000n) },
  ]
}

describe.each(swapProviderNames)('an output of %s above spot', (name) => {
  test('by more than 3 % is no offer, also if the provider is preferred', async () => {
    const { context } = engineOn(sandbox)
    const provider = context.providers.find((known) => known.name === name)!
    const routes = routesToTry()
    let times = 100n
    const lying: SwapProvider = {
      ...provider,
      quote: async (ask, signal) => {
        const offer = await provider.quote(ask, signal)
        return offer && { ...offer, amountOut: (offer.amountOut * times) / 100n }
      },
    }
    const providers = context.providers.map((known) => (known === provider ? lying : known))
    const quote = (route: QuoteInput) => quoteFor({ ...context, providers }, route, [])
    const named = (route: QuoteInput) => quote({ ...route, preferredProvider: name })
    let compared = 0
    for (const route of routes) {
      times = 100n
      if ((await codeOf(named(route))) !== undefined) continue
      compared++
      times = 200n
      expect(await codeOf(named(route))).toBe('PREFERRED_PROVIDER_QUOTE_UNAVAILABLE')
      await expect(named(route)).rejects.toThrow(/above the spot price/)
      expect((await quote(route).catch(() => undefined))?.provider).not.toBe(name)
    }
    // The others have no account here, or no contracts.
    const isHere = (context.catalog.swaps[name] ?? []).length > 0
    expect(compared > 0 || !isHere || ['1inch', 'avenia'].includes(name)).toBe(true)
  })
})

describe('a quote that another version of the program stored', () => {
  const stored = async () => {
    const { service, context } = engineOn(sandbox)
    const { quote } = await service.quote({
      ...across(500_000000n),
      chainIdOut: one,
      tokenOut: sandbox.token(one, 'WETH').address,
    })
    const row = (await context.store.quote(context.customer, quote.id))!
    const order = { quote: quote.raw as never, walletAddress: sandbox.user.address }
    return { service, context, quote, offer: JSON.parse(row.offer) as Record<string, unknown>, order }
  }

  test.each(swapProviderNames)(
    'of %s lacks the data of the provider or has other forms: no fault of the program',
    async (name) => {
      const { service, context } = engineOn(sandbox)
      for (const route of routesToTry()) {
        const made = await service.quote({ ...route, preferredProvider: name }).catch(() => undefined)
        if (!made) continue
        const { id, raw: quote } = made.quote
        const row = (await context.store.quote(context.customer, id))!
        const offer = JSON.parse(row.offer) as { raw?: object }
        const order = { quote: quote as never, walletAddress: sandbox.user.address }
        const other = (value: unknown): unknown => {
          if (typeof value === 'object' && value !== null)
            return Array.isArray(value)
              ? value.map(other)
              : Object.fromEntries(Object.entries(value).map(([key, one]) => [key, other(one)]))
          return typeof value === 'number' ? `${value} s` : 7.5
        }
        for (const raw of [{}, null, 'text', other(offer.raw)]) {
          await context.store.keepOffer(context.customer, id, JSON.stringify({ ...offer, raw }))
          const code = await codeOf(service.swapBytecode(order))
          // Some take nothing from it, and ask their service again.
          expect([raw, [undefined, 'QUOTE_EXPIRED', 'PROVIDER_API_ERROR'].includes(code)]).toEqual([
            raw,
            true,
          ])
        }
        return
      }
    },
  )

  test('lacks any field or has it in another form: it is expired, not a fault of the program', async () => {
    const { service, context, quote, offer, order } = await stored()
    const fields = Object.keys(offer).filter((name) => name !== 'raw')
    for (const field of fields)
      for (const value of [undefined, { is: 'another form' }]) {
        const changed = JSON.stringify({ ...offer, [field]: value })
        await context.store.keepOffer(context.customer, quote.id, changed)
        expect([field, await codeOf(service.swapBytecode(order))]).toEqual([field, 'QUOTE_EXPIRED'])
      }
    for (const raw of [undefined, null, {}, { path: {} }, 'text']) {
      await context.store.keepOffer(context.customer, quote.id, JSON.stringify({ ...offer, raw }))
      expect([raw, await codeOf(service.swapBytecode(order))]).toEqual([raw, 'QUOTE_EXPIRED'])
    }
    await context.store.keepOffer(context.customer, quote.id, 'no JSON')
    expect(await codeOf(service.swapBytecode(order))).toBe('QUOTE_EXPIRED')
    await context.store.keepOffer(context.customer, quote.id, JSON.stringify(offer))
    expect(await codeOf(service.swapBytecode(order))).toBeUndefined()
  })
})
