import { encodeFunctionData, numberToHex } from 'viem/utils'
import { z } from 'zod'
import { approve } from '../chain/erc20.ts'
import { type Address, CatalogAddress, type Hex, nativeAddress, sameAddress } from '../domain/address.ts'
import { depositoryAbi } from '../swaps/relay/abi.ts'
import type { RelayEnds, RelayTerms } from '../swaps/relay/order.ts'
import type { LoopbackAnswer } from './loopback-server.ts'

/** The request of a quote, as far as the program sends it. */
export const RelayQuoteRequest = z.object({
  user: CatalogAddress,
  recipient: CatalogAddress,
  refundTo: CatalogAddress,
  originChainId: z.int(),
  destinationChainId: z.int(),
  originCurrency: CatalogAddress,
  destinationCurrency: CatalogAddress,
  amount: z.string().regex(/^[1-9]\d{0,76}$/),
  tradeType: z.literal('EXACT_INPUT'),
  slippageTolerance: z.string().regex(/^\d{1,4}$/),
  explicitDeposit: z.literal(true),
  disableOriginSwaps: z.literal(true),
  includeProtocolData: z.literal(true),
})
export type RelayQuoteRequest = z.output<typeof RelayQuoteRequest>

/**
 * The same quote in the shape of `/quote/v3`: each step has its call in itself, the order is `protocol`, and the fees have the names of
 * `/requests/v3`.
 */
export function flat({ status, body }: LoopbackAnswer): LoopbackAnswer {
  if (status !== 200) return { status, body }
  const { steps, fees, protocol, ...rest } = body as ReturnType<typeof quoteBody>
  const { currency } = fees.relayer
  const part = ({ amount }: { amount: string }) => ({ amount })
  return {
    status,
    body: {
      ...rest,
      steps: steps.map(({ items: [item], ...step }) => ({ ...step, ...item!.data })),
      fees: {
        quoted: {
          execution: part(fees.relayerGas),
          platform: part(fees.relayerService),
          app: part(fees.app),
        },
        currency,
      },
      protocol: protocol.v2,
    },
  }
}

/** A quote in the shape of the service: the calls to sign, the fees, and the order. */
export function quoteBody(
  asked: RelayQuoteRequest,
  [here, there]: RelayEnds,
  { id, terms, fees }: { id: Hex; terms: RelayTerms; fees: { service: bigint; gas: bigint } },
) {
  const { user, originCurrency: token, recipient, destinationCurrency } = asked
  const amount = BigInt(asked.amount)
  const isCoin = sameAddress(token, nativeAddress)
  const data = isCoin
    ? encodeFunctionData({ abi: depositoryAbi, functionName: 'depositNative', args: [user, id] })
    : encodeFunctionData({
        abi: depositoryAbi,
        functionName: 'depositErc20',
        args: [user, token, amount, id],
      })
  const step = (name: string, to: Address, call: Hex, value: bigint) => ({
    id: name,
    kind: 'transaction',
    requestId: terms.requestId,
    items: [
      {
        status: 'incomplete',
        data: { from: user, to, data: call, value: String(value), chainId: here.chainId },
      },
    ],
  })
  const allowed = approve({ chainId: here.chainId, token, spender: here.depository, amount })
  const fee = (units: bigint) => ({
    currency: { chainId: here.chainId, address: token },
    amount: String(units),
  })
  const nameOf = (chainId: bigint) => (chainId === BigInt(here.chainId) ? here.chain : there.chain)
  return {
    steps: [
      ...(isCoin ? [] : [step('approve', token, allowed.data, 0n)]),
      step('deposit', here.depository, data, isCoin ? amount : 0n),
    ],
    fees: {
      gas: { currency: { chainId: here.chainId, address: nativeAddress }, amount: '1000000000' },
      relayer: fee(fees.service + fees.gas),
      relayerGas: fee(fees.gas),
      relayerService: fee(fees.service),
      app: fee(0n),
    },
    details: { operation: 'swap', sender: user, recipient, timeEstimate: 2 },
    protocol: {
      v2: {
        orderId: id,
        hubType: 'onchain',
        orderData: {
          version: 'v1',
          solverChainId: here.solverChain,
          solver: here.solver,
          salt: numberToHex(terms.salt, { size: 32 }),
          inputs: [
            {
              payment: { chainId: here.chain, currency: token, amount: asked.amount, weight: '1' },
              refunds: terms.refunds.map(({ chainId, minimum, ...refund }) => ({
                ...refund,
                chainId: nameOf(chainId),
                minimumAmount: String(minimum),
              })),
            },
          ],
          output: {
            chainId: there.chain,
            payments: [
              {
                recipient,
                currency: destinationCurrency,
                minimumAmount: String(terms.minimum),
                expectedAmount: String(terms.expected),
              },
            ],
            calls: [],
            deadline: terms.deadline,
            extraData: terms.extraData,
          },
          fees: [],
        },
        paymentDetails: {
          chainId: here.chain,
          depository: here.depository,
          currency: token,
          amount: asked.amount,
        },
      },
    },
  }
}
