import { decodeEventLog, encodeAbiParameters, keccak256, parseAbiParameters } from 'viem/utils'
import { transferTopic } from '../../chain/erc20.ts'
import { quantity } from '../../chain/rpc/quantities.ts'
import { type Address, type Hex, sameAddress } from '../../domain/address.ts'
import { addressTopic, eventTopic } from '../../protocols/shared/encode-topics.ts'
import { spokePoolAbi as abi } from './abi.ts'

/** A deposit, decoded from its event on the origin chain. Accounts and tokens are 32-byte words; times are in Unix seconds. */
export type Deposit = {
  originChainId: number
  destinationChainId: number
  depositId: bigint
  depositor: Hex
  recipient: Hex
  exclusiveRelayer: Hex
  inputToken: Hex
  outputToken: Hex
  inputAmount: bigint
  outputAmount: bigint
  fillDeadline: number
  exclusivityDeadline: number
  message: Hex
}

/** A log of a receipt. */
type Log = { address: Address; topics: readonly Hex[]; data: Hex }

type EventName = 'FundsDeposited' | 'FilledRelay' | 'ExecutedRelayerRefundRoot'

/** The arguments of a pool's events with a given name; other logs are skipped. */
const eventsIn = <const name extends EventName>(logs: readonly Log[], pool: Address, eventName: name) =>
  logs.flatMap((log) => {
    if (!sameAddress(log.address, pool) || !sameAddress(log.topics[0] ?? '', eventTopic(abi, eventName)))
      return []
    try {
      const topics = [...log.topics] as [Hex, ...Hex[]]
      return [decodeEventLog({ abi, eventName, topics, data: log.data }).args]
    } catch {
      return [] // Another event with the same first topic.
    }
  })

/** The deposit in a transaction; `undefined` if it has none or several. */
export function depositIn(
  logs: readonly Log[],
  { chainId, spokePool }: { chainId: number; spokePool: Address },
): Deposit | undefined {
  const found = eventsIn(logs, spokePool, 'FundsDeposited')
  const [one] = found
  if (!one || found.length > 1) return undefined
  const { quoteTimestamp: _, destinationChainId, ...rest } = one
  return { ...rest, originChainId: chainId, destinationChainId: Number(destinationChainId) }
}

/** V3RelayData of V3SpokePoolInterface, and the destination chain. */
const relayed = parseAbiParameters([
  'RelayData relayData, uint256 destinationChainId',
  'struct RelayData { bytes32 depositor; bytes32 recipient; bytes32 exclusiveRelayer; bytes32 inputToken; bytes32 outputToken; uint256 inputAmount; uint256 outputAmount; uint256 originChainId; uint256 depositId; uint32 fillDeadline; uint32 exclusivityDeadline; bytes message; }',
])

/** The hash that identifies a deposit in the destination pool (getV3RelayHash of SpokePool). */
export const relayHash = (deposit: Deposit): Hex =>
  keccak256(
    encodeAbiParameters(relayed, [
      { ...deposit, originChainId: BigInt(deposit.originChainId) },
      BigInt(deposit.destinationChainId),
    ]),
  )

/** The amount that a transaction paid to a deposit's recipient, from the pool's event, in the smallest unit; `undefined` without a fill. */
export function filledAmountIn(
  logs: readonly Log[],
  spokePool: Address,
  deposit: Deposit,
): bigint | undefined {
  const fill = eventsIn(logs, spokePool, 'FilledRelay').find(
    ({
      originChainId,
      depositId,
      inputToken,
      outputToken,
      depositor,
      recipient,
      inputAmount,
      outputAmount,
    }) =>
      originChainId === BigInt(deposit.originChainId) &&
      depositId === deposit.depositId &&
      sameAddress(inputToken, deposit.inputToken) &&
      sameAddress(outputToken, deposit.outputToken) &&
      sameAddress(depositor, deposit.depositor) &&
      sameAddress(recipient, deposit.recipient) &&
      inputAmount === deposit.inputAmount &&
      outputAmount === deposit.outputAmount,
  )
  if (!fill) return undefined
  const { updatedRecipient, updatedOutputAmount } = fill.relayExecutionInfo
  return sameAddress(updatedRecipient, deposit.recipient) ? updatedOutputAmount : 0n
}

/** The log filter for the fill of a deposit on its destination chain. */
export const fillQuery = (spokePool: Address, { originChainId, depositId }: Deposit) => ({
  address: spokePool,
  topics: [eventTopic(abi, 'FilledRelay'), asTopic(BigInt(originChainId)), asTopic(depositId)] as Hex[],
})

/** The maximum number of transfers from a pool to a depositor that are checked for a refund. */
export const maxRefundTransfers = 20

/**
 * The log filter for transfers of the deposited token from the pool to the depositor, which include refunds. No event shows which deposit a
 * bundle refunds.
 */
export const refundQuery = (spokePool: Address, { inputToken, depositor }: Deposit) => ({
  address: accountOf(inputToken),
  topics: [transferTopic, addressTopic(spokePool), depositor] as Hex[],
})

/**
 * The amount that a transaction's bundles refunded to a depositor, in the smallest unit: from the pool's event, limited by the token's
 * transfers, because a failed refund stays in the pool. `undefined` if less than the deposit. A bundle adds up all refunds of an account.
 */
export function refundAmountIn(
  logs: readonly Log[],
  spokePool: Address,
  deposit: Deposit,
): bigint | undefined {
  const [token, depositor] = [accountOf(deposit.inputToken), accountOf(deposit.depositor)]
  const named = sumOf(
    eventsIn(logs, spokePool, 'ExecutedRelayerRefundRoot').flatMap((bundle) =>
      bundle.refundAddresses.flatMap((to, at) =>
        sameAddress(bundle.l2TokenAddress, token) && sameAddress(to, depositor)
          ? [bundle.refundAmounts[at] ?? 0n]
          : [],
      ),
    ),
  )
  const { topics } = refundQuery(spokePool, deposit)
  const moved = sumOf(
    logs.flatMap((log) =>
      sameAddress(log.address, token) && topics.every((one, at) => sameAddress(one, log.topics[at] ?? ''))
        ? [quantity(log.data, 'an amount that was paid back')]
        : [],
    ),
  )
  const paid = named < moved ? named : moved
  return paid >= deposit.inputAmount ? paid : undefined
}

const sumOf = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, one) => sum + one, 0n)

/** The address in a 32-byte word. */
export const accountOf = (word: Hex): Address => `0x${word.slice(26)}`

const asTopic = (number: bigint): Hex => `0x${number.toString(16).padStart(64, '0')}`
