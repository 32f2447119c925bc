import { decodeEventLog, getAddress, padHex } from 'viem/utils'
import { chainTime, maxClockDifferenceMs } from '../../chain/latest-log.ts'
import { type Address, type Hex, nativeAddress, sameAddress } from '../../domain/address.ts'
import { formatAmount, type TokenAmount, tokenAmount } from '../../domain/amount.ts'
import { displayNetwork, publicNetworks, rpcVariable, sandboxNetworks } from '../../domain/networks.ts'
import { sluice } from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { nativeToken } from '../../domain/token.ts'
import type { ExecutionContext } from '../../planning/execution-context-types.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import { keyVariable } from '../../protocols/public-services.ts'
import { awaitRead, type BridgeDelivery, initialDelivery } from '../../swaps/bridge-delivery.ts'
import { depositoryEvents } from '../../swaps/relay/abi.ts'
import type { RelayConstants } from '../../swaps/relay/constants-schema.ts'
import { decodeOrder, isSameOrder, relayOn } from '../../swaps/relay/order.ts'
import { paidAmountsIn } from '../../swaps/relay/payments.ts'
import { paymentsOnChain } from '../../swaps/relay/payments-on-chain.ts'
import { type RelayRequest, requestOfDeposit } from '../../swaps/relay/request-of-deposit.ts'
import { serviceAccess } from '../../swaps/service-access.ts'
import { followAnyTransfer } from '../../transactions/bridge/pending-delivery.ts'
import { amountText, knownToken } from '../calls/describe-call.ts'
import type { BridgeFacts, Facts } from '../facts/operation-facts.ts'
import type { Now } from '../instant.ts'
import { recipientFundsText } from '../messages/funds-text.ts'
import { deliveryRules } from '../rules/awaited-deliveries.ts'
import type { ExplainedTransfer } from './foreign-order.ts'
import type { FoundTransaction } from './transaction-lookup.ts'

type Deposit = { depositor: Address; token: Address; amount: bigint; id: Hex }

/** The deposits of a transaction at Relay's depository, by its events, whatever contract made them. */
const depositsIn = (logs: readonly { address: Address; topics: readonly Hex[]; data: Hex }[], at: Address) =>
  logs.flatMap(({ address, topics, data }): Deposit[] => {
    if (!sameAddress(address, at)) return []
    try {
      const { args } = decodeEventLog({
        abi: depositoryEvents,
        topics: [...topics] as [Hex, ...Hex[]],
        data,
      })
      const token = 'token' in args ? args.token : nativeAddress
      return [{ depositor: args.from, token, amount: args.amount, id: args.id }]
    } catch {
      return [] // Another event of that contract.
    }
  })

/**
 * Explains a deposit at Relay of any wallet. Its service says where the order pays out; only a payment that a chain shows, in a transaction that
 * names the order, counts as one. `undefined` for any other transaction.
 */
export async function foreignRelayOrder(
  context: ExecutionContext,
  hash: Hex,
  found: FoundTransaction,
  reportedHash: Hex | null,
): Promise<ExplainedTransfer | undefined> {
  const { catalog, services = serviceAccess() } = context
  const { network, block } = found
  const here = relayOn(catalog, network.chainId)
  if (!here || !block || reportedHash !== null) return undefined
  const [deposit, ...others] = depositsIn(block.mined.logs, here.depository)
  if (!deposit) return undefined
  if (others.length > 0) {
    const lines = [deposit, ...others].map(
      ({ token, amount, id }) => `${amountText(catalog, network, token, amount)} for the order ${id}`,
    )
    return toldOnly(
      `It holds ${lines.length} deposits at Relay: ${lines.join('; ')}. Whether they were paid out is not looked up; ask Relay, with the ID of each order.`,
    )
  }
  const { id } = deposit
  const asked = here.api === null ? 'silent' : await requestOfDeposit(services, here.api, { hash, id })
  if (typeof asked === 'string')
    return toldOnly(`${unaskedText(here, asked)} Ask Relay, with the order ID ${id}.`)
  const { requestId, payout, said } = asked
  const word = said
    ? ` Relay reports ${sanitizeText(said.text)}${said.hashes.length > 0 ? ` (${said.hashes.join(', ')})` : ''}.`
    : ''
  const ask = ` Ask Relay, with the request ID ${requestId}.`
  if (!payout) return toldOnly(`Where the order pays out is not in the record of Relay.${word}${ask}`)
  const there = [...catalog.networks, ...publicNetworks, ...sandboxNetworks].find(
    ({ chainId }) => chainId === payout.chainId,
  )
  const { token, recipient } = payout
  if (!there || !token || !recipient)
    return toldOnly(
      `The order pays out on ${there?.name ?? `chain ${payout.chainId}`}, which cannot be read here.${word}${ask}`,
    )
  if (!catalog.networks.some(({ chainId }) => chainId === there.chainId))
    return {
      ...toldOnly(
        `The order pays out on ${there.name}, for ${recipient}. Whether it has cannot be read: no RPC is set for ${there.name} (${rpcVariable(there)}).${word}`,
      ),
      next: { ...sluice('action explain', hash), env: { [rpcVariable(there)]: 'URL' } },
    }
  const arrival = { chainId: there.chainId, token, recipient }
  const delivery = await deliveryOf(context, { hash, found, deposit, here, asked, arrival })
  return explained(context, { hash, found, deposit, delivery, arrival, requestId })
}

const toldOnly = (verdict: string): ExplainedTransfer => ({ situation: 'FOREIGN', verdict })

function unaskedText({ api }: RelayConstants, why: 'gone' | 'unknown' | 'silent'): string {
  const unread =
    'Whether Relay has paid the order out cannot be read from the chains, because the call does not state where, in what and to whom'
  if (api === null) return `${unread}, and no service of Relay is set (SLUICE_RELAY_URL).`
  if (why === 'unknown') return `${unread}, and the service of Relay does not know the deposit.`
  return why === 'gone'
    ? `${unread}, and Relay says so only with an API key (${keyVariable('relay')}).`
    : `${unread}, and the service of Relay did not answer.`
}

type Awaited = {
  hash: Hex
  found: FoundTransaction
  deposit: Deposit
  arrival: { chainId: number; token: Address; recipient: Address }
}

/**
 * Follows the order: one whose terms follow the call as an own one, any other by the payments that the service names, each of which must name the order
 * on its chain.
 */
async function deliveryOf(
  context: ExecutionContext,
  { hash, found, deposit, here, asked, arrival }: Awaited & { here: RelayConstants; asked: RelayRequest },
): Promise<BridgeDelivery> {
  const { rpc } = context
  const { network, from, call, block } = found
  const { id, token, depositor } = deposit
  const transaction = { chainId: network.chainId, to: here.depository, data: call.input, value: call.value }
  const own = call.to !== null && sameAddress(call.to, here.depository) ? decodeOrder(transaction) : undefined
  if (own && isSameOrder(own.id, id))
    return followAnyTransfer(
      context,
      { sent: { transaction, wallet: from, hash, blockNumber: block!.number }, arrival },
      null,
    )
  const { said } = asked
  const since = (block!.at - maxClockDifferenceMs) / 1_000
  const chains = paymentsOnChain(rpc, since, awaitRead)
  const unread = new Set(said?.hashes)
  const end = relayOn(context.catalog, arrival.chainId) ?? here
  const routers = [end.router, end.router32].map((router) => padHex(router, { size: 32 }))
  const paid = async (to: Awaited['arrival']) => {
    for (const one of said?.hashes ?? []) {
      const mined = await chains.transaction(to.chainId, one)
      if (!mined) continue
      unread.delete(one)
      const amounts = routers.map(
        (extraData) =>
          paidAmountsIn(
            mined,
            id,
            { chainId: to.chainId, token: to.token, to: to.recipient, extraData },
            here.solver,
          ).amount,
      )
      const amount = amounts.reduce((most, some) => (some > most ? some : most))
      if (amount > 0n) return { found: mined, amount }
    }
    return undefined
  }
  const back = { chainId: network.chainId, token, recipient: depositor }
  const delivered = await paid(arrival)
  const returned = delivered ? undefined : await paid(back)
  return {
    ...initialDelivery('solver', block!.at),
    isDelivered: delivered ? true : returned || (said && unread.size === 0) ? false : undefined,
    brought: delivered && { ...delivered, alike: undefined },
    order: {
      id,
      until: undefined,
      said: said && { word: said.word, text: said.text },
      returned: returned && { ...back, ...returned },
    },
  }
}

/** What was given back for an order: how much, where, to whom and in which transaction. */
function returnedFacts(
  catalog: Catalog,
  back: NonNullable<BridgeDelivery['order']>['returned'],
): NonNullable<BridgeFacts['order']>['returned'] {
  if (!back) return undefined
  const network = displayNetwork(catalog.networks, back.chainId)
  return {
    text: amountText(catalog, network, back.token, back.amount),
    network,
    hash: back.found.hash,
    recipient: getAddress(back.recipient),
  }
}

/**
 * The facts by which the rules for own operations explain a transfer of another wallet. They read its bridge, its amount, its payer and the
 * clocks; nothing else of an operation is known here.
 */
export const foreignFacts = (bridge: BridgeFacts, wallet: Address, amount: TokenAmount, now: Now): Facts =>
  ({
    bridge,
    now,
    operation: { id: bridge.burn, wallet, legs: [], steps: [] },
    plan: { about: { amounts: { in: amount, out: null } } },
    steps: [],
  }) as unknown as Facts

/** Tells the state of an order by the rules for own ones. */
async function explained(
  { catalog, rpc, now }: ExecutionContext,
  {
    hash,
    found,
    deposit,
    delivery,
    arrival,
    requestId,
  }: Awaited & { delivery: BridgeDelivery; requestId: Hex },
): Promise<ExplainedTransfer> {
  const from = found.network
  const to = displayNetwork(catalog.networks, arrival.chainId)
  const { brought, order, isDelivered, usualMs, typicalMs } = delivery
  if (brought)
    return {
      situation: 'FOREIGN',
      verdict: `Relay paid the order out on ${to.name}.`,
      funds: recipientFundsText(
        { text: amountText(catalog, to, arrival.token, brought.amount), hash: brought.found.hash },
        to.name,
      ),
    }
  const bridge: BridgeFacts = {
    way: 'solver',
    from,
    to,
    recipient: arrival.recipient,
    burn: hash,
    since: { clock: 'chain', at: found.block!.at },
    usualMs,
    typicalMs,
    isUnknown: false,
    isAttested: undefined,
    unanswered: delivery.unanswered,
    isMinted: isDelivered,
    delivered: undefined,
    ...(order && { order: { ...order, returned: returnedFacts(catalog, order.returned) } }),
  }
  const unit =
    deposit.token === nativeAddress
      ? nativeToken(from)
      : (knownToken(catalog, from.chainId, deposit.token) ?? {
          symbol: `units of ${deposit.token}`,
          decimals: 0,
        })
  const clocks = { machine: now(), chain: await chainTime(rpc(from.chainId), now()) }
  const facts = foreignFacts(bridge, deposit.depositor, tokenAmount(deposit.amount, unit), clocks)
  const rule = deliveryRules.find(({ is }) => is(facts))!
  const word =
    isDelivered === undefined && order?.said ? ` Relay reports ${sanitizeText(order.said.text)}.` : ''
  const ask = order?.returned ? '' : `${word} The request ID at Relay is ${requestId}.`
  return {
    situation: rule.situation,
    verdict: `${rule.verdict(facts)}${ask}`,
    funds: typeof rule.funds === 'function' ? rule.funds(facts) : formatAmount(deposit.amount, unit),
  }
}
