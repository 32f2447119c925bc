import { decodeEventLog } from 'viem/utils'
import { z } from 'zod'
import { ask } from '../../chain/ask.ts'
import { transferTopic } from '../../chain/erc20.ts'
import { findTransaction } from '../../chain/finality/find-mined-transaction.ts'
import { readFromFreshest } from '../../chain/freshest-node.ts'
import { maxClockDifferenceMs, readLogsBack } from '../../chain/latest-log.ts'
import { Hash, type Hex, nativeAddress, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { displayNetwork, networkNamed } from '../../domain/networks.ts'
import { tokenAt } from '../../domain/token.ts'
import { pricesOf } from '../../protocols/oracle-prices.ts'
import { addressTopic, eventTopic } from '../../protocols/shared/encode-topics.ts'
import type { OrderCall, OrderReads, OrderRules } from '../definition.ts'
import { providerApi } from '../provider-api.ts'
import { depositoryEvents, longestWindow } from './abi.ts'
import { decodeOrder, isSameOrder, type RelayDeposit, type RelayTerms, relayOn } from './order.ts'
import { findOrderOutcome } from './order-outcome.ts'
import { paymentsOnChain } from './payments-on-chain.ts'
import { refusals } from './refusals.ts'
import { isPathGone, requestPath, retiredError } from './service-status.ts'

type RelayOrder = RelayDeposit & { terms: RelayTerms }

/** The longest life of a quote, in seconds, with its rounding. */
const quoteLife = 302

/**
 * The earliest time at which an order can have been used, in Unix seconds: an order whose deadline is later than `longestWindow` after the
 * quote is never signed.
 */
const earliestUse = ({ deadline }: RelayTerms): number =>
  Math.max(0, deadline - longestWindow - quoteLife - maxClockDifferenceMs / 1_000)

/** The orders of Relay, named by their hashes. The depository takes any number of deposits for one, but a solver pays it once. */
export const relayOrders: OrderRules = {
  idIn: (transaction) => decodeOrder(transaction)?.id.toLowerCase(),
  findUse: async (reads, call) => {
    const order = decodeOrder(call.transaction)!
    const [deposit, payment] = await Promise.all([
      findDeposit(reads, call, order),
      findPayment(reads, call, order),
    ])
    if (deposit) return `the depository has a deposit for it (${deposit})`
    return payment && `it was already paid out or refunded (${payment})`
  },
  findFault: async ({ rpc, catalog }, { transaction, tokenIn, tokenOut }) => {
    const { refunds } = decodeOrder(transaction)!.terms
    for (const { chainId: of, currency } of refunds) {
      const chainId = Number(of)
      const isSwapped = [tokenIn, tokenOut].some(
        (one) => one.chainId === chainId && sameAddress(one.address, currency),
      )
      if (isSwapped || sameAddress(currency, nativeAddress)) continue
      const token = tokenAt(catalog.tokens, chainId, currency)
      const network = networkNamed(catalog.networks, chainId)
      const prices =
        token && (await ask({ network, rpc: readFromFreshest(rpc(chainId)) }, pricesOf(catalog, token)))
      if (prices?.last == null)
        return `can be refunded in ${token?.symbol ?? currency} (${currency}) on ${displayNetwork(catalog.networks, chainId).name}, which is neither a token of this swap nor one with a known price`
    }
    return undefined
  },
  findDenial: async ({ catalog, exchangeJson, hasKey }, { transaction }) => {
    const here = relayOn(catalog, transaction.chainId)
    const { id, terms } = decodeOrder(transaction)!
    if (!here || here.api === null)
      return { denied: 'no service of Relay is set that could vouch for it (SLUICE_RELAY_URL)' }
    const api = providerApi(
      { provider: 'relay', label: 'Relay', service: 'relay', base: here.api, headers: {}, refusals },
      exchangeJson,
    )
    const answer = await api.get(requestPath(terms.requestId, hasKey('relay')))
    const { status, body } = answer
    if (!hasKey('relay') && isPathGone(answer)) throw retiredError('/requests/v2', status)
    const listed = Requests.safeParse(body).data
    if (!listed || status !== 200)
      throw new AppError(
        'PROVIDER_API_ERROR',
        'The service of Relay did not say whether it knows this order',
        {
          details: { provider: 'relay', status },
        },
      )
    const found = listed.requests.find((one) => isSameOrder(one.id, terms.requestId))
    if (!found) return { denied: `Relay does not know its request ${terms.requestId}` }
    if (!isSameOrder(found.protocol?.orderId ?? '0x', id))
      return { denied: 'Relay has another order under its request' }
    return found.status === 'waiting' ? undefined : { used: `Relay has its deposit (${found.status})` }
  },
}

/** The used fields of a `/requests/v2` or `/requests/v3` response (`@relayprotocol/relay-sdk` 7.0.3, api.d.ts). */
const Requests = z.object({
  requests: z.array(
    z.object({
      id: Hash,
      status: z.string().regex(/^[a-z_-]{1,40}$/i),
      protocol: z.object({ orderId: Hash }).optional(),
    }),
  ),
})

/** The most deposits of a wallet that are compared with an order. */
const mostDeposits = 200

/** The transaction that deposited for an order from the same wallet; `undefined` if there is none. */
async function findDeposit(
  { rpc }: OrderReads,
  { transaction: { chainId, to: depository } }: OrderCall,
  { depositor, token, id, terms }: RelayOrder,
): Promise<Hex | undefined> {
  const node = rpc(chainId)
  const since = earliestUse(terms)
  // Deposits of the native coin leave no transfer, so the depository's own events are read.
  if (sameAddress(token, nativeAddress)) {
    let found: Hex | undefined
    const filter = { address: depository, topics: [eventTopic(depositoryEvents, 'RelayNativeDeposit')] }
    await readLogsBack(node, filter, since, ({ data, topics, transactionHash }) => {
      if (isDepositFor(id, { address: depository, data, topics }, depository)) found = transactionHash
      return found !== undefined
    })
    return found
  }
  const hashes = new Set<Hex>()
  const filter = {
    address: token,
    topics: [transferTopic, addressTopic(depositor), addressTopic(depository)],
  }
  await readLogsBack(node, filter, since, ({ transactionHash }) => {
    hashes.add(transactionHash)
    return hashes.size >= mostDeposits
  })
  for (const hash of hashes) {
    const mined = await findTransaction(node, hash)
    if (mined?.ok && mined.logs.some((log) => isDepositFor(id, log, depository))) return hash
  }
  return undefined
}

type Log = { address: Hex; topics: readonly Hex[]; data: Hex }

/** Whether a log of the depository is a deposit for an order. */
function isDepositFor(id: Hex, { address, topics, data }: Log, depository: Hex): boolean {
  if (!sameAddress(address, depository)) return false
  try {
    const { args } = decodeEventLog({ abi: depositoryEvents, topics: [...topics] as [Hex, ...Hex[]], data })
    return isSameOrder(args.id, id)
  } catch {
    return false // Another event of that contract.
  }
}

/** The transaction that paid out or refunded an order, whoever deposited for it; `undefined` if there is none. */
async function findPayment(
  { rpc, catalog }: OrderReads,
  { transaction: { chainId }, tokenOut, recipient }: OrderCall,
  order: RelayOrder,
): Promise<Hex | undefined> {
  const arrival = { chainId: tokenOut.chainId, token: tokenOut.address, recipient }
  const { solver } = relayOn(catalog, chainId)!
  const chains = paymentsOnChain(rpc, earliestUse(order.terms), (work) => work)
  const { delivered, returned } = await findOrderOutcome(
    { order, solver, arrival },
    chains,
    async () => undefined,
    [],
  )
  return (delivered ?? returned)?.found.hash
}
