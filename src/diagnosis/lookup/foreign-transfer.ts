import { getAddress } from 'viem/utils'
import { blockTime, chainTime } from '../../chain/latest-log.ts'
import { type Address, type Hex, sameAddress } from '../../domain/address.ts'
import { formatAmount, tokenAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import {
  displayNetwork,
  type Network,
  publicNetworks,
  rpcVariable,
  sandboxNetworks,
} from '../../domain/networks.ts'
import { sluice } from '../../domain/text/next-step.ts'
import { tokenAt } from '../../domain/token.ts'
import type { ExecutionContext } from '../../planning/execution-context-types.ts'
import { depositIn } from '../../swaps/across/deposit-and-payout-events.ts'
import { acrossOn } from '../../swaps/across/pairs.ts'
import type { AwaitedTransfer, BridgeDelivery } from '../../swaps/bridge-delivery.ts'
import { sentMessages } from '../../swaps/cctp-v2/attested-messages.ts'
import { type CctpV2Constants, cctpV2Contracts } from '../../swaps/cctp-v2/constants-schema.ts'
import { depositForBurn } from '../../swaps/cctp-v2/encode.ts'
import { contractsIn, contractsOn } from '../../swaps/swap-contracts.ts'
import { followAnyTransfer } from '../../transactions/bridge/pending-delivery.ts'
import { amountText } from '../calls/describe-call.ts'
import { statedFacts } from '../facts/bridge-facts.ts'
import type { BridgeFacts } from '../facts/operation-facts.ts'
import { bridgeFundsText, recipientFundsText } from '../messages/funds-text.ts'
import { commandForOperation } from '../messages/shared-operation-phrases.ts'
import { deliveryRules } from '../rules/awaited-deliveries.ts'
import { type ExplainedTransfer, preSignedOrder } from './foreign-order.ts'
import { foreignFacts, foreignRelayOrder } from './foreign-relay-order.ts'
import type { FoundTransaction } from './transaction-lookup.ts'

/**
 * Explains a transfer that another machine sent, as an own one: a burn of CCTP, a deposit of Across, or an order of CoW Protocol or Relay.
 * `reportedHash` is a delivery that a service reports. `undefined` for any other transaction, and a reverted one.
 */
export async function foreignTransfer(
  context: ExecutionContext,
  hash: Hex,
  found: FoundTransaction,
  reportedHash: Hex | null,
): Promise<ExplainedTransfer | undefined> {
  if (!found.block?.succeeded) return undefined
  return (
    (await foreignBurn(context, hash, found, reportedHash)) ??
    (await foreignDeposit(context, hash, found, reportedHash)) ??
    (await preSignedOrder(context, hash, found, reportedHash)) ??
    (await foreignRelayOrder(context, hash, found, reportedHash))
  )
}

/** A transfer between chains. `refundTo` is who gets a deposit back, `gives` and `least` are in words and in the smallest unit. */
type Stated = {
  way: 'burn' | 'deposit'
  awaited: AwaitedTransfer
  amount: bigint
  token: Address
  minimum: bigint
  refundTo: Address
  at: number
}

/** A burn of CCTP by the message in its receipt, whatever contract made it. */
async function foreignBurn(
  context: ExecutionContext,
  hash: Hex,
  { network, block }: FoundTransaction,
  reportedHash: Hex | null,
): Promise<ExplainedTransfer | undefined> {
  const { catalog } = context
  const here = contractsOn(catalog, cctpV2Contracts, network.chainId)
  if (!here || !block) return undefined
  const [sent, ...others] = sentMessages(block.mined.logs, here)
  if (!sent) return undefined
  if (others.length > 0) {
    const lines = [sent, ...others].map(({ burn: { amount, burnToken, maxFee, ...burn } }) => {
      const there = endOfDomain(catalog, here, burn.destinationDomain)
      const to = there
        ? `for ${burn.mintRecipient} on ${displayNetwork(catalog.networks, there.chainId).name}`
        : `for the domain ${burn.destinationDomain} of CCTP`
      return `${amountText(catalog, network, burnToken, amount)} ${to}, with a fee of at most ${amountText(catalog, network, burnToken, maxFee)}`
    })
    return toldOnly(
      `It holds ${lines.length} burns of CCTP: ${lines.join('; ')}. Whether they were minted is not looked up; the attestation service has each by the hash of the transaction.`,
    )
  }
  const { amount, burnToken, maxFee, mintRecipient: recipient, messageSender } = sent.burn
  const there = endOfDomain(catalog, here, sent.burn.destinationDomain)
  if (!there || !sameAddress(burnToken, here.token)) return undefined
  // The burn as the bridge was called, whatever contract called it.
  const transaction = depositForBurn({
    ...{ chainId: network.chainId, messenger: here.tokenMessenger, amount, domain: there.domain, recipient },
    ...{ burnToken, maxFee, minFinalityThreshold: sent.burn.minFinalityThreshold },
  })
  const awaited = {
    sent: { transaction, wallet: messageSender, hash, blockNumber: block.number },
    arrival: { chainId: there.chainId, token: there.token, recipient },
  }
  const [token, minimum] = [burnToken, amount - maxFee]
  return followed(
    context,
    { way: 'burn', awaited, amount, token, minimum, refundTo: messageSender, at: block.at },
    reportedHash,
  )
}

/** The end of a transfer of CCTP, which its own attestation service serves. */
const endOfDomain = (
  catalog: ExecutionContext['catalog'],
  { attestation }: CctpV2Constants,
  domain: number,
): CctpV2Constants | undefined =>
  contractsIn(catalog, cctpV2Contracts).find(
    (one) => one.domain === domain && one.attestation === attestation,
  )

/** What is told of transfers that are not followed. */
const toldOnly = (verdict: string): ExplainedTransfer => ({ situation: 'FOREIGN', verdict })

const addressIn = (word: Hex): Address | undefined =>
  BigInt(word) >> 160n === 0n ? getAddress(`0x${word.slice(26)}`) : undefined

/** A deposit of Across by its event, whatever contract made it. */
async function foreignDeposit(
  context: ExecutionContext,
  hash: Hex,
  { network, from, call, block }: FoundTransaction,
  reportedHash: Hex | null,
): Promise<ExplainedTransfer | undefined> {
  const { catalog } = context
  const here = acrossOn(catalog, network.chainId)
  if (!here || !block) return undefined
  const [deposit, ...others] = block.mined.logs.flatMap((log) => depositIn([log], here) ?? [])
  if (!deposit) return undefined
  if (others.length > 0) {
    const lines = [deposit, ...others].map((one) => {
      const to = [...catalog.networks, ...publicNetworks].find(
        ({ chainId }) => chainId === one.destinationChainId,
      )
      const paid = addressIn(one.inputToken)
      const out = addressIn(one.outputToken)
      const gives = paid ? amountText(catalog, network, paid, one.inputAmount) : 'an unknown token'
      const least = to && out ? `, at least ${amountText(catalog, to, out, one.outputAmount)}` : ''
      return `the deposit ${one.depositId} of ${gives} for ${addressIn(one.recipient) ?? one.recipient} on ${to?.name ?? `chain ${one.destinationChainId}`}${least}`
    })
    return toldOnly(
      `It holds ${lines.length} deposits of Across: ${lines.join('; ')}. Whether they were paid out is not looked up; the pool of Across on the other network shows each by its number.`,
    )
  }
  const far = deposit.destinationChainId
  const known = [...catalog.networks, ...publicNetworks, ...sandboxNetworks].find(
    ({ chainId }) => chainId === far,
  )
  const [token, refundTo, out, recipient] = [
    deposit.inputToken,
    deposit.depositor,
    deposit.outputToken,
    deposit.recipient,
  ].map(addressIn)
  const there = acrossOn(catalog, far)
  const lacksRpc = known && !catalog.networks.some(({ chainId }) => chainId === far)
  if (lacksRpc) return withoutRpc('deposited', network, known, hash)
  if (!known || !there || !token || !refundTo || !out || !recipient || !tokenAt(catalog.tokens, far, out))
    return toldOnly(
      `Whether it was paid out on ${known?.name ?? `chain ${far}`} cannot be read here: that ${there && recipient ? 'token' : 'network'} is not in the catalogue of Across. The pool of Across there shows it as the deposit ${deposit.depositId} from chain ${network.chainId}.`,
    )
  const transaction = {
    chainId: network.chainId,
    to: here.spokePool,
    data: call.input,
    value: call.value,
  }
  const arrival = { chainId: far, token: out, recipient }
  const awaited = { sent: { transaction, wallet: from, hash, blockNumber: block.number }, arrival }
  const { inputAmount: amount, outputAmount: minimum } = deposit
  return followed(
    context,
    { way: 'deposit', awaited, amount, token, minimum, refundTo, at: block.at },
    reportedHash,
  )
}

/** What is said of a transfer to a network without an RPC; the next step asks again with one. */
const withoutRpc = (
  sent: 'burned' | 'deposited',
  from: Network,
  to: Network,
  hash: Hex,
  more: { funds?: string } = {},
): ExplainedTransfer => ({
  situation: 'FOREIGN',
  verdict: `The transfer was ${sent} on ${from.name}. Whether it was ${sent === 'burned' ? 'minted' : 'paid out'} on ${to.name} cannot be read: no RPC is set for ${to.name} (${rpcVariable(to)}).`,
  next: { ...sluice('action explain', hash), env: { [rpcVariable(to)]: 'URL' } },
  ...more,
})

/**
 * The refund of a deposit, if one pays exactly its amount; the chain does not show which deposit a refund belongs to, so a larger one may
 * include it.
 */
function refundsOf(expiry: BridgeDelivery['expiry'], amount: bigint) {
  const exact = expiry?.refunds.find(({ paid }) => paid === amount)
  return { exact, larger: exact ? undefined : expiry?.refunds.at(0) }
}

/** Follows a transfer to another chain, and explains it by the rules for own ones. */
async function followed(
  context: ExecutionContext,
  { way, awaited, amount, token, minimum, refundTo, at }: Stated,
  reportedHash: Hex | null,
): Promise<ExplainedTransfer> {
  const { catalog, now } = context
  const { sent, arrival } = awaited
  const { hash, transaction } = sent
  const from = displayNetwork(catalog.networks, transaction.chainId)
  const to = displayNetwork(catalog.networks, arrival.chainId)
  const unit = tokenAt(catalog.tokens, from.chainId, token) ?? { symbol: `units of ${token}`, decimals: 0 }
  const delivery = await followAnyTransfer(context, awaited, reportedHash).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'CONFIG_INVALID') return undefined
    throw error
  })
  if (!delivery) {
    const word = way === 'burn' ? 'burned' : 'deposited'
    return withoutRpc(word, from, to, hash, {
      funds: `${formatAmount(amount, unit)}: ${word} on ${from.name} in ${hash}, for ${arrival.recipient} on ${to.name}.${way === 'burn' ? ' No one else can take the funds.' : ''}`,
    })
  }
  const { brought, sentAt, isDelivered, expiry } = delivery
  const delivered = brought && {
    hash: brought.found.hash,
    brought: brought.amount,
    minimum,
    text: formatAmount(brought.amount, tokenAt(catalog.tokens, arrival.chainId, arrival.token) ?? unit),
  }
  if (delivered && delivered.brought >= delivered.minimum)
    return {
      situation: 'FOREIGN',
      verdict: `The bridge delivered on ${to.name}.`,
      funds: recipientFundsText(delivered, to.name),
    }
  const { exact, larger } = refundsOf(expiry, amount)
  const refund = exact && {
    hash: exact.found.hash,
    text: formatAmount(amount, unit),
    paidAt: (await blockTime(context.rpc(from.chainId), exact.found.blockNumber)) ?? null,
  }
  const bridge: BridgeFacts = {
    ...statedFacts(delivery),
    way,
    from,
    to,
    recipient: arrival.recipient,
    burn: hash,
    since: { clock: 'chain', at: sentAt ?? at },
    delivered,
    ...(expiry && { expiry: { at: expiry.at, isPast: expiry.isPast, refund } }),
  }
  const clocks = { machine: now(), chain: await chainTime(context.rpc(from.chainId), now()) }
  const facts = foreignFacts(bridge, refundTo, tokenAmount(amount, unit), clocks)
  const funds = delivered ? recipientFundsText(delivered, to.name) : bridgeFundsText(facts)
  if (isDelivered === true && !delivered)
    return {
      situation: 'FOREIGN',
      verdict: `The bridge delivered on ${to.name}; the transaction was not found.`,
      funds,
    }
  const rule = deliveryRules.find(({ is }) => is(facts))!
  const unsure = larger
    ? ` Since then, the bridge paid ${formatAmount(larger.paid, unit)} to ${refundTo} in ${larger.found.hash}, which may include it.`
    : ''
  // Of the commands for an own action, this one alone takes the hash of a stranger's burn.
  const deliver = commandForOperation(facts, 'deliver')
  return {
    situation: rule.situation,
    verdict: `${rule.verdict(facts)}${unsure}`,
    funds,
    ...(rule.next(facts)?.command === deliver.command && { next: deliver }),
  }
}
