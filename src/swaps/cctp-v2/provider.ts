import { z } from 'zod'
import { HexData, sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import type { Offer, OfferRequest, SwapProvider } from '../provider.ts'
import { finality } from './abi.ts'
import {
  attestationServiceError,
  type CctpEnd,
  type CctpNetwork,
  provider,
  requestAttestationService,
  speedPrices,
} from './attestation-client.ts'
import { deliveredAmountIn, deliverySearch } from './delivery-events.ts'
import { depositForBurn } from './encode.ts'
import { decodeMessage } from './message.ts'
import { feeOf, grossUp, maxBridgeFee, type Speed } from './transfer-fees.ts'
import { fastSavingSeconds, transferSeconds } from './transfer-times.ts'

type Raw = { speed: 'fast' | 'standard'; maxFee: string; amount: string; destinationFromBlock: string }

const Messages = z.object({
  messages: z.array(
    z.object({
      message: HexData,
      eventNonce: z.string(),
      status: z.string(),
      delayReason: z.string().nullish().catch(null),
    }),
  ),
})

/**
 * A provider of USDC transfers by CCTP v2. Fast pays the fee of the attestation service; standard waits for finality. Without a requested
 * speed, it offers the speed with the higher output and lists the other.
 */
export function cctp(deployments: readonly CctpEnd[], network: CctpNetwork): SwapProvider {
  const on = (chainId: number) => deployments.find((deployment) => deployment.chainId === chainId)
  return {
    name: provider,
    asksService: true,
    supports: ({ from, to, tokenIn, tokenOut }) => {
      const [here, there] = [on(from.chainId), on(to.chainId)]
      return (
        from.chainId !== to.chainId &&
        !!here &&
        !!there &&
        // Mainnet and testnet chains share domain numbers, so both chains must use the same attestation service.
        here.attestation === there.attestation &&
        sameAddress(here.token, tokenIn.address) &&
        sameAddress(there.token, tokenOut.address)
      )
    },

    async quote(ask, signal) {
      const [here, there] = [on(ask.from.chainId)!, on(ask.to.chainId)!]
      const prices = await speedPrices(network, { here, there }, ask.speed, signal)
      const costs = prices.map(({ speed, rate, forwarding }): Cost => {
        const amountIn = ask.exact === 'in' ? ask.amount : grossUp(ask.amount + forwarding, rate)
        const fee = feeOf(amountIn, rate)
        return { speed, amountIn, fee, forwarding, cost: fee + forwarding }
      })
      const [cheapest, ...others] = costs
        .filter(({ amountIn, cost }) => cost < amountIn)
        .sort((a, b) => Number(a.cost - b.cost))
      if (cheapest)
        return offer(ask, cheapest, await network.head(ask.to.chainId), {
          others,
          savesSeconds: fastSavingSeconds(here.domain),
          seconds: transferSeconds(here.domain, cheapest.speed),
        })
      if (ask.refund === null) return undefined
      const [{ amountIn, cost }] = costs as [Cost]
      throw new AppError(
        'INSUFFICIENT_AMOUNT_FOR_REFUND',
        `${formatAmount(amountIn, ask.tokenIn)} does not cover the fee of the bridge, so a refund would be impossible`,
        { details: { fee: cost.toString() } },
      )
    },

    async build({ from, to }, { amountIn, raw }, { recipient }) {
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
          isForwarded: true,
        }),
        needs: { token: here.token, spender: here.tokenMessenger, amount: amountIn },
      }
    },

    async status({ from, to }, offer, origin, { recipient }) {
      const [here, there] = [on(from.chainId)!, on(to.chainId)!]
      const raw = offer.raw as Raw
      const { status, body } = await requestAttestationService(
        network,
        here,
        `/v2/messages/${here.domain}?transactionHash=${origin}`,
      )
      if (status === 404) return { status: 'confirmed' }
      const known = Messages.safeParse(body).data
      if (status !== 200 || !known)
        throw attestationServiceError(
          'The attestation service did not return the status of the transfer',
          status,
        )
      const ours = known.messages.find(({ message }) => {
        const burn = decodeMessage(message)
        return burn && sameAddress(burn.mintRecipient, recipient) && burn.amount.toString() === raw.amount
      })
      if (!ours) return { status: 'processing' }
      if (ours.status !== 'complete') {
        const said = [ours.status, ours.delayReason].filter((word) => word).join(', ')
        return { status: 'processing', said }
      }
      const delivery = deliverySearch(there.messageTransmitter, decodeMessage(ours.message)!.nonce)
      network.awaited?.(to.chainId, delivery.query)
      const received = await network.log(to.chainId, delivery, BigInt(raw.destinationFromBlock))
      const brought = received && deliveredAmountIn(received)
      if (brought === undefined) return { status: 'processing' }
      // A delivery below the agreed minimum has failed: no more will arrive.
      const isShort = brought < offer.minAmountOut
      return { status: isShort ? 'failed' : 'fulfilled', destination: received!.transactionHash }
    },
  }
}

/** The gas of a burn, in units: the 99th percentile over three months, by `@circle-fin/provider-cctp-v2` 1.14.0. */
const burnGas = 112_000n

/** The cost of a transfer at a speed: the bridge fee, the delivery fee (`forwarding`) and their sum. */
type Cost = { speed: Speed; amountIn: bigint; fee: bigint; forwarding: bigint; cost: bigint }

function offer(
  ask: OfferRequest,
  { speed, amountIn, fee, forwarding, cost }: Cost,
  head: bigint,
  {
    others,
    savesSeconds,
    seconds,
  }: { others: readonly Cost[]; savesSeconds: number | null; seconds: number | null },
): Offer {
  const { tokenIn, from } = ask
  const most = maxBridgeFee(ask, amountIn, { fee, forwarding })
  const raw: Raw = {
    speed,
    maxFee: most.toString(),
    amount: amountIn.toString(),
    destinationFromBlock: head.toString(),
  }
  return {
    amountIn,
    amountOut: amountIn - cost,
    maxAmountIn: amountIn,
    minAmountOut: amountIn - most,
    fees: Object.entries({ bridge: fee, delivery: forwarding }).flatMap(([kind, amount]) =>
      amount === 0n
        ? []
        : [{ kind, token: tokenIn.address, chainId: from.chainId, amount: amount.toString() }],
    ),
    raw,
    gas: burnGas,
    seconds,
    // A more expensive speed is an alternative only if it is faster.
    alternatives: others
      .filter((other) => other.speed === 'fast' && savesSeconds !== 0)
      .map((other) => ({
        transferSpeed: other.speed,
        amountIn: other.amountIn,
        amountOut: other.amountIn - other.cost,
        savesSeconds,
      })),
  }
}
