import { getAddress } from 'viem/utils'
import { strictDecode } from '../../chain/strict-calldata-decoding.ts'
import { type Hex, sameAddress } from '../../domain/address.ts'
import { formatAmount, tokenAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import { displayNetwork, rpcVariable } from '../../domain/networks.ts'
import { tokenAt } from '../../domain/token.ts'
import type { ExecutionContext } from '../../planning/execution-context-types.ts'
import type { BridgeDelivery } from '../../swaps/bridge-delivery.ts'
import { burnAbi } from '../../swaps/cctp-v2/abi.ts'
import { cctpV2Contracts } from '../../swaps/cctp-v2/constants-schema.ts'
import { contractsIn, contractsOn } from '../../swaps/swap-contracts.ts'
import { followAnyTransfer } from '../../transactions/bridge/pending-delivery.ts'
import type { BridgeFacts, Facts } from '../facts/operation-facts-types.ts'
import { recipientFundsText } from '../messages/funds-text.ts'
import { deliveryRules } from '../rules/awaited-deliveries.ts'
import type { Verdict } from '../verdict.ts'
import type { FoundTransaction } from './transaction-lookup.ts'

/** A CCTP transfer that this machine did not start, as its own ones are explained. */
type ExplainedBurn = Pick<Verdict, 'situation' | 'verdict' | 'funds'>

/**
 * Explains a burn of CCTP that another machine sent: its attestation and its mint are looked up as for an own transfer. `reportedHash` is a
 * delivery that a service reports. `undefined` for any other transaction, a reverted one, and a destination that is not known here.
 */
export async function foreignBurn(
  context: ExecutionContext,
  hash: Hex,
  { network, from, call: { to, input, value }, block }: FoundTransaction,
  reportedHash: Hex | null,
): Promise<ExplainedBurn | undefined> {
  const { catalog, now } = context
  const here = contractsOn(catalog, cctpV2Contracts, network.chainId)
  const call = strictDecode(burnAbi, input)
  if (!block?.succeeded || !here || !call || to === null || !sameAddress(to, here.tokenMessenger))
    return undefined
  const [amount, domain, mintRecipient, burnToken, , maxFee] = call.args
  const there = contractsIn(catalog, cctpV2Contracts).find(
    (one) => one.domain === domain && one.attestation === here.attestation,
  )
  const unit = tokenAt(catalog.tokens, network.chainId, burnToken)
  if (!there || !unit) return undefined
  const target = displayNetwork(catalog.networks, there.chainId)
  const recipient = getAddress(`0x${mintRecipient.slice(26)}`)
  const transaction = { chainId: network.chainId, to, data: input, value }
  const awaited = {
    sent: { transaction, wallet: from, hash, blockNumber: block.number },
    arrival: { chainId: there.chainId, token: there.token, recipient },
  }
  let delivery: BridgeDelivery
  try {
    delivery = await followAnyTransfer(context, awaited, reportedHash)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'CONFIG_INVALID') throw error
    return {
      situation: 'FOREIGN',
      verdict: `The transfer was burned on ${network.name}. Whether it was minted on ${target.name} cannot be read: no RPC is set for ${target.name} (${rpcVariable(target)}).`,
      funds: `${formatAmount(amount, unit)}: burned on ${network.name} in ${hash}, for ${recipient} on ${target.name}. No one else can take the funds.`,
    }
  }
  const { brought, sentAt, isDelivered, ...same } = delivery
  const delivered = brought && {
    hash: brought.found.hash,
    brought: brought.amount,
    minimum: amount - maxFee,
    text: formatAmount(brought.amount, unit),
  }
  if (delivered && delivered.brought >= delivered.minimum)
    return {
      situation: 'FOREIGN',
      verdict: `The bridge delivered on ${target.name}.`,
      funds: recipientFundsText(delivered, target.name),
    }
  const bridge: BridgeFacts = {
    way: 'burn',
    from: network,
    to: target,
    recipient,
    burn: hash,
    since: sentAt ?? block.at,
    usualMs: same.usualMs,
    typicalMs: same.typicalMs,
    isUnknown: same.isUnknown,
    isAttested: same.isAttested,
    isMinted: isDelivered,
    delivered,
    ...(same.remedies && { remedies: same.remedies }),
  }
  // The rules for a burn read the bridge, the amount and the clock; nothing else of an operation is known here.
  const facts = {
    bridge,
    now: now(),
    operation: { id: hash, wallet: from, legs: [], steps: [] },
    plan: { about: { amounts: { in: tokenAmount(amount, unit), out: null } } },
    steps: [],
  } as unknown as Facts
  if (isDelivered === true && !delivered)
    return {
      situation: 'FOREIGN',
      verdict: `The bridge delivered on ${target.name}; the transaction was not found.`,
      funds: deliveryRules.find(({ situation }) => situation === 'BRIDGE_UNDELIVERED')!.funds(facts),
    }
  const rule = deliveryRules.find(({ is }) => is(facts))!
  return { situation: rule.situation, verdict: rule.verdict(facts), funds: rule.funds(facts) }
}
