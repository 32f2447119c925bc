import { z } from 'zod'

import { decodeMessage, depositForBurn, finality } from '../../calls/cctp-v2.ts'
import { type Hex, HexData, sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import type { CctpV2Constants } from '../../domain/catalog.ts'
import { AppError } from '../../domain/errors.ts'
import { less } from '../../domain/slippage.ts'
import { receivedOf, type Sought } from '../readings/sought.ts'
import { type FeeRate, feeOf, feeRateIn, grossUp, withHeadroom } from './cctp-fee.ts'
import type { Ask, Offer, SwapProvider } from './provider.ts'

/** What the bridge asks of the network: its attestation service, the newest block of a chain, and a log of a chain. */
export type CctpNetwork = {
  attestation: (url: string, signal?: AbortSignal) => Promise<{ status: number; body: unknown; text: string }>
  head: (chainId: number) => Promise<bigint>
  /** The first log that is sought from a block on, as far as that is known. */
  log: (chainId: number, sought: Sought, fromBlock: bigint) => Promise<{ transactionHash: Hex } | undefined>
}

type Raw = { speed: 'fast' | 'standard'; maxFee: string; amount: string; destinationFromBlock: string }

const Messages = z.object({
  messages: z.array(z.object({ message: HexData, eventNonce: z.string(), status: z.string() })),
})

/** An end of the bridge whose attestation service is known. */
export type CctpEnd = CctpV2Constants & { attestation: string }

/** Burn and mint of USDC from one chain to another by CCTP v2. Fast pays the fee that the attestation service names; standard waits for finality. */
export function cctp(deployments: readonly CctpEnd[], network: CctpNetwork): SwapProvider {
  const on = (chainId: number) => deployments.find((deployment) => deployment.chainId === chainId)
  return {
    name: provider,
    supports: ({ from, to, tokenIn, tokenOut }) => {
      const [here, there] = [on(from.chainId), on(to.chainId)]
      return (
        from.chainId !== to.chainId &&
        !!here &&
        !!there &&
        // A main network and a test network may have the same number: what is burnt for one would come out on the other.
        here.attestation === there.attestation &&
        sameAddress(here.token, tokenIn.address) &&
        sameAddress(there.token, tokenOut.address)
      )
    },

    async quote(ask, signal) {
      const [here, there] = [on(ask.from.chainId)!, on(ask.to.chainId)!]
      const rate = await feeRate(network, { here, there }, ask.speed, signal)
      const amountIn = ask.exact === 'in' ? ask.amount : grossUp(ask.amount, rate)
      const fee = feeOf(amountIn, rate)
      if (fee >= amountIn) {
        if (ask.refund === null) return undefined
        throw new AppError(
          'INSUFFICIENT_AMOUNT_FOR_REFUND',
          `${formatAmount(amountIn, ask.tokenIn)} does not cover the fee of the bridge, so nothing could be refunded`,
          { details: { fee: fee.toString() } },
        )
      }
      return offer(ask, { amountIn, fee }, await network.head(ask.to.chainId))
    },

    build({ from, to }, { amountIn, raw }, { recipient }) {
      const [here, there] = [on(from.chainId)!, on(to.chainId)!]
      const { speed, maxFee } = raw as Raw
      return {
        transaction: depositForBurn({
          chainId: from.chainId,
          messenger: here.tokenMessenger,
          amount: amountIn,
          domain: there.domain,
          recipient,
          burnToken: here.token,
          maxFee: BigInt(maxFee),
          minFinalityThreshold: finality[speed],
        }),
        needs: { token: here.token, spender: here.tokenMessenger, amount: amountIn },
      }
    },

    async status({ from, to }, offer, origin, { recipient }) {
      const [here, there] = [on(from.chainId)!, on(to.chainId)!]
      const raw = offer.raw as Raw
      const { status, body } = await asked(
        network,
        here,
        `/v2/messages/${here.domain}?transactionHash=${origin}`,
      )
      if (status === 404) return { status: 'confirmed' }
      const known = Messages.safeParse(body).data
      if (status !== 200 || !known)
        throw wrong('The attestation service did not say where the transfer is', status)
      const ours = known.messages.find(({ message }) => {
        const burn = decodeMessage(message)
        return burn && sameAddress(burn.mintRecipient, recipient) && burn.amount.toString() === raw.amount
      })
      if (ours?.status !== 'complete') return { status: 'processing' }
      const received = await network.log(
        to.chainId,
        receivedOf(there.messageTransmitter, decodeMessage(ours.message)!.nonce),
        BigInt(raw.destinationFromBlock),
      )
      return received
        ? { status: 'fulfilled', destination: received.transactionHash }
        : { status: 'processing' }
    },
  }
}

const provider = 'cctp'

const wrong = (message: string, status: number) =>
  new AppError('PROVIDER_API_ERROR', message, { details: { provider, status } })

/** Asks the attestation service; that it cannot be talked to is the bridge's fault, and not ours. */
async function asked(network: CctpNetwork, { attestation }: CctpEnd, path: string, signal?: AbortSignal) {
  try {
    return await network.attestation(attestation + path, signal)
  } catch (cause) {
    if (cause instanceof AppError && cause.code.startsWith('SERVICE_'))
      throw new AppError('PROVIDER_API_ERROR', 'The attestation service does not answer', {
        details: { provider },
        cause,
      })
    throw cause
  }
}

/** What the attestation service takes for a speed now. */
async function feeRate(
  network: CctpNetwork,
  { here, there }: { here: CctpEnd; there: CctpEnd },
  speed: 'fast' | 'standard',
  signal: AbortSignal,
): Promise<FeeRate> {
  const { status, text } = await asked(
    network,
    here,
    `/v2/burn/USDC/fees/${here.domain}/${there.domain}`,
    signal,
  )
  const rate = status === 200 ? feeRateIn(text, speed) : undefined
  if (!rate) throw wrong('The attestation service did not name its fees', status)
  return rate
}

/** The most that the bridge may keep: the fee, and for a while some more, but never more than may slip. Where what arrives is exact, no more. */
function mostFee({ exact, isSpent, slippage }: Ask, amountIn: bigint, fee: bigint): bigint {
  if (exact === 'out' || isSpent) return fee
  const slips = amountIn - less(amountIn - fee, slippage)
  return [withHeadroom(fee), slips].reduce((a, b) => (a < b ? a : b))
}

function offer(ask: Ask, { amountIn, fee }: { amountIn: bigint; fee: bigint }, head: bigint): Offer {
  const { tokenIn, from, speed } = ask
  const most = mostFee(ask, amountIn, fee)
  const raw: Raw = {
    speed,
    maxFee: most.toString(),
    amount: amountIn.toString(),
    destinationFromBlock: head.toString(),
  }
  return {
    amountIn,
    amountOut: amountIn - fee,
    maxAmountIn: amountIn,
    minAmountOut: amountIn - most,
    fees:
      fee === 0n
        ? []
        : [{ kind: 'bridge', token: tokenIn.address, chainId: from.chainId, amount: fee.toString() }],
    raw,
  }
}
