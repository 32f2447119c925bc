import { type ChainClient, isLocal } from '../../chain/chain-client.ts'
import {
  checkNonceLost,
  confirmationDepth,
  findUnlikeNode,
  latestFinalBlock,
  requiredDepth,
} from '../../chain/finality/finality.ts'
import { findAttempt, isInclusionBlock } from '../../chain/finality/find-mined-transaction.ts'
import { nodeBeforeTime } from '../../chain/finality/node-before-time.ts'
import { allNodesConfirm, quorumTimeoutFor, quorumTimeoutMs } from '../../chain/finality/quorum.ts'
import type { FreshestReader } from '../../chain/freshest-node.ts'
import { type Head, readHead, readHeader } from '../../chain/head.ts'
import { readNonceCount } from '../../chain/nonce-count.ts'
import { sameAddress } from '../../domain/address.ts'
import { networkNamed } from '../../domain/networks.ts'
import type { Leg, Step } from '../../store/journal/operation-types.ts'
import { findNonceUse, type NonceUse } from '../nonces/nonce-use.ts'
import { isNodeFailure, type Run } from '../run.ts'
import type { Found, Look, MissingStep, Seen, UsedNonce } from './state.ts'

/** How long, in ms, a local node may not yet show a transaction that it just accepted. */
const localVisibleMs = 25

/** Looks once at the steps of a leg that are in flight: their blocks, and for those in none, who used their nonces. */
export async function lookAt(
  run: Run,
  rpc: FreshestReader,
  leg: Leg,
  steps: readonly Step[],
  seen: Seen,
): Promise<Look> {
  const { chainId } = leg
  await mineMissing(run, seen.look)
  const at = run.clock.now()
  // During the second look, all nodes are asked whether they show the same.
  const comparing = steps.flatMap(({ index }) => {
    const found = seen.deep.get(index)
    return found ? [unlikeNode(run, rpc, chainId, found).then((unlike) => [index, unlike] as const)] : []
  })
  const reading = steps.some((step) => mayBeMissing(step, seen)) ? readWallet(rpc, steps[0]!) : undefined
  const refreshing = rpc.findFreshest()
  const finding = steps.map(async (step) => {
    const known = seen.deep.get(step.index) ?? seen.look?.found.get(step.index)
    return [step, await findAttempt(rpc, step, step.attempts, known?.blockNumber)] as const
  })
  for (const one of [...comparing, reading, refreshing]) one?.catch(() => undefined)
  const shown = await Promise.all(finding)
  const found = new Map<number, Found>()
  const lost: Step[] = []
  const { depth: usual } = networkNamed(run.networks, chainId)
  for (const [step, mined] of shown)
    if (!mined) lost.push(step)
    else
      found.set(step.index, {
        ...mined,
        ...(await confirmationDepth(rpc, mined.blockNumber, run.depth ?? usual, usual, mined.head)),
      })
  const isJustSent = ({ index }: Step) =>
    isLocal(rpc) && run.clock.now() - (seen.sent.get(index)?.at ?? Number.NEGATIVE_INFINITY) < localVisibleMs
  const wallet =
    lost.length > 0 && !lost.every(isJustSent) ? await (reading ?? readWallet(rpc, steps[0]!)) : undefined
  const missing = await Promise.all(
    lost.map(async (step) => [step.index, await searchFor(run, rpc, step, wallet?.count)] as const),
  )
  const unlike = new Map(await Promise.all(comparing))
  const deadlineDispute =
    wallet && lost.length > 0 ? await disputeOf(run, rpc, leg, lost, wallet.head) : undefined
  // The next look is of the node that is ahead now.
  const readFromIt = await refreshing
  readFromIt()
  return { chainId, at, found, missing: new Map(missing), wallet, unlike, deadlineDispute }
}

/** Mines the blocks that what was found lacks to be final, on a chain that makes none by itself. */
async function mineMissing({ mineBlocks }: Run, before: Look | null): Promise<void> {
  const lacking = Math.max(0, ...[...(before?.found.values() ?? [])].map(({ missing }) => missing))
  if (!before || lacking === 0) return
  await mineBlocks?.(before.chainId, lacking).catch((error: unknown) => {
    if (!isNodeFailure(error)) throw error
  })
}

/** Whether a step may be in no block: it was not in one at the last look, and is not sent just now. */
const mayBeMissing = ({ index }: Step, { deep, look, looks, sent }: Seen): boolean =>
  !deep.has(index) && !look?.found.has(index) && (looks > 0 || !sent.has(index))

async function readWallet(
  rpc: ChainClient,
  { wallet, transaction }: Step,
): Promise<NonNullable<Look['wallet']>> {
  const [head, count] = await Promise.all([readHead(rpc, transaction.chainId), readNonceCount(rpc, wallet)])
  return { head, count }
}

/** A node that contradicts a look, if any. */
const unlikeNode = (run: Run, rpc: ChainClient, chainId: number, found: Found) => {
  const { depth } = networkNamed(run.networks, chainId)
  const required = { wanted: run.depth ?? depth, usual: depth }
  return findUnlikeNode(rpc, { ...found, by: rpc.host }, required, quorumTimeoutFor(run.timeoutMs))
}

/** What is at the height where a step was included, or who used its nonce. */
async function searchFor(
  run: Run,
  rpc: ChainClient,
  step: Step,
  count: number | undefined,
): Promise<MissingStep> {
  const { inclusion, state, nonce, wallet } = step
  const block = state === 'INCLUDED' ? await blockOf(rpc, inclusion) : undefined
  if (count === undefined || nonce === null || nonce >= count) return { block, owner: undefined }
  const use = await findNonceUse(rpc, wallet, nonce, count)
  return { block, owner: use.is === 'free' ? undefined : await ownerOf(run, rpc, step, use) }
}

/** Another block is at the height of a step's block, or its transaction list lacks the step, as with an invented receipt. */
async function blockOf(rpc: ChainClient, inclusion: Step['inclusion']): Promise<MissingStep['block']> {
  const now = inclusion && (await readHeader(rpc, inclusion.blockNumber))
  if (!inclusion) return 'another'
  if (!now) return 'nothing'
  return isInclusionBlock(now, inclusion) ? 'kept' : 'another'
}

/**
 * Whether a nonce is finally used: by a named transaction in a final block, or, without a name, by the final nonce counts of all
 * answering nodes while none has a receipt of the step.
 */
async function ownerOf(run: Run, rpc: ChainClient, step: Step, use: NonceUse): Promise<UsedNonce> {
  const { depth } = networkNamed(run.networks, step.transaction.chainId)
  if (use.is === 'used') {
    const isOwn = step.attempts.some(({ hash }) => sameAddress(hash, use.hash))
    if (isOwn) return { use, deep: false }
    const { deep, unlike } = await checkNonceLost(rpc, { ...use, by: rpc.host }, depth, quorumTimeoutMs)
    return { use, deep, unlike }
  }
  const { wanted, usual } = requiredDepth(depth, undefined)
  const isLost = async (node: ChainClient): Promise<boolean> =>
    (await readNonceCount(node, step.wallet, await latestFinalBlock(node, wanted, usual))) > step.nonce! &&
    !(await findAttempt(node, step, step.attempts))
  return { use, deep: await allNodesConfirm(rpc, isLost, quorumTimeoutMs) }
}

/** The node for which the deadline of a late action has not passed. */
async function disputeOf(
  run: Run,
  rpc: ChainClient,
  leg: Leg,
  lost: readonly Step[],
  head: Head,
): Promise<Look['deadlineDispute']> {
  const deadline = lost[0]!.role === 'action' ? run.deadlineOf?.(leg) : undefined
  if (deadline === undefined || head.timestamp <= deadline) return undefined
  const { headMaxAgeMs: maxAgeMs } = networkNamed(run.networks, leg.chainId)
  const asked = { chainId: leg.chainId, time: deadline }
  const host = await nodeBeforeTime(rpc, asked, { now: run.clock.wall(), maxAgeMs })
  return host ? { host, by: rpc.host } : undefined
}
