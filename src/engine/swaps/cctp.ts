import { z } from 'zod'

import { decodeMessage, depositForBurn, finality } from '../../calls/cctp-v2.ts'
import { type Hex, HexData, sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import type { CctpV2Constants } from '../../domain/catalog.ts'
import { AppError } from '../../domain/errors.ts'
import { receivedOf, type Sought } from '../readings/sought.ts'
import type { Ask, Offer, Route, SwapProvider } from './provider.ts'

/** What the bridge asks of the network: its attestation service, the newest block of a chain, and a log of a chain. */
export type CctpNetwork = {
  attestation: (url: string, signal?: AbortSignal) => Promise<{ status: number; body: unknown }>
  head: (chainId: number) => Promise<bigint>
  /** The first log that is sought from a block on, as far as that is known. */
  log: (chainId: number, sought: Sought, fromBlock: bigint) => Promise<{ transactionHash: Hex } | undefined>
}

type Raw = { speed: 'fast' | 'standard'; maxFee: string; amount: string; destinationFromBlock: string }

const Fees = z.array(z.object({ finalityThreshold: z.number(), minimumFee: z.number().nonnegative() }))
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
      const amounts =
        ask.exact === 'in'
          ? { amountIn: ask.amount, fee: feeOf(ask.amount, rate) }
          : grossUp(ask.amount, rate)
      if (amounts.fee >= amounts.amountIn) {
        if (ask.refund === null) return undefined
        throw new AppError(
          'INSUFFICIENT_AMOUNT_FOR_REFUND',
          `${formatAmount(amounts.amountIn, ask.tokenIn)} does not cover the fee of the bridge, so nothing could be refunded`,
          { details: { fee: amounts.fee.toString() } },
        )
      }
      return offer(ask, amounts, await network.head(ask.to.chainId))
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

/** The fee in hundredths of a basis point: the service may name fractions such as 1.3. */
async function feeRate(
  network: CctpNetwork,
  { here, there }: { here: CctpEnd; there: CctpEnd },
  speed: 'fast' | 'standard',
  signal: AbortSignal,
): Promise<bigint> {
  const { status, body } = await asked(
    network,
    here,
    `/v2/burn/USDC/fees/${here.domain}/${there.domain}`,
    signal,
  )
  const fees = Fees.safeParse(body)
  const fee = fees.data?.find(({ finalityThreshold }) => finalityThreshold === finality[speed])
  if (status !== 200 || !fee) throw wrong('The attestation service did not name its fees', status)
  const rate = BigInt(Math.ceil(fee.minimumFee * 100))
  // Nothing ever comes of a transfer that costs all of itself.
  if (rate >= parts) throw wrong('The attestation service names a fee that is all there is', status)
  return rate
}

const parts = 1_000_000n
const feeOf = (amount: bigint, rate: bigint) => (amount * rate + parts - 1n) / parts

/** The smallest input that brings at least `out` after the fee. */
function grossUp(out: bigint, rate: bigint): { amountIn: bigint; fee: bigint } {
  let amountIn = (out * parts) / (parts - rate)
  while (amountIn - feeOf(amountIn, rate) < out) amountIn += 1n
  return { amountIn, fee: feeOf(amountIn, rate) }
}

function offer(
  { tokenIn, from, speed }: Ask & Route,
  { amountIn, fee }: { amountIn: bigint; fee: bigint },
  head: bigint,
): Offer {
  const raw: Raw = {
    speed,
    maxFee: fee.toString(),
    amount: amountIn.toString(),
    destinationFromBlock: head.toString(),
  }
  const out = amountIn - fee
  return {
    amountIn,
    amountOut: out,
    maxAmountIn: amountIn,
    minAmountOut: out,
    fees:
      fee === 0n
        ? []
        : [{ kind: 'bridge', token: tokenIn.address, chainId: from.chainId, amount: fee.toString() }],
    raw,
  }
}
