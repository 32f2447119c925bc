import type { ChainClient } from '../../chain/chain-client.ts'
import {
  findTransaction,
  type MinedTransaction,
  sentCallOf,
} from '../../chain/finality/find-mined-transaction.ts'
import { receivedTokenAmount } from '../../chain/finality/received-token-amount.ts'
import { type Address, type Hex, nativeAddress, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { resultOf } from '../../transactions/bridge/delivery-result.ts'
import { nativeReceived } from '../../transactions/outcome/received-amount.ts'
import type { ChainCheck } from './check-evidence-on-chain.ts'
import type { ParsedEvidence } from './evidence-file-schema.ts'
import type { Evidence } from './make-evidence-file.ts'

/** What a transaction of somebody else pays by the evidence: at least `least` of a token, in its smallest unit, to a recipient. */
type Payout = { chainId: number; hash: Hex; token: Address; recipient: Address; least: bigint }

type EvidenceOperation = Pick<ParsedEvidence['operation'], 'legs'> & { result?: unknown }

/** The payouts of evidence: what arrived from another chain, whole or less than agreed. */
export function payoutsOf({ legs, result }: EvidenceOperation): Payout[] {
  const { short } = resultOf({ result })
  const last = legs.findLast(({ arrival }) => arrival !== null)
  return legs.flatMap((leg) => {
    const { chainId, arrival } = leg
    if (!arrival) return []
    const { token, recipient, minimum, hash } = arrival
    if (hash !== null) return [{ chainId, hash, token, recipient, least: BigInt(minimum) }]
    return short && leg === last
      ? [{ chainId, hash: short.hash, token, recipient, least: BigInt(short.brought.raw) }]
      : []
  })
}

/**
 * The fields of the report that rest on a payment on Bitcoin, which is not read here: the deposit, and the status unless a payout
 * shows it.
 */
export function fieldsOnBitcoin({ operation, report }: Pick<Evidence, 'operation' | 'report'>): string[] {
  if ((report as { deposit?: unknown }).deposit === undefined) return []
  return payoutsOf(operation as EvidenceOperation).length > 0 ? ['deposit'] : ['deposit', 'status']
}

/** Checks on its chain that a payout was made: its token, its recipient, and at least its amount. */
export async function checkPayout(
  rpc: (chainId: number) => ChainClient,
  { chainId, hash, token, recipient, least }: Payout,
): Promise<ChainCheck> {
  const say = (verdict: ChainCheck['verdict'], why: string | null = null): ChainCheck => ({
    hash,
    verdict,
    why,
  })
  try {
    const node = rpc(chainId)
    const found = await findTransaction(node, hash)
    if (!found) return say('unknown', 'the node does not have it')
    if (!found.ok) return say('refuted', 'it reverted')
    const paid = sameAddress(token, nativeAddress)
      ? await nativePaid(node, found, recipient)
      : receivedTokenAmount(found, { token, recipient })
    if (paid === undefined) return say('unknown', `the node does not show how much it paid to ${recipient}`)
    return paid >= least
      ? say('confirmed')
      : say('refuted', `it pays ${paid} units of ${token} to ${recipient}, and not ${least}`)
  } catch (error) {
    if (error instanceof AppError) return say('unknown', error.message)
    throw error
  }
}

/** How much of the native coin a transaction paid to an account; `undefined` if the node does not show it. */
async function nativePaid(
  node: ChainClient,
  found: MinedTransaction,
  recipient: Address,
): Promise<bigint | undefined> {
  const call = await sentCallOf(node, found.hash)
  return call?.to && sameAddress(call.to, recipient) ? call.value : nativeReceived(node, found, recipient)
}
