import { decodeEventLog } from 'viem/utils'
import { erc20Abi } from '../../chain/erc20.ts'
import { quantity } from '../../chain/rpc/quantities.ts'
import { type Address, type Hex, nativeAddress, sameAddress } from '../../domain/address.ts'
import type { TransactionCall } from '../../domain/transaction-types.ts'
import { addressTopic, eventTopic } from '../../protocols/shared/encode-topics.ts'
import { fillContractEvents } from './abi.ts'

/** The parts of a transaction that show a payment for an order. */
export type TransactionWithCall = {
  ok: boolean
  logs: readonly { address: Address; topics: readonly Hex[]; data: Hex }[]
  call: TransactionCall
}

/** A payment that an order allows: chain, token and recipient. `extraData` names the contract that pays out a native coin. */
export type PaymentTarget = { chainId: number; token: Address; to: Address; extraData: Hex }

/** The log filter for transfers of a token to an account. */
export const transferQuery = ({ token, to }: Pick<PaymentTarget, 'token' | 'to'>) => ({
  address: token,
  topics: [eventTopic(erc20Abi, 'Transfer'), null, addressTopic(to)] as (Hex | null)[],
})

/** The amount that a transaction paid for an order, in the smallest unit, and the part that is known to come from the solver. */
export type PaidAmounts = { amount: bigint; bySolver: bigint }

/**
 * The amount that a transaction paid for an order, by the rules of Relay's oracle, which pays the solver: the calldata ends with the order
 * id, and the token's events show the amount (`getSolverPaidAmount` of relayprotocol/relay-protocol-oracle). The order id is public, so any
 * account can pay this way. `bySolver` counts transactions that the solver sent and transfers from its address. Transfers to oneself do not
 * count.
 */
export function paidAmountsIn(
  { ok, logs, call }: TransactionWithCall,
  id: Hex,
  { token, to, extraData }: PaymentTarget,
  solver: Address,
): PaidAmounts {
  const [number, input] = [id.toLowerCase().slice(2), call.input.toLowerCase()]
  if (!ok || !input.endsWith(number)) return { amount: 0n, bySolver: 0n }
  const isSolvers = sameAddress(call.from, solver)
  if (sameAddress(token, nativeAddress)) {
    const isPlain = call.to !== null && sameAddress(call.to, to) && input === `0x${number}`
    const amount = isPlain ? call.value : sumOf(logs.map((log) => coinPaid(log, { to, extraData })))
    // The contract that pays out coins does so for any caller.
    return { amount, bySolver: isSolvers ? amount : 0n }
  }
  const { topics } = transferQuery({ token, to })
  const moved = logs.flatMap(({ address, topics: [event, from, payee], data }) =>
    sameAddress(address, token) &&
    event === topics[0] &&
    sameAddress(payee ?? '', topics[2]!) &&
    !sameAddress(from ?? '', topics[2]!)
      ? [{ from: from ?? '', amount: quantity(data, 'an amount that was paid') }]
      : [],
  )
  const from = addressTopic(solver)
  return {
    amount: sumOf(moved.map((one) => one.amount)),
    bySolver: sumOf(moved.filter((one) => isSolvers || sameAddress(one.from, from)).map((one) => one.amount)),
  }
}

/** The amount that the native-coin payout contract paid to an account, from its event. */
function coinPaid(
  { address, topics, data }: TransactionWithCall['logs'][number],
  { to, extraData }: Pick<PaymentTarget, 'to' | 'extraData'>,
): bigint {
  if (extraData.length !== 66 || !sameAddress(address, `0x${extraData.slice(26)}`)) return 0n
  try {
    const eventName = 'SolverNativeTransfer'
    const { args } = decodeEventLog({
      abi: fillContractEvents,
      eventName,
      topics: [...topics] as [Hex, ...Hex[]],
      data,
    })
    return sameAddress(args.to, to) ? args.amount : 0n
  } catch {
    return 0n // Another event of that contract.
  }
}

const sumOf = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, one) => sum + one, 0n)
