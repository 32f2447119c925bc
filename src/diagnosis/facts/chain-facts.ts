import { setTimeout as sleep } from 'node:timers/promises'
import type { ChainClient } from '../../chain/chain-client.ts'
import {
  checkFinality,
  checkNonceLost,
  type FinalityDepth,
  type RequiredDepth,
} from '../../chain/finality/finality.ts'
import { confirmationsOf, findAttempt, findTransaction } from '../../chain/finality/find-mined-transaction.ts'
import { checkInclusionBlock } from '../../chain/finality/inclusion-check.ts'
import { lookupTimeoutMs } from '../../chain/finality/quorum.ts'
import { readHead, readHeader } from '../../chain/head.ts'
import { readNonceCount } from '../../chain/nonce-count.ts'
import { quantity } from '../../chain/rpc/quantities.ts'
import { nodeTimeoutMs, undefinedIfUnanswered, withTimeout } from '../../chain/rpc/timeouts.ts'
import { type Address, type Hex, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { Network } from '../../domain/networks.ts'
import type { Attempt, Step } from '../../store/journal/operation-types.ts'
import { findNonceUse, transactionByNonce } from '../../transactions/nonces/nonce-use.ts'
import { minedRevertReason } from '../revert-cause.ts'
import type { ChainFacts, NonceOwner, OnChainFacts } from './operation-facts.ts'

/** The foreign transaction that uses the nonce of a step, if a node names it. `lostTo` is the one in the journal. */
async function foreignTransactionAt(
  rpc: ChainClient,
  network: Network,
  { wallet, nonce }: Step,
  attempts: readonly Attempt[],
  { latest, lostTo }: { latest: number; lostTo?: Hex | undefined },
): Promise<NonceOwner | undefined> {
  if (nonce === null) return undefined
  const isOurs = (hash: Hex) => attempts.some((attempt) => sameAddress(attempt.hash, hash))
  if (latest <= nonce) {
    const waits = await transactionByNonce(rpc, wallet, nonce)
    return waits?.hash && !waits.blockNumber && !isOurs(waits.hash)
      ? { hash: waits.hash, blockNumber: null, isDeep: false }
      : undefined
  }
  const known = lostTo && !isOurs(lostTo) ? await findTransaction(rpc, lostTo) : undefined
  const use = known
    ? { is: 'used' as const, hash: known.hash, at: known.blockNumber }
    : await findNonceUse(rpc, wallet, nonce, latest)
  if (use.is !== 'used' || isOurs(use.hash)) return undefined
  const { hash, at } = use
  const { deep, unlike } = await checkNonceLost(
    rpc,
    { at, hash, by: rpc.host },
    network.depth,
    lookupTimeoutMs,
  )
  return { hash, blockNumber: at, isDeep: deep, ...(unlike && { unlike }) }
}

/** The superseding hash in the journal. */
type Known = { lostTo?: Hex | undefined }

/** Reads the head of a chain, or why it cannot be read. */
export async function readChainFacts(rpc: ChainClient, network: Network): Promise<ChainFacts> {
  try {
    const head = await withTimeout(readHead(rpc, network.chainId))
    return head
      ? { network, is: 'there', head }
      : { network, is: 'silent', why: `no answer within ${nodeTimeoutMs / 1000} s` }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'CHAIN_ID_MISMATCH') return { network, is: 'another', why: error.message }
    if (error.code.startsWith('RPC_')) return { network, is: 'silent', why: error.message }
    throw error
  }
}

/** Reads the on-chain state of a signed step; `undefined` if its node stopped answering. */
export const readStepFacts = (
  rpc: ChainClient,
  network: Network,
  step: Step,
  attempts: readonly Attempt[],
  depth: FinalityDepth,
  known: Known = {},
): Promise<OnChainFacts | undefined> =>
  undefinedIfUnanswered(withTimeout(readTwice(rpc, network, step, attempts, depth, known)))

/** Reads once more after a moment if nothing is found: a new block becomes visible bit by bit. */
async function readTwice(...asked: Parameters<typeof readOnce>): Promise<OnChainFacts> {
  const seen = await readOnce(...asked)
  if (seen.found || seen.waiting || seen.owner) return seen
  await sleep(300)
  return readOnce(...asked)
}

async function readOnce(
  rpc: ChainClient,
  network: Network,
  step: Step,
  attempts: readonly Attempt[],
  depth: FinalityDepth,
  known: Known,
): Promise<OnChainFacts> {
  const latest = await readNonceCount(rpc, step.wallet)
  const wanted = { wanted: depth, usual: network.depth }
  const found = await findAttempt(rpc, step, attempts)
  if (found) {
    const attempt = attempts.find(({ hash }) => sameAddress(hash, found.hash))!
    const shown = { ...found, by: rpc.host }
    const { deep, unlike } = await checkFinality(rpc, shown, wanted, lookupTimeoutMs)
    const isMoved = step.inclusion !== null && !sameAddress(step.inclusion.blockHash, found.blockHash)
    return {
      found: {
        ...found,
        isDeep: deep,
        ...(unlike && { unlike }),
        confirmations: await confirmationsOf(rpc, found.blockNumber),
        kind: attempt.kind,
      },
      ...(await minedRevertReason(rpc, step, found, attempt)),
      ...(isMoved ? await reorganisedState(rpc, step) : { isGone: false }),
      latest,
    }
  }
  const { waiting, withoutReceipt } = await shownAttempt(rpc, attempts)
  const owner =
    waiting === undefined
      ? await foreignTransactionAt(rpc, network, step, attempts, { latest, ...known })
      : undefined
  return {
    reason: null,
    isOutOfGas: false,
    ...(waiting !== undefined && { waiting }),
    ...(withoutReceipt && { withoutReceipt }),
    ...(owner && { owner }),
    ...(await reorganisedState(rpc, step, wanted)),
    ...((await lacksBlock(rpc, step)) && { lacksBlock: true }),
    latest,
    ...(latest < (step.nonce ?? 0) && (await nextPending(rpc, step.wallet, latest))),
  }
}

/**
 * Whether the block of a final step left the chain, or nodes differ; with `wanted`, if the step is not found, also whether
 * another node shows another end.
 */
async function reorganisedState(
  rpc: ChainClient,
  step: Step,
  wanted?: RequiredDepth,
): Promise<Pick<OnChainFacts, 'isGone' | 'disputed'>> {
  const { inclusion, state } = step
  if (!isFinal(step) || !inclusion) return { isGone: false }
  const kept = await checkInclusionBlock(rpc, step.inclusion)
  if (kept.is === 'disputed') return { isGone: false, disputed: kept.unlike }
  if (kept.is === 'gone' || !wanted) return { isGone: kept.is === 'gone' }
  const noted = { ...inclusion, ok: state !== 'FINAL_REVERTED', by: rpc.host }
  const { unlike } = await checkFinality(rpc, noted, wanted, lookupTimeoutMs)
  return { isGone: false, ...(unlike && { disputed: unlike }) }
}

/** Whether the node has a pending transaction at the next nonce; empty if it does not answer. */
async function nextPending(
  rpc: ChainClient,
  wallet: Address,
  latest: number,
): Promise<{ isNextWaiting?: boolean }> {
  const pending = await undefinedIfUnanswered(readNonceCount(rpc, wallet, 'pending'))
  return pending !== undefined && pending >= latest ? { isNextWaiting: pending > latest } : {}
}

/** Whether the node lacks the block of a step. That proves nothing: another node behind its address may have it. */
async function lacksBlock(rpc: ChainClient, { inclusion }: Step): Promise<boolean> {
  if (!inclusion) return false
  const block = await readHeader(rpc, inclusion.blockNumber)
  return block === null
}

const isFinal = ({ state }: Step): boolean => state.startsWith('FINAL_') || state === 'CANCELLED'

/** The newest attempt that the node shows without a receipt: in its mempool, or in a block. */
async function shownAttempt(
  rpc: ChainClient,
  attempts: readonly Attempt[],
): Promise<Pick<OnChainFacts, 'waiting' | 'withoutReceipt'>> {
  for (const { hash } of attempts.toReversed()) {
    const shown = await rpc.request<{ blockNumber?: string | null } | null>('eth_getTransactionByHash', [
      hash,
    ])
    if (!shown) continue
    const at = shown.blockNumber ?? null
    if (at === null) return { waiting: hash }
    return { withoutReceipt: { hash, blockNumber: Number(quantity(at, 'the block of a transaction')) } }
  }
  return {}
}
