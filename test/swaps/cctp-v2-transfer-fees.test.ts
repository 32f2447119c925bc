import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { AppError } from '../../src/domain/errors.ts'
import { type Loopback, serveLoopback } from '../../src/sandbox/loopback-server.ts'
import { feeOf, priceIn, withHeadroom } from '../../src/swaps/cctp-v2/transfer-fees.ts'
import { fastSavingSeconds } from '../../src/swaps/cctp-v2/transfer-times.ts'
import { madeBy } from '../oracles/make.ts'
import { oracles } from '../oracles/sets.ts'
import { withAttestation } from '../support/changed-catalogs.ts'
import { engineOn } from '../support/engine.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const open: Loopback[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

const said = (fee: string, slow = '0') =>
  `[{"finalityThreshold":1000,"minimumFee":${fee}},{"finalityThreshold":2000,"minimumFee":${slow}}]`

/** An engine whose attestation service returns this fast fee verbatim, and this forward fee. */
async function taking(fee: string, forwardFee: object | null = { low: 0, med: 0, high: 0 }) {
  const delivery = forwardFee && { forwardFee }
  const rawJSON = (JSON as unknown as { rawJSON: (text: string) => unknown }).rawJSON
  const body = [
    { finalityThreshold: 1000, minimumFee: rawJSON(fee), ...delivery },
    { finalityThreshold: 2000, minimumFee: 0, ...delivery },
  ]
  const server = await serveLoopback(() => ({ status: 200, body }))
  open.push(server)
  return engineOn(sandbox, { catalog: withAttestation(sandbox.world.catalog(), server.url) }).service
}
const usdc = (chainId: number) => sandbox.token(chainId, 'USDC').address
const far = () => ({
  chainIdIn: 31337,
  chainIdOut: 31338,
  tokenIn: usdc(31337),
  tokenOut: usdc(31338),
  preferredProvider: 'cctp',
})

describe('fee of a fast CCTP transfer', () => {
  test("equals the maxFee of Circle's kit, with headroom, for every two-decimal fee below 20 basis points", () => {
    const file = join(import.meta.dirname, '../oracles/fixtures/cctp-v2.json')
    const kit = JSON.parse(readFileSync(file, 'utf8')) as {
      madeBy: string
      fees: string[]
      most: { amount: string; maxFees: string[] }[]
    }
    expect(kit.madeBy).toBe(madeBy(oracles.find(({ name }) => name === 'cctp-v2')!))
    expect(kit.fees).toHaveLength(1_999)
    for (const { amount, maxFees } of kit.most)
      kit.fees.forEach((fee, at) => {
        const { rate } = priceIn(said(fee), 'fast')!
        expect([fee, String(withHeadroom(feeOf(BigInt(amount), rate)))]).toEqual([fee, maxFees[at]])
      })
  })

  test.each<[text: string, fee: bigint | undefined]>([
    ['1.1', 110_000000n],
    ['0.07', 7_000000n],
    ['"1.1"', 110_000000n],
    ['1.305', 130_500000n],
    ['13e-1', 130_000000n],
    ['0', 0n],
    // More digits than a float holds; the last one counts.
    ['1.0000000000000000000000000000000000001', 100_000001n],
    ['10000', undefined],
    ['-1', undefined],
    ['1e99', undefined],
    ['null', undefined],
    ['"much"', undefined],
  ])('is parsed exactly from %s, or rejected', (text, fee) => {
    const price = priceIn(said(text), 'fast')
    expect(price && feeOf(10n ** 12n, price.rate)).toBe(fee)
  })

  test('reduces the output exactly, and its headroom lowers only the minimum', async () => {
    const service = await taking('1.1')
    const { quote } = await service.quote({ ...far(), amountIn: 10_000000n, transferSpeed: 'fast' })
    expect([quote.tokenOut.amount, quote.minAmountOut]).toEqual([9_998900n, 9_998790n])
    expect(quote.fees).toMatchObject([{ kind: 'bridge', amount: '1100' }])
    expect(quote.raw.rawQuote).toMatchObject({ maxFee: '1210' })
  })

  test('is quoted with the highest delivery fee, which maxFee includes', async () => {
    const service = await taking('1', { low: 200_000, med: 210_000, high: '250000' })
    const ask = { ...far(), transferSpeed: 'fast' as const }
    const { quote } = await service.quote({ ...ask, amountIn: 100_000000n })
    expect([quote.tokenOut.amount, quote.minAmountOut]).toEqual([99_740000n, 99_739000n])
    expect(quote.fees).toMatchObject([
      { kind: 'bridge', amount: '10000' },
      { kind: 'delivery', amount: '250000' },
    ])
    expect(quote.raw.rawQuote).toMatchObject({ maxFee: '261000' })
    const exact = await service.quote({ ...ask, amountOut: 100_000000n })
    expect([exact.quote.tokenIn.amount, exact.quote.minAmountOut]).toEqual([100_260027n, 100_000000n])
    await expect(service.quote({ ...ask, amountIn: 250_000n })).rejects.toThrow()
  })

  test('gives no quote without a delivery fee', async () => {
    const service = await taking('1', null)
    const ask = { ...far(), amountIn: 10_000000n }
    await expect(service.quote(ask)).rejects.toMatchObject({
      code: 'PREFERRED_PROVIDER_QUOTE_UNAVAILABLE',
      message: expect.stringContaining('does not deliver'),
    })
  })

  test('has no headroom for an exact output, and never exceeds the slippage', async () => {
    const service = await taking('14')
    const exact = await service.quote({ ...far(), amountOut: 10_000000n, transferSpeed: 'fast' })
    expect([exact.quote.tokenIn.amount, exact.quote.tokenOut.amount, exact.quote.minAmountOut]).toEqual([
      10_014020n,
      10_000000n,
      10_000000n,
    ])
    const tight = { ...far(), amountIn: 10_000000n, slippage: 0.0001, transferSpeed: 'fast' } as const
    expect((await service.quote(tight)).quote).toMatchObject({
      tokenOut: { amount: 9_986000n },
      minAmountOut: 9_985001n,
    })
  })

  test('is avoided by default: the quote uses standard and lists fast as an alternative', async () => {
    const service = await taking('1.1')
    const { quote } = await service.quote({ ...far(), amountIn: 10_000000n })
    expect(quote).toMatchObject({
      tokenIn: { amount: 10_000000n },
      tokenOut: { amount: 10_000000n },
      minAmountOut: 10_000000n,
      fees: [],
      alternatives: [
        {
          provider: 'cctp',
          transferSpeed: 'fast',
          amountIn: 10_000000n,
          amountOut: 9_998900n,
          savesSeconds: null,
        },
      ],
    })
    expect(quote.raw.rawQuote).toMatchObject({ speed: 'standard', maxFee: '0' })
    const exact = await service.quote({ ...far(), amountOut: 10_000000n })
    expect(exact.quote).toMatchObject({
      tokenIn: { amount: 10_000000n },
      alternatives: [{ transferSpeed: 'fast', amountIn: 10_001101n, amountOut: 10_000000n }],
    })
    // A request with an explicit speed lists no alternatives.
    const asked = await service.quote({ ...far(), amountIn: 10_000000n, transferSpeed: 'fast' })
    expect(asked.quote.alternatives).toEqual([])
  })

  test('makes fast the default when it is zero', async () => {
    const free = await (await taking('0')).quote({ ...far(), amountIn: 10_000000n })
    expect(free.quote.raw.rawQuote).toMatchObject({ speed: 'fast' })
    expect(free.quote.alternatives).toEqual([])
  })

  test.each([
    [0, 940],
    [6, 952],
    [11, 68_392],
    [1, 0],
    [31337, null],
  ])('fastSavingSeconds of domain %i is %s', (domain, seconds) => {
    expect(fastSavingSeconds(domain)).toBe(seconds)
  })

  test('fails the quote with PROVIDER_API_ERROR as the cause when it is unreadable', async () => {
    const service = await taking('"much"')
    const error = await service
      .quote({ ...far(), amountIn: 10_000000n, transferSpeed: 'fast' })
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(AppError)
    expect(error).toMatchObject({
      code: 'PREFERRED_PROVIDER_QUOTE_UNAVAILABLE',
      cause: { code: 'PROVIDER_API_ERROR', details: { provider: 'cctp' } },
    })
  })
})
