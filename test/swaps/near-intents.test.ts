import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { base58Text } from '../../src/domain/bitcoin.ts'
import { networkNamed, publicNetworks } from '../../src/domain/networks.ts'
import { publicBitcoin } from '../../src/protocols/bitcoin-services.ts'
import type { LoopbackAnswer } from '../../src/sandbox/loopback-server.ts'
import type { DepositRequest } from '../../src/swaps/deposit-provider.ts'
import { nearIntents } from '../../src/swaps/near-intents/provider.ts'
import { isSignedBy, quoteHash } from '../../src/swaps/near-intents/signature.ts'
import { type Answering, useDepositService } from '../support/services/deposit-provider-service.ts'

const sample = (name: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, 'samples', `${name}.json`), 'utf8'))

const signed = sample('one-click-signed-quote')

describe('signature of a 1Click quote', () => {
  test('covers the text that the official SDK hashes, and verifies as in the SDK', () => {
    expect(quoteHash(signed.answer)).toBe(signed.hash)
    expect(isSignedBy(signed.publicKey, signed.answer)).toBe(signed.isValid)
  })

  test.each(['depositAddress', 'minAmountOut', 'amountIn', 'deadline', 'refundFee'])(
    'is invalid when %s of the quote is changed',
    (field) => {
      const { answer } = signed
      const changed = { ...answer, quote: { ...answer.quote, [field]: `${answer.quote[field]}0` } }
      expect(isSignedBy(signed.publicKey, changed)).toBe(false)
    },
  )

  test.each(['recipient', 'refundTo', 'destinationAsset', 'amount'])(
    'is invalid when %s of the request is changed',
    (field) => {
      const { answer } = signed
      const quoteRequest = { ...answer.quoteRequest, [field]: `${answer.quoteRequest[field]}0` }
      expect(isSignedBy(signed.publicKey, { ...answer, quoteRequest })).toBe(false)
    },
  )

  test('is invalid for another key, a malformed key and an empty signature', () => {
    expect(isSignedBy(publicBitcoin.oneClick!.publicKey, signed.answer)).toBe(false)
    expect(isSignedBy('ed25519:0', signed.answer)).toBe(false)
    expect(isSignedBy(signed.publicKey, { ...signed.answer, signature: 'ed25519:' })).toBe(false)
  })
})

const key = createPrivateKey({
  key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, 9)]),
  format: 'der',
  type: 'pkcs8',
})
const publicKey = base58Text.encode(
  createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32),
)

const now = Date.parse('2026-11-26T12:00:00.000Z')
const base = networkNamed(publicNetworks, 'base')
const usdc = {
  chainId: base.chainId,
  address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  symbol: 'USDC',
  name: 'USDC',
  decimals: 6,
} as const
const asset = {
  assetId: signed.answer.quoteRequest.destinationAsset,
  decimals: 6,
  blockchain: 'base',
  symbol: 'USDC',
  contractAddress: usdc.address.toLowerCase(),
}
const { recipient, refundTo } = signed.answer.quoteRequest
const ask: DepositRequest = {
  to: base,
  tokenOut: usdc,
  amount: 1_000_000n,
  slippage: 0.005,
  recipient,
  refund: refundTo,
  at: now,
}

type Changes = { request?: object; quote?: object; signWith?: typeof key; tokens?: unknown }

/** A service that quotes each request and signs the quote after these changes. */
const quoting =
  ({ request = {}, quote = {}, signWith = key, tokens = [asset] }: Changes = {}): Answering =>
  ({ url, body }) => {
    if (url.pathname === '/v0/tokens') return { status: 200, body: tokens }
    const answer = {
      ...signed.answer,
      quoteRequest: { ...(body as object), ...request },
      quote: { ...signed.answer.quote, ...quote },
    }
    const signature = `ed25519:${base58Text.encode(sign(null, Buffer.from(quoteHash(answer)), signWith))}`
    return { status: 201, body: { ...answer, signature } }
  }

const serve = useDepositService(nearIntents, () => now)
const at = async (answer: Answering) => {
  const { provider } = await serve(answer, (api) => ({ ...publicBitcoin, oneClick: { api, publicKey } }))
  return {
    quote: (changed: Partial<DepositRequest> = {}) =>
      provider.quote({ ...ask, ...changed }, AbortSignal.timeout(3_000)),
    status: (address = 'a') =>
      provider.status({ address, memo: null }, undefined, { tokenOut: usdc, recipient }),
  }
}

describe('1Click API', () => {
  test('is asked for the swap, and its signed terms become the offer', async () => {
    let asked: unknown
    const { quote } = await at((request) => {
      asked = request.body ?? asked
      return quoting()(request)
    })
    const offer = await quote()
    expect(offer && 'terms' in offer && offer.terms).toMatchObject({
      address: signed.answer.quote.depositAddress,
      memo: null,
      amount: 1_000_000n,
      amountOut: 896_000_000n,
      minAmountOut: 891_520_000n,
      until: Date.parse('2026-11-26T16:00:00.000Z'),
      late: expect.stringMatching(/is refunded to 158gYbSooieRtN52drCxzvPdMQbH9jr2WV.*less 0\.000015 BTC/),
      seconds: 620,
    })
    expect(asked).toMatchObject({
      dry: false,
      swapType: 'EXACT_INPUT',
      originAsset: '1cs_v1:btc:native:coin',
      destinationAsset: asset.assetId,
      amount: '1000000',
      slippageTolerance: 50,
      deadline: '2026-11-26T16:00:00.000Z',
    })
  })

  test.each<[string, Changes, RegExp]>([
    [
      'a signature of another key',
      {
        signWith: createPrivateKey({
          key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, 8)]),
          format: 'der',
          type: 'pkcs8',
        }),
      },
      /not signed with its key/,
    ],
    [
      'another recipient',
      { request: { recipient: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC' } },
      /differs in recipient/,
    ],
    ['another refund address', { request: { refundTo: 'bc1qelse' } }, /differs in refundTo/],
    [
      'another destination asset',
      { request: { destinationAsset: 'nep141:other' } },
      /differs in destinationAsset/,
    ],
    ['another origin asset', { request: { originAsset: 'nep141:doge.omft.near' } }, /differs in originAsset/],
    [
      'another recipient of refunds',
      { request: { virtualChainRefundRecipient: '0x1' } },
      /differs in virtualChainRefundRecipient/,
    ],
    [
      'another recipient of refunds in the quote',
      { quote: { virtualChainRefundRecipient: '0x1' } },
      /differs in virtualChainRefundRecipient/,
    ],
    [
      'a deadline in the year 3000',
      {
        request: { deadline: '3000-01-01T00:00:00Z' },
        quote: { deadline: '3000-01-01T00:00:00Z', timeWhenInactive: '3000-01-01T00:00:00Z' },
      },
      /more than a day away/,
    ],
    ...['bc1pfeessrawgf', 'bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs', 'bc1sw50qgdz25j'].map(
      (depositAddress): [string, Changes, RegExp] => [
        `the deposit address ${depositAddress}, from which anyone can spend`,
        { quote: { depositAddress } },
        /not on this Bitcoin chain/,
      ],
    ),
    ['another amount', { quote: { amountIn: '1000001' } }, /differs in amount/],
    ['a higher slippage', { request: { slippageTolerance: 51 } }, /differs in slippageTolerance/],
    ['a lower minimum', { quote: { minAmountOut: '891519998' } }, /differs in minAmountOut/],
    ['a memo', { quote: { depositMemo: 'x' } }, /differs in depositMemo/],
    ['a message to the recipient', { quote: { customRecipientMsg: 'x' } }, /differs in customRecipientMsg/],
    [
      'a deposit address with a wrong checksum',
      { quote: { depositAddress: 'bc1qpg8zcjzrjjnknzkqh2eenyeaxj7qlax6hpy62q' } },
      /not on this Bitcoin chain/,
    ],
    [
      'a deposit address of another Bitcoin chain',
      { quote: { depositAddress: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080' } },
      /not on this Bitcoin chain/,
    ],
    ['an amount in scientific notation', { quote: { amountOut: '1e9' } }, /did not return a quote/],
    ['a dry-run quote', { request: { dry: true } }, /did not return a quote/],
    ['an unreadable token list', { tokens: { message: 'x' } }, /did not return its tokens/],
  ])('fails the quote with PROVIDER_API_ERROR for %s', async (_, changes, message) => {
    const { quote } = await at(quoting(changes))
    await expect(quote()).rejects.toMatchObject({
      code: 'PROVIDER_API_ERROR',
      message: expect.stringMatching(message),
    })
  })

  // The service signs the new id of BTC whichever it is asked for, and an older deployment the deprecated one.
  test.each(['1cs_v1:btc:native:coin', 'nep141:btc.omft.near'])(
    'may sign the asset id %s of BTC, and its signature is verified over that id',
    async (originAsset) => {
      const { quote } = await at(quoting({ request: { originAsset } }))
      expect(await quote()).toHaveProperty('terms')
      // A signature over the other id does not count.
      const other = await at((request) => {
        const { status, body } = quoting({ request: { originAsset: 'nep141:other' } })(request) as {
          status: number
          body: { quoteRequest?: object }
        }
        return {
          status,
          body: body.quoteRequest ? { ...body, quoteRequest: { ...body.quoteRequest, originAsset } } : body,
        }
      })
      await expect(other.quote()).rejects.toThrow(/not signed with its key/)
    },
  )

  test.each([
    ['other decimals', { ...asset, decimals: 18 }],
    ['another contract', { ...asset, contractAddress: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC' }],
    ['another chain', { ...asset, blockchain: 'eth' }],
    ['no contract address', { ...asset, contractAddress: undefined }],
  ])('gives no quote for a listed token with %s', async (_, other) => {
    expect(await (await at(quoting({ tokens: [other] }))).quote()).toBeUndefined()
  })

  test('returns the refusal reason of an amount, and gives no quote for a token listed twice', async () => {
    const { quote } = await at((request) =>
      request.url.pathname === '/v0/tokens'
        ? quoting()(request)
        : { status: 400, body: { message: 'Amount is too low for bridge' } },
    )
    await expect(quote()).rejects.toMatchObject({
      code: 'QUOTE_GENERATION_FAILED',
      details: { serviceMessage: 'Amount is too low for bridge' },
      hint: 'Try a larger amount.',
    })
    expect(
      await (await at(quoting({ tokens: [asset, { ...asset, assetId: 'nep141:b' }] }))).quote(),
    ).toBeUndefined()
  })

  test.each<[string, LoopbackAnswer | 'drop', RegExp]>([
    [
      'limits requests',
      { status: 429, body: {}, headers: { 'retry-after': '7' } },
      /limits requests; it accepts .* 7 s/,
    ],
    ['answers HTTP 503', { status: 503, body: {} }, /the HTTP status 503/],
    ['drops the connection', 'drop', /returned an invalid response/],
  ])('reports in quote and status that it %s', async (_, answer, message) => {
    const { quote, status } = await at(() => answer)
    for (const work of [quote(), status()])
      await expect(work).rejects.toMatchObject({
        code: 'PROVIDER_API_ERROR',
        message: expect.stringMatching(message),
      })
  })
})

describe('1Click swap status', () => {
  test.each([
    ['PENDING_DEPOSIT', { status: 'waiting' }],
    ['KNOWN_DEPOSIT_TX', { status: 'waiting' }],
    ['INCOMPLETE_DEPOSIT', { status: 'short' }],
    ['PROCESSING', { status: 'processing' }],
    ['SUCCESS', { status: 'fulfilled' }],
    ['REFUNDED', { status: 'refunded' }],
    ['FAILED', { status: 'failed' }],
    ['TELEPORTING', { status: 'processing', said: 'TELEPORTING' }],
  ])('is mapped from the word %s', async (word, state) => {
    const { status } = await at(() => ({ status: 200, body: { status: word, swapDetails: {} } }))
    expect(await status()).toEqual(state)
  })

  test('names the destination transaction and the refund reason', async () => {
    const hash = `0x${'ab'.repeat(32)}`
    const swapDetails = { destinationChainTxHashes: [{ hash, explorerUrl: '' }], refundReason: 'SLIPPAGE' }
    const { status } = await at(() => ({ status: 200, body: { status: 'SUCCESS', swapDetails } }))
    expect(await status()).toEqual({ status: 'fulfilled', destination: hash, said: 'SLIPPAGE' })
  })

  test('is waiting for an unknown address, and an error for a response of another shape', async () => {
    expect(await (await at(() => ({ status: 404, body: { message: 'x' } }))).status()).toEqual({
      status: 'waiting',
    })
    await expect((await at(() => ({ status: 200, body: { state: 1 } }))).status()).rejects.toMatchObject({
      code: 'PROVIDER_API_ERROR',
    })
  })

  test.each([
    ['near-intents-status-btc-refunded', '158gYbSooieRtN52drCxzvPdMQbH9jr2WV', 'refunded'],
    ['near-intents-status-bsc-to-btc', '0x711FccC1b9c251BCDe08e6db6c82AB5b10590b8a', 'fulfilled'],
  ])('is read from the recorded sample %s, for its own address only', async (name, address, word) => {
    const { status } = await at(() => ({ status: 200, body: sample(name).response }))
    expect(await status(address)).toEqual({ status: word })
    expect(await status('another')).toEqual({ status: 'waiting' })
  })
})
