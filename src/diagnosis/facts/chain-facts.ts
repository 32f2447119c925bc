import { setTimeout as sleep } from 'node:timers/promises'
import { readHead } from '../../chain/fees.ts'
import { hexQuantity, quantity } from '../../chain/rpc/answer-numbers.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { ifAnswered, patienceMs, within } from '../../chain/rpc/timeouts.ts'
import { type Address, type Hex, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { Network } from '../../domain/networks.ts'
import type { Attempt, Step } from '../../store/journal/operation.ts'
import { finalityOf, isNonceLost, type Wanted } from '../../transactions/confirmation/finality.ts'
import { confirmationsOf, findOnChain, findStep } from '../../transactions/confirmation/find-transaction.ts'
import { lookMs } from '../../transactions/confirmation/quorum.ts'
import { seenIfSaid, whoUsed } from '../../transactions/nonces/nonce-use.ts'
import { keptBlock } from '../../transactions/reorganisations.ts'
import type { Depth } from '../../transactions/run.ts'
import { reasonOf } from '../revert-cause.ts'
import type { ChainFacts, Owner, Seen } from './facts.ts'

/** The transaction that has the nonce of a step and is none of its attempts, where a node names it. `lostTo` is what the journal says that the nonce was lost to. */
async function strangerAt(
  rpc: Rpc,
  network: Network,
  { wallet, nonce }: Step,
  attempts: readonly Attempt[],
  { latest, lostTo }: { latest: number; lostTo?: Hex | undefined },
): Promise<Owner | undefined> {
  if (nonce === null) return undefined
  const isOurs = (hash: Hex) => attempts.some((attempt) => sameAddress(attempt.hash, hash))
  if (latest <= nonce) {
    const waits = await seenIfSaid(rpc, wallet, nonce)
    return waits?.hash && !waits.blockNumber && !isOurs(waits.hash)
      ? { hash: waits.hash, blockNumber: null, isDeep: false }
      : undefined
  }
  const known = lostTo && !isOurs(lostTo) ? await findOnChain(rpc, lostTo) : undefined
  const use = known
    ? { is: 'used' as const, hash: known.hash, at: known.blockNumber }
    : await whoUsed(rpc, wallet, nonce, latest)
  if (use.is !== 'used' || isOurs(use.hash)) return undefined
  const { hash, at } = use
  const { deep, unlike } = await isNonceLost(rpc, { at, hash, by: rpc.host }, network.depth, lookMs)
  return { hash, blockNumber: at, isDeep: deep, ...(unlike && { unlike }) }
}

/** What the journal knows that a step lost its nonce to. */
type Known = { lostTo?: Hex | undefined }

/** What a node shows of its chain. */
export async function lookAtChain(rpc: Rpc, network: Network): Promise<ChainFacts> {
  try {
    const head = await within(readHead(rpc, network.chainId))
    return head
      ? { network, is: 'there', head }
      : { network, is: 'silent', why: `no answer within ${patienceMs / 1000} s` }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'CHAIN_ID_MISMATCH') return { network, is: 'another', why: error.message }
    if (error.code.startsWith('RPC_')) return { network, is: 'silent', why: error.message }
    throw error
  }
}

/** What a chain shows of a signed step; `undefined` where its node fell silent meanwhile. */
export const lookAtStep = (
  rpc: Rpc,
  network: Network,
  step: Step,
  attempts: readonly Attempt[],
  depth: Depth,
  known: Known = {},
): Promise<Seen | undefined> => ifAnswered(within(lookTwice(rpc, network, step, attempts, depth, known)))

/** A block that is just made shows up bit by bit: what is nowhere is looked for once more a moment later. */
async function lookTwice(...asked: Parameters<typeof look>): Promise<Seen> {
  const seen = await look(...asked)
  if (seen.found || seen.waiting || seen.owner) return seen
  await sleep(300)
  return look(...asked)
}

async function look(
  rpc: Rpc,
  network: Network,
  step: Step,
  attempts: readonly Attempt[],
  depth: Depth,
  known: Known,
): Promise<Seen> {
  const latest = Number(
    quantity(await rpc.request('eth_getTransactionCount', [step.wallet, 'latest']), 'the nonce'),
  )
  const wanted = { wanted: depth, usual: network.depth }
  const found = await findStep(rpc, step, attempts)
  if (found) {
    const attempt = attempts.find(({ hash }) => sameAddress(hash, found.hash))!
    const shown = { ...found, by: rpc.host }
    const { deep, unlike } = await finalityOf(rpc, shown, wanted, lookMs)
    const isMoved = step.inclusion !== null && !sameAddress(step.inclusion.blockHash, found.blockHash)
    return {
      found: {
        ...found,
        isDeep: deep,
        ...(unlike && { unlike }),
        confirmations: await confirmationsOf(rpc, found.blockNumber),
        kind: attempt.kind,
      },
      ...(await reasonOf(rpc, step, found, attempt)),
      ...(isMoved ? await goneOf(rpc, step) : { isGone: false }),
      latest,
    }
  }
  const waiting = await waitingOf(rpc, attempts)
  const owner =
    waiting === undefined ? await strangerAt(rpc, network, step, attempts, { latest, ...known }) : undefined
  return {
    reason: null,
    isOutOfGas: false,
    ...(waiting !== undefined && { waiting }),
    ...(owner && { owner }),
    ...(await goneOf(rpc, step, wanted)),
    ...((await lacksBlock(rpc, step)) && { lacksBlock: true }),
    latest,
    ...(latest < (step.nonce ?? 0) && (await nextWaiting(rpc, step.wallet, latest))),
  }
}

/**
 * Whether the block in which a step is final in the journal is gone, or only one endpoint has another one there; with `wanted`, where the step is not found in it,
 * also whether another endpoint shows another end of it than the journal has.
 */
async function goneOf(rpc: Rpc, step: Step, wanted?: Wanted): Promise<Pick<Seen, 'isGone' | 'disputed'>> {
  const { inclusion, state } = step
  if (!isFinal(step) || !inclusion) return { isGone: false }
  const kept = await keptBlock(rpc, step)
  if (kept.is === 'disputed') return { isGone: false, disputed: kept.unlike }
  if (kept.is === 'gone' || !wanted) return { isGone: kept.is === 'gone' }
  const noted = { ...inclusion, ok: state !== 'FINAL_REVERTED', by: rpc.host }
  const { unlike } = await finalityOf(rpc, noted, wanted, lookMs)
  return { isGone: false, ...(unlike && { disputed: unlike }) }
}

/** Whether a node has something waiting under the nonce that comes next; nothing where it does not say. */
async function nextWaiting(rpc: Rpc, wallet: Address, latest: number): Promise<{ isNextWaiting?: boolean }> {
  const said = await ifAnswered(rpc.request('eth_getTransactionCount', [wallet, 'pending']))
  const pending = typeof said === 'string' ? Number(said) : Number.NaN
  return pending >= latest ? { isNextWaiting: pending > latest } : {}
}

/** Whether a node does not have the block that a step was in at all, which takes nothing back: another one behind its address may have it. */
async function lacksBlock(rpc: Rpc, { inclusion }: Step): Promise<boolean> {
  if (!inclusion) return false
  const block = await rpc.request('eth_getBlockByNumber', [hexQuantity(inclusion.blockNumber), false])
  return block === null
}

const isFinal = ({ state }: Step): boolean => state.startsWith('FINAL_') || state === 'CANCELLED'

/** The newest attempt that a node has in its mempool. */
async function waitingOf(rpc: Rpc, attempts: readonly Attempt[]): Promise<Hex | undefined> {
  for (const { hash } of attempts.toReversed()) {
    const shown = await rpc.request<{ blockNumber?: string | null } | null>('eth_getTransactionByHash', [
      hash,
    ])
    if (shown && (shown.blockNumber ?? null) === null) return hash
  }
  return undefined
}
