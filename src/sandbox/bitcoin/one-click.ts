import { createPrivateKey, createPublicKey, randomUUID, sign } from 'node:crypto'
import { z } from 'zod'
import { type Address, CatalogAddress, type Hex, nativeAddress, sameAddress } from '../../domain/address.ts'
import { base58Text, btc } from '../../domain/bitcoin.ts'
import type { Token } from '../../domain/token.ts'
import { quoteHash } from '../../swaps/near-intents/signature.ts'
import type { LoopbackAnswer } from '../loopback-server.ts'
import { derivedAddress, type SandboxBitcoin } from './chain.ts'
import { type BitcoinFault, type DepositService, isFalseReport, randomHash } from './deposit-service.ts'
import type { Payouts } from './evm-payouts.ts'

/** The key that signs quotes of the sandbox's 1Click. It is public and signs nothing else. */
const key = createPrivateKey({
  key: Buffer.concat([
    Buffer.from('302e020100300506032b657004220420', 'hex'),
    Buffer.from('sandbox 1click key, for nobody !'),
  ]),
  format: 'der',
  type: 'pkcs8',
})

/** Its public key, as listed in the catalogue. */
export const oneClickPublicKey = `ed25519:${base58Text.encode(
  createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32),
)}`

const btcAsset = '1cs_v1:btc:native:coin'

/** The deprecated asset id of BTC; asked with it, the service signs the new one. */
const olderBtcAsset = 'nep141:btc.omft.near'

/** How much later than the requested deadline the deadline of the quote is, in ms. */
const graceMs = 72 * 3_600_000

const Request = z.looseObject({
  dry: z.literal(false),
  swapType: z.literal('EXACT_INPUT'),
  slippageTolerance: z.int().min(0).max(5_000),
  originAsset: z.enum([btcAsset, olderBtcAsset]).transform(() => btcAsset),
  destinationAsset: z.string(),
  amount: z.string().regex(/^[1-9]\d{0,15}$/),
  refundTo: z.string().min(1),
  recipient: CatalogAddress,
  deadline: z.iso.datetime(),
})

type Swap = {
  address: string
  token: Token
  recipient: Address
  amountIn: bigint
  amountOut: bigint
  refundTo: string
  answer: object
  status: string
  paid: bigint
  deposits: string[]
  hash?: Hex
  refund?: string
  /** Whether the status claims a payment that was not made. */
  isLie?: boolean
}

/** Fee of the stand-in, in basis points, and its fee on a refund, in satoshi. */
const feeBps = 30n

const refundFee = 1_500n

/** Minimum deposit, in satoshi. */
const least = 5_000n

const networkNames: Readonly<Record<number, string>> = { 31337: 'sandbox-one', 31338: 'sandbox-two' }

const assetOf = ({ chainId, address, symbol, decimals }: Token) => ({
  assetId: `nep141:${networkNames[chainId]}-${address.toLowerCase()}.omft.near`,
  decimals,
  blockchain: networkNames[chainId]!,
  symbol,
  price: 1,
  priceUpdatedAt: new Date(0).toISOString(),
  ...(!sameAddress(address, nativeAddress) && { contractAddress: address.toLowerCase() }),
})

/**
 * Stands in for 1Click of NEAR Intents below `/1click`, with the shapes of its SDK
 * (npm:@defuse-protocol/one-click-sdk-typescript@0.1.25).
 */
export function openOneClick(
  bitcoin: SandboxBitcoin,
  payouts: Payouts,
  { now, fault }: { now: () => number; fault: () => BitcoinFault | undefined },
): DepositService {
  const swaps = new Map<string, Swap>()
  const tokens = () => [
    {
      assetId: btcAsset,
      decimals: btc.decimals,
      blockchain: 'btc',
      symbol: 'BTC',
      price: 1,
      priceUpdatedAt: '',
    },
    ...payouts.tokens().map(assetOf),
  ]

  const quote = async (body: unknown): Promise<LoopbackAnswer> => {
    const request = Request.safeParse(body).data
    const token = payouts.tokens().find((one) => assetOf(one).assetId === request?.destinationAsset)
    if (!request || !token) return { status: 400, body: { message: 'tokenOut is not valid' } }
    const amountIn = BigInt(request.amount)
    if (amountIn < least)
      return { status: 400, body: { message: `Amount is too low for bridge, try at least ${least}` } }
    const worth = await payouts.worth(amountIn, token)
    if (worth === undefined) return { status: 400, body: { message: 'Failed to get quote' } }
    const amountOut = (worth * (10_000n - feeBps)) / 10_000n
    const address = derivedAddress(`deposit ${randomUUID()}`)
    const timestamp = new Date(now()).toISOString()
    const told = {
      amountIn: String(amountIn),
      amountInFormatted: String(amountIn),
      amountInUsd: '0',
      minAmountIn: String(amountIn),
      amountOut: String(amountOut),
      amountOutFormatted: String(amountOut),
      amountOutUsd: '0',
      minAmountOut: String((amountOut * BigInt(10_000 - request.slippageTolerance)) / 10_000n),
      timeEstimate: 120,
      depositAddress: address,
      deadline: new Date(Date.parse(request.deadline) + graceMs).toISOString(),
      timeWhenInactive: new Date(Date.parse(request.deadline) + graceMs).toISOString(),
      refundFee: String(refundFee),
    }
    const signed = { timestamp, signature: '', quoteRequest: request, quote: told }
    const signature = `ed25519:${base58Text.encode(sign(null, Buffer.from(quoteHash(signed)), key))}`
    const answer = { ...signed, signature, correlationId: randomUUID() }
    const { recipient, refundTo } = request
    swaps.set(address, {
      ...{ address, token, recipient, amountIn, amountOut, refundTo, answer },
      status: 'PENDING_DEPOSIT',
      paid: 0n,
      deposits: [],
    })
    return { status: 201, body: answer }
  }

  const carryOn = async (swap: Swap): Promise<void> => {
    const deposits = bitcoin.to(swap.address)
    swap.deposits = deposits.map(({ txid }) => txid)
    swap.paid = deposits.reduce((sum, { amount, height }) => (height === null ? sum : sum + amount), 0n)
    if (deposits.length > 0 && swap.paid === 0n) swap.status = 'KNOWN_DEPOSIT_TX'
    if (swap.paid === 0n) return
    const wrong = fault()
    if (isFalseReport(wrong)) {
      if (swap.isLie) return
      swap.isLie = true
      if (wrong?.kind === 'bitcoin-lies')
        Object.assign(swap, { status: 'SUCCESS', hash: `0x${randomHash()}` })
      else Object.assign(swap, { status: 'REFUNDED', refund: randomHash() })
      return
    }
    if (swap.isLie) {
      swap.isLie = false
      delete swap.hash
      delete swap.refund
    }
    if (wrong?.kind === 'bitcoin-stuck') {
      swap.status = 'PROCESSING'
      return
    }
    if (swap.paid < swap.amountIn) swap.status = 'INCOMPLETE_DEPOSIT'
    const { quoteRequest } = swap.answer as { quoteRequest: { deadline: string } }
    const isLate = now() > Date.parse(quoteRequest.deadline)
    if (wrong?.kind === 'bitcoin-refund' || (swap.paid < swap.amountIn && isLate)) {
      swap.refund = bitcoin.pay({ address: swap.refundTo, amount: swap.paid - refundFee })
      swap.status = 'REFUNDED'
      return
    }
    if (swap.paid < swap.amountIn) return
    const kept = wrong?.kind === 'bitcoin-short' ? BigInt(wrong.amount) : 0n
    swap.status = 'PROCESSING'
    swap.hash = await payouts.pay(swap.token, swap.recipient, (swap.amountOut * (100n - kept)) / 100n)
    swap.status = 'SUCCESS'
  }

  const status = (address: string): LoopbackAnswer => {
    const swap = swaps.get(address)
    if (!swap) return { status: 404, body: { message: `Deposit address ${address} not found` } }
    const hashes = (all: readonly string[]) => all.map((hash) => ({ hash, explorerUrl: '' }))
    return {
      status: 200,
      body: {
        correlationId: randomUUID(),
        quoteResponse: swap.answer,
        status: swap.status,
        updatedAt: new Date(now()).toISOString(),
        swapDetails: {
          intentHashes: [],
          nearTxHashes: [],
          depositedAmount: String(swap.paid),
          originChainTxHashes: hashes(swap.deposits),
          destinationChainTxHashes: hashes(swap.hash ? [swap.hash] : swap.refund ? [swap.refund] : []),
          ...(swap.refund && {
            refundedAmount: String(swap.paid - refundFee),
            refundReason: 'SANDBOX_FAULT',
          }),
        },
      },
    }
  }

  return {
    settle: async () => {
      for (const swap of swaps.values())
        if (swap.isLie || !['SUCCESS', 'REFUNDED'].includes(swap.status)) await carryOn(swap)
    },
    answer: async ({ path, query, body }) => {
      if (path === '/1click/v0/tokens') return { status: 200, body: tokens() }
      if (path === '/1click/v0/quote') return quote(body)
      if (path === '/1click/v0/status') return status(query.get('depositAddress') ?? '')
      return undefined
    },
  }
}
