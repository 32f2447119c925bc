import type { IncomingHttpHeaders } from 'node:http'
import { expect, test } from 'vitest'
import { filesOf } from '../../src/app/profiles/catalog-of-configured-networks.ts'
import { networkNamed, publicNetworks as networks } from '../../src/domain/networks.ts'
import { publicBitcoin } from '../../src/protocols/bitcoin-services.ts'
import { joined, withServiceUrls } from '../../src/protocols/catalog-operations.ts'
import {
  keyedServices,
  keyHeaderOf,
  keyVariable,
  type PublicService,
  publicServiceNames,
} from '../../src/protocols/public-services.ts'
import { depositDefinitions } from '../../src/swaps/deposit-provider-registry.ts'
import { type ServiceAccess, serviceAccess, serviceKeysIn } from '../../src/swaps/service-access.ts'
import { swapDefinitions } from '../../src/swaps/swap-provider-registry.ts'
import { useProviderService } from '../support/services/swap-provider-service.ts'

const serve = useProviderService()
const catalog = joined(await filesOf(networks))
const unused = async (): Promise<never> => {
  throw new Error('no chain is read')
}
const token = (network: string, symbol: string) =>
  catalog.tokens.find(
    (one) => one.chainId === networkNamed(networks, network).chainId && one.symbol === symbol,
  )!

/** Asks a provider of a service for a quote, with the service at a URL; returns its error. */
async function quoteFrom(service: PublicService, url: string, access: ServiceAccess): Promise<unknown> {
  const signal = AbortSignal.timeout(5_000)
  const deposit = depositDefinitions.find(({ name }) => name === service)
  if (deposit) {
    const bitcoin = { ...publicBitcoin, oneClick: { ...publicBitcoin.oneClick!, api: url } }
    const opened = deposit.open(bitcoin, { ...access, now: () => 0 })!
    return opened
      .quote(
        {
          to: networkNamed(networks, 'ethereum'),
          tokenOut: token('ethereum', 'USDC'),
          amount: 100_000n,
          slippage: 0.01,
          recipient: '0x00000000000000000000000000000000000000aa',
          refund: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
          at: 0,
        },
        signal,
      )
      .catch((error: unknown) => error)
  }
  const provider = swapDefinitions
    .find(({ name }) => name === service)!
    .open(withServiceUrls(catalog, { [service]: url }), {
      ...{ read: unused, log: unused, logs: unused, mined: unused, callOf: unused, getJson: unused },
      head: async () => 1n,
      secretAt: unused,
      now: () => 0,
      ...access,
    })!
  return provider
    .quote(
      {
        from: networkNamed(networks, 'base'),
        to: networkNamed(networks, service === 'lifi' ? 'base' : 'arbitrum'),
        tokenIn: token('base', 'USDC'),
        tokenOut: service === 'lifi' ? token('base', 'WETH') : token('arbitrum', 'USDC'),
        exact: 'in',
        amount: 1_000_000n,
        slippage: 0.005,
        speed: null,
        refund: null,
        isSpent: false,
      },
      signal,
    )
    .catch((error: unknown) => error)
}

/** All texts of an error and its causes. */
const textOf = (error: unknown): string =>
  error instanceof Error
    ? `${error.stack} ${JSON.stringify(error)} ${JSON.stringify(Object.values(error))} ${textOf(error.cause)}`
    : String(error)

const key = 'key-0123456789-abcdef'
const keys = Object.fromEntries(keyedServices.map((name) => [name, `${key}-${name}`]))

test.each(keyedServices)(
  'the key of %s arrives in its header, and no other key; none is sent without one',
  async (name) => {
    const seen: IncomingHttpHeaders[] = []
    const url = await serve(({ headers }) => {
      seen.push(headers)
      // A service may repeat the request.
      return {
        status: 400,
        body: { message: `you sent ${JSON.stringify(headers)}`, code: 'X', errorCode: 'X' },
      }
    })
    const error = await quoteFrom(name, url, serviceAccess(keys))
    const { header, scheme } = keyHeaderOf(name)!
    expect(seen.length).toBeGreaterThan(0)
    for (const headers of seen) {
      expect(headers[header]).toBe(`${scheme}${key}-${name}`)
      expect(JSON.stringify(headers).split(key)).toHaveLength(2)
    }
    expect(error).toMatchObject({
      code: expect.stringMatching(/^(PROVIDER_API_ERROR|QUOTE_GENERATION_FAILED)$/),
    })
    expect(textOf(error)).not.toContain(key)
    seen.length = 0
    await quoteFrom(name, url, serviceAccess())
    expect(seen.length).toBeGreaterThan(0)
    for (const headers of seen) expect(headers[header]).toBeUndefined()
  },
)

test.each(keyedServices)('the key of %s is not sent over http to another machine', async (name) => {
  const error = await quoteFrom(name, 'http://192.0.2.1:9', serviceAccess(keys))
  expect(error).toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining(keyVariable(name)),
  })
  expect(textOf(error)).not.toContain(key)
})

test('a service without a key header gets none of the keys', async () => {
  const seen: IncomingHttpHeaders[] = []
  const url = await serve(({ headers }) => {
    seen.push(headers)
    return { status: 200, body: {} }
  })
  const all = Object.fromEntries(publicServiceNames.map((name) => [name, `${key}-${name}`]))
  for (const service of publicServiceNames.filter((name) => !keyedServices.includes(name))) {
    expect(serviceAccess(all).hasKey(service)).toBe(false)
    await serviceAccess(all).exchangeJson({ service, url: `${url}/any` })
  }
  expect(seen.length).toBeGreaterThan(5)
  expect(JSON.stringify(seen)).not.toContain(key)
})

test('keys are read by variable; one that could inject a header is refused without being repeated', () => {
  const set = Object.fromEntries(keyedServices.map((name) => [keyVariable(name), `${key}-${name}\n`]))
  expect(serviceKeysIn({ ...set, SLUICE_NOBODY_KEY: 'x' })).toEqual(keys)
  for (const bad of [`${key}\r\nx-other: 1`, `${key} ${key}`, '\u00e9', 'k'.repeat(4_097)]) {
    const read = () => serviceKeysIn({ SLUICE_RELAY_KEY: bad })
    expect(read).toThrow('SLUICE_RELAY_KEY is not one line of visible characters')
  }
})

test.each([
  ['@1795564800', 'Tue, 23 Feb 2027 00:00:00 GMT', '2026-11-25', '2027-02-23'],
  [undefined, 'Tue, 23 Feb 2027 00:00:00 GMT', null, '2027-02-23'],
  ['@1795564800', 'soon', '2026-11-25', null],
  ['true', undefined, null, null],
  ['Wed, 25 Nov 2026 00:00:00 GMT', undefined, '2026-11-25', null],
  ['false', undefined, undefined, undefined],
  ['@99999999999999', '2027-02-23', undefined, undefined],
] as const)(
  'the headers Deprecation %s and Sunset %s are read as %s and %s',
  async (deprecation, sunset, since, until) => {
    const url = await serve(() => ({
      status: 400,
      body: {},
      headers: { ...(deprecation && { deprecation }), ...(sunset && { sunset }) },
    }))
    const told: unknown[] = []
    const day = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString().slice(0, 10))
    const access = serviceAccess({}, ({ deprecatedAt, goneAt, path }) =>
      told.push([path, day(deprecatedAt), day(goneAt)]),
    )
    await access.exchangeJson({ service: 'relay', url: `${url}/quote/v2?secret=1` })
    expect(told).toEqual(since === undefined ? [] : [['/quote/v2', since, until]])
  },
)
