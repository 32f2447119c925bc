import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { AppError } from '../../src/domain/errors.ts'
import { type Loopback, serveLoopback } from '../../src/sandbox/loopback-server.ts'
import { feeOf, priceIn, withHeadroom } from '../../src/swaps/cctp-v2/transfer-fees.ts'
import { fastSavingSeconds } from '../../src/swaps/cctp-v2/transfer-times.ts'
import { madeBy } from '../oracles/make.ts'
import { oracles } from '../oracles/sets.ts'
import { engineOn } from '../support/engine.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const open: Loopback[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

const said = (fee: string, slow = '0') =>
  `[{"finalityThreshold":1000,"minimumFee":${fee}},{"finalityThreshold":2000,"minimumFee":${slow}}]`

/** An engine whose attestation service writes its fast fee exactly so, and what delivery costs. */
async function taking(fee: string, forwardFee: object | null = { low: 0, med: 0, high: 0 }) {
  const delivery = forwardFee && { forwardFee }
  const rawJSON = (JSON as unknown as { rawJSON: (text: string) => unknown }).rawJSON
  const body = [
    { finalityThreshold: 1000, minimumFee: rawJSON(fee), ...delivery },
    { finalityThreshold: 2000, minimumFee: 0, ...delivery },
  ]
  const server = await serveLoopback(() => ({ status: 200, body }))
  open.push(server)
  return engineOn(sandbox, { catalog: { ...sandbox.world.catalog(), attestation: server.url } }).service
}
const usdc = (chainId: number) => sandbox.token(chainId, 'USDC').address
const far = () => ({
  chainIdIn: 31337,
  chainIdOut: 31338,
  tokenIn: usdc(31337),
  tokenOut: usdc(31338),
  preferredProvider: 'cctp',
})

describe('the fee of a fast transfer', () => {
  test('is at most what the kit of Circle allows, for every fee of two decimals below 20 basis points', () => {
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
    // More digits than a float has, of which the last one counts.
    ['1.0000000000000000000000000000000000001', 100_000001n],
    ['10000', undefined],
    ['-1', undefined],
    ['1e99', undefined],
    ['null', undefined],
    ['"much"', undefined],
  ])('that is written %s is read to the last digit', (text, fee) => {
    const price = priceIn(said(text), 'fast')
    expect(price && feeOf(10n ** 12n, price.rate)).toBe(fee)
  })

  test('is taken exactly of what is quoted, and its headroom is a bound and no cost', async () => {
    const service = await taking('1.1')
    const { quote } = await service.quote({ ...far(), amountIn: 10_000000n, transferSpeed: 'fast' })
    expect([quote.tokenOut.amount, quote.minAmountOut]).toEqual([9_998900n, 9_998790n])
    expect(quote.fees).toMatchObject([{ kind: 'bridge', amount: '1100' }])
    expect(quote.raw.rawQuote).toMatchObject({ maxFee: '1210' })
  })

  test('has beside it what delivery by Circle costs at most, which is shown, and paid out of the same bound', async () => {
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

  test('that names no delivery is of a transfer that nobody would deliver: there is no quote', async () => {
    const service = await taking('1', null)
    const ask = { ...far(), amountIn: 10_000000n }
    await expect(service.quote(ask)).rejects.toMatchObject({
      code: 'PREFERRED_PROVIDER_QUOTE_UNAVAILABLE',
      message: expect.stringContaining('does not deliver'),
    })
  })

  test('has no headroom where the output is exact, and never more than may slip', async () => {
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

  test('is not taken where nobody asks for the speed and the slow one brings more, and the quote says what it would cost', async () => {
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
    // Who asked for a speed is told of no other.
    const asked = await service.quote({ ...far(), amountIn: 10_000000n, transferSpeed: 'fast' })
    expect(asked.quote.alternatives).toEqual([])
  })

  test('is taken where it costs nothing more, or nothing else is on offer', async () => {
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
  ])('from the domain %i saves %s seconds', (domain, seconds) => {
    expect(fastSavingSeconds(domain)).toBe(seconds)
  })

  test('that cannot be read is the fault of who says it', async () => {
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
