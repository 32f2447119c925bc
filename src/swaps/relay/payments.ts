import { decodeEventLog } from 'viem/utils'
import { z } from 'zod'
import { erc20Abi } from '../../chain/erc20.ts'
import type { TransactionCall } from '../../chain/finality/mined-transaction.ts'
import { quantity } from '../../chain/rpc/answer-numbers.ts'
import { type Address, Hash, type Hex, nativeAddress, sameAddress } from '../../domain/address.ts'
import { topic, topicOf } from '../../protocols/shared/event-topics.ts'
import { fillContractEvents } from './abi.ts'
import type { RelayDeposit, RelayTerms } from './order.ts'

/** A transaction with its call, as far as a payment for an order is read from it. */
export type PaidBy = {
  ok: boolean
  logs: readonly { address: Address; topics: readonly Hex[]; data: Hex }[]
  call: TransactionCall
}

/** What an order may pay: a token of a chain to an account. `extraData` names the contract that a coin is paid by. */
export type Way = { chainId: number; token: Address; to: Address; extraData: Hex }

/** The filter of the transfers of a token to an account. */
export const transferQuery = ({ token, to }: Pick<Way, 'token' | 'to'>) => ({
  address: token,
  topics: [topicOf(erc20Abi, 'Transfer'), null, topic(to)] as (Hex | null)[],
})

/** What a transaction paid for an order, in the smallest unit, and how much of that is known to be the solver's. */
type Paid = { amount: bigint; bySolver: bigint }

/**
 * What a transaction paid for an order. The amount counts by the rules of Relay's oracle, which pays the solver by them: its calldata ends
 * with the number of the order, and the token's own events show the amount (`getSolverPaidAmount` of relayprotocol/relay-protocol-oracle).
 * Anybody can pay so, as the number is public: the solver's is what it sent, or what the token says came from it. What an account sends to
 * itself is no payment.
 */
export function paidIn(
  { ok, logs, call }: PaidBy,
  id: Hex,
  { token, to, extraData }: Way,
  solver: Address,
): Paid {
  const [number, input] = [id.toLowerCase().slice(2), call.input.toLowerCase()]
  if (!ok || !input.endsWith(number)) return { amount: 0n, bySolver: 0n }
  const isSolvers = sameAddress(call.from, solver)
  if (sameAddress(token, nativeAddress)) {
    const isPlain = call.to !== null && sameAddress(call.to, to) && input === `0x${number}`
    const amount = isPlain ? call.value : sumOf(logs.map((log) => coinPaid(log, { to, extraData })))
    // The contract that pays coins out does so for whoever calls it.
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
  const from = topic(solver)
  return {
    amount: sumOf(moved.map((one) => one.amount)),
    bySolver: sumOf(moved.filter((one) => isSolvers || sameAddress(one.from, from)).map((one) => one.amount)),
  }
}

/** What the contract for paying out coins says that it paid to an account by an event. */
function coinPaid(
  { address, topics, data }: PaidBy['logs'][number],
  { to, extraData }: Pick<Way, 'to' | 'extraData'>,
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

/** How payments are looked up. `transfers` are the transactions that moved a token to an account since the deposit, as far as a node tells. */
export type Chains<Found extends PaidBy> = {
  transaction: (chainId: number, hash: Hex) => Promise<Found | undefined>
  transfers: (way: Way) => Promise<readonly Hex[]>
}

/** A payment for an order. */
export type Payment<Found> = { way: Way; found: Found; amount: bigint }

/**
 * What became of an order, by both chains: what was paid to its recipient, or given back. `told` are transactions that somebody names. One
 * payment of the minimum is a delivery, whoever made it; less than that, and what is given back, counts only from the solver of the
 * catalogue, and is given back where the order may be so in just that way.
 */
export async function outcomeOf<Found extends PaidBy>(
  { id, terms }: RelayDeposit & { terms: RelayTerms },
  solver: Address,
  arrival: { chainId: number; token: Address; recipient: Address },
  chains: Chains<Found>,
  told: readonly Hex[],
): Promise<{ delivered?: Payment<Found>; returned?: Payment<Found> }> {
  const { chainId, token, recipient: to } = arrival
  const payment: Way = { chainId, token, to, extraData: terms.extraData }
  const isSame = (way: Way) =>
    way.chainId === chainId && sameAddress(way.token, token) && sameAddress(way.to, to)
  const refunds = terms.refunds.map(({ chainId: at, currency, recipient, extraData }) => ({
    chainId: Number(at),
    token: currency,
    to: recipient,
    extraData,
  }))
  const arrived = await paymentsBy(payment)
  const delivered = arrived.find(({ amount }) => amount >= terms.minimum)
  if (delivered) return { delivered }
  const short = solversOf(arrived)
  if (short) return refunds.some(isSame) ? { returned: short } : { delivered: short }
  for (const way of refunds.filter((one) => !isSame(one))) {
    const returned = solversOf(await paymentsBy(way))
    if (returned) return { returned }
  }
  return {}

  async function paymentsBy(way: Way): Promise<(Payment<Found> & Paid)[]> {
    const hashes = new Set([...told, ...(await chains.transfers(way))])
    const payments: (Payment<Found> & Paid)[] = []
    for (const hash of hashes) {
      const found = await chains.transaction(way.chainId, hash)
      if (found) payments.push({ way, found, ...paidIn(found, id, way, solver) })
    }
    return payments
  }
}

/** The first of these payments that the solver made. */
function solversOf<Found>(payments: readonly (Payment<Found> & Paid)[]): Payment<Found> | undefined {
  const found = payments.find(({ bySolver }) => bySolver > 0n)
  return found && { ...found, amount: found.bySolver }
}

const Word = z
  .string()
  .regex(/^[A-Z0-9_]{1,60}$/)
  .optional()
  .catch(undefined)

/** What the service says of an order: its word, which may be new, why it failed or was not given back, and the transactions that paid. */
const Said = z.object({
  status: z.string().regex(/^[a-z_-]{1,40}$/i),
  txHashes: z.array(Hash).max(20).catch([]).default([]),
  failReason: Word,
  refundFailReason: Word,
})

/** The same in one text: its word, and the reason against giving back before the other one, which the service calls N/A where it is none. */
export type RelayWord = { word: string; text: string; hashes: readonly Hex[] }

/** Where the service tells what became of an order. */
export const statusPath = (requestId: Hex): string => `/intents/status/v3?requestId=${requestId}`

/** Reads that answer; `undefined` if it is none. */
export function saidIn(body: unknown): RelayWord | undefined {
  const said = Said.safeParse(body).data
  if (!said) return undefined
  const { status: word, txHashes: hashes, failReason, refundFailReason } = said
  const reason = [refundFailReason, failReason].find((one) => one && one !== 'N/A')
  return { word, text: reason ? `${word} (${reason})` : word, hashes }
}
