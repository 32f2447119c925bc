import { type Hex, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { hexQuantity } from '../../net/quantity.ts'
import type { Rpc } from '../../net/rpc.ts'
import { findOnChain } from '../execution/watch.ts'
import type { Evidence } from './evidence.ts'

/** What the chain says of one transaction of an evidence. `unknown`: it does not say anything. */
export type Check = { hash: string; verdict: 'confirmed' | 'refuted' | 'unknown'; why: string | null }

type Inclusion = { hash: Hex; blockNumber: number; blockHash: string; gasUsed: string }
type Step = {
  index: number
  wallet: string
  nonce: number | null
  state: string
  transaction: { to: string; data: string; value: string; chainId: number }
  inclusion: Inclusion | null
}
type Shown = { from: string; to: string | null; input: string; value: string; nonce: string }

/** What did not do what it was for, in a word: that too is confirmed. */
const inVain: Readonly<Record<string, string>> = {
  FINAL_REVERTED: 'it reverted, as the evidence says',
  CANCELLED: 'it was cancelled, as the evidence says',
}

/** Asks the chain about every transaction that an evidence says is in a block. */
export async function checkEvidence(
  rpc: (chainId: number) => Rpc,
  { operation, attempts }: Evidence,
): Promise<Check[]> {
  const steps = (operation.steps as Step[]).filter(({ inclusion }) => inclusion !== null)
  const isCancel = (hash: Hex) =>
    attempts.some((one) => sameAddress(String(one.hash), hash) && one.kind === 'cancel')
  const lost = (operation.steps as Step[]).filter(({ state }) => state === 'SUPERSEDED')
  const tried = lost.flatMap((step) =>
    attempts
      .filter((one) => one.step === step.index)
      .map(({ hash }) => minedAfterAll(rpc, step, hash as Hex)),
  )
  const checks = await Promise.all(steps.map((step) => check(rpc, step, isCancel(step.inclusion!.hash))))
  return [...checks, ...(await Promise.all(tried)).filter((one) => one !== undefined)]
}

/** That a transaction of a step which can never be mined is in a block; nothing where it is in none, or nobody says. */
async function minedAfterAll(
  rpc: (chainId: number) => Rpc,
  { transaction: { chainId } }: Step,
  hash: Hex,
): Promise<Check | undefined> {
  try {
    const found = await findOnChain(rpc(chainId), hash)
    return found && { hash, verdict: 'refuted', why: `it is in block ${found.blockNumber}` }
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

async function check(rpc: (chainId: number) => Rpc, step: Step, isCancel: boolean): Promise<Check> {
  const { hash, blockNumber, blockHash, gasUsed } = step.inclusion!
  // What was not final then may have come into another block since, or into none.
  const isFinal = step.state !== 'INCLUDED'
  const say = (verdict: Check['verdict'], why: string | null = null): Check => ({ hash, verdict, why })
  try {
    const node = rpc(step.transaction.chainId)
    const [found, shown] = await Promise.all([
      findOnChain(node, hash),
      node.request<Shown | null>('eth_getTransactionByHash', [hash]),
    ])
    if (!found || !shown) {
      const other = await otherwise(node, step.inclusion!)
      if (other === undefined) return say('unknown', 'the node does not have it')
      return isFinal ? say('refuted', other) : say('unknown', `${other}, and it was not final then`)
    }
    // What took its place under the nonce is nothing, to oneself.
    const nothing = { to: step.wallet, data: '0x', value: '0' }
    const { to, data, value } = isCancel ? nothing : step.transaction
    const differs = [
      [sameAddress(shown.from, step.wallet), 'another wallet sent it'],
      [shown.to !== null && sameAddress(shown.to, to), 'it goes to another contract'],
      [shown.input.toLowerCase() === data.toLowerCase(), 'it calls something else'],
      [BigInt(shown.value) === BigInt(value), 'it carries another value'],
      [Number(shown.nonce) === step.nonce, 'it has another nonce'],
    ] as const
    const first = differs.find(([same]) => !same)
    if (first) return say('refuted', first[1])
    const block = found.blockNumber === blockNumber ? found.blockHash : found.blockNumber
    const isThere = sameAddress(found.blockHash, blockHash) && found.blockNumber === blockNumber
    if (!isFinal)
      return isThere
        ? say('confirmed', isCancel ? 'it was cancelled' : found.ok ? null : 'it reverted')
        : say('unknown', `it was not final then, and is in block ${block} now`)
    if (!isThere) return say('refuted', `it is in block ${block}`)
    if (found.gasUsed !== BigInt(gasUsed)) return say('refuted', `it used ${found.gasUsed} of gas`)
    if (!isCancel && found.ok === (step.state === 'FINAL_REVERTED'))
      return say('refuted', found.ok ? 'it did not revert' : 'it reverted')
    return say('confirmed', inVain[step.state])
  } catch (error) {
    if (error instanceof AppError) return say('unknown', error.message)
    throw error
  }
}

/** What a node has in the place of a transaction that it does not show, where it has the block at that height. */
async function otherwise(
  node: Rpc,
  { hash, blockNumber, blockHash }: Inclusion,
): Promise<string | undefined> {
  const block = await node.request<{ hash?: unknown; transactions?: unknown } | null>(
    'eth_getBlockByNumber',
    [hexQuantity(blockNumber), false],
  )
  if (!block) return undefined
  if (!sameAddress(String(block.hash), blockHash)) return `block ${blockNumber} is another one`
  const { transactions } = block
  const isIn = (one: unknown) => typeof one !== 'string' || sameAddress(one, hash)
  return Array.isArray(transactions) && !transactions.some(isIn)
    ? `it is not in block ${blockNumber}`
    : undefined
}
