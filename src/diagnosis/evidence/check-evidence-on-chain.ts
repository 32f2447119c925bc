import { z } from 'zod'
import type { ChainClient } from '../../chain/chain-client.ts'
import { findTransaction, type MinedTransaction } from '../../chain/finality/find-mined-transaction.ts'
import { readHeader } from '../../chain/head.ts'
import { type Hex, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { checkPayout, payoutsOf } from './check-payouts-on-chain.ts'
import type { ParsedEvidence } from './evidence-file-schema.ts'
import type { Evidence } from './make-evidence-file.ts'

/** The chain's answer for one transaction of the evidence. `unknown`: there is none. */
export type ChainCheck = { hash: string; verdict: 'confirmed' | 'refuted' | 'unknown'; why: string | null }

type Inclusion = { hash: Hex; blockNumber: number; blockHash: string; gasUsed: string; gasPrice: string }
type Step = {
  index: number
  wallet: string
  nonce: number | null
  state: string
  transaction: { to: string; data: string; value: string; chainId: number }
  inclusion: Inclusion | null
}
type Attempt = { hash: string; kind: string; gas: string; maxFeePerGas: string }

/** The states without effect, in a word: these can be confirmed too. */
const ineffectiveStates: Readonly<Record<string, string>> = {
  FINAL_REVERTED: 'it reverted, as the evidence says',
  CANCELLED: 'it was cancelled, as the evidence says',
}

/** Checks every mined transaction of the evidence on its chain, and every payout that somebody else sent. */
export async function checkEvidence(
  rpc: (chainId: number) => ChainClient,
  { operation, attempts }: Evidence,
): Promise<ChainCheck[]> {
  const steps = (operation.steps as Step[]).filter(({ inclusion }) => inclusion !== null)
  const attemptOf = ({ hash }: Inclusion) =>
    (attempts as readonly Attempt[]).find((one) => sameAddress(one.hash, hash))!
  const lost = (operation.steps as Step[]).filter(({ state }) => state === 'SUPERSEDED')
  const tried = lost.flatMap((step) =>
    attempts
      .filter((one) => one.step === step.index)
      .map(({ hash }) => unexpectedlyMined(rpc, step, hash as Hex)),
  )
  const checks = await Promise.all([
    ...steps.map((step) => check(rpc, step, attemptOf(step.inclusion!))),
    ...payoutsOf(operation as ParsedEvidence['operation']).map((payout) => checkPayout(rpc, payout)),
  ])
  return [...checks, ...(await Promise.all(tried)).filter((one) => one !== undefined)]
}

/** Reports that a step which can never be mined is in a block; `undefined` if it is in none, or unknown. */
async function unexpectedlyMined(
  rpc: (chainId: number) => ChainClient,
  { transaction: { chainId } }: Step,
  hash: Hex,
): Promise<ChainCheck | undefined> {
  try {
    const found = await findTransaction(rpc(chainId), hash)
    return found && { hash, verdict: 'refuted', why: `it is in block ${found.blockNumber}` }
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

async function check(
  rpc: (chainId: number) => ChainClient,
  step: Step,
  attempt: Attempt,
): Promise<ChainCheck> {
  const { hash, blockNumber, blockHash, gasPrice } = step.inclusion!
  // A transaction that was not final then may be in another block by now, or in none.
  const isFinal = step.state !== 'INCLUDED'
  const isCancel = attempt.kind === 'cancel'
  const say = (verdict: ChainCheck['verdict'], why: string | null = null): ChainCheck => ({
    hash,
    verdict,
    why,
  })
  try {
    const node = rpc(step.transaction.chainId)
    const [found, shown] = await Promise.all([
      findTransaction(node, hash),
      node.request<object | null>('eth_getTransactionByHash', [hash]),
    ])
    if (!found || !shown) {
      const other = await missingTransactionText(node, step.inclusion!)
      if (other === undefined) return say('unknown', 'the node does not have it')
      return isFinal ? say('refuted', other) : say('unknown', `${other}, and it was not final then`)
    }
    const differs = signedMismatch(parseTransactionAnswer(shown), step, attempt)
    if (differs !== undefined) return say('refuted', differs)
    const block = found.blockNumber === blockNumber ? found.blockHash : found.blockNumber
    if (!sameAddress(found.blockHash, blockHash) || found.blockNumber !== blockNumber)
      return isFinal
        ? say('refuted', `it is in block ${block}`)
        : say('unknown', `it was not final then, and is in block ${block} now`)
    const cost = costMismatch(found, step.inclusion!)
    if (cost !== undefined) return say('refuted', cost)
    // Some nodes omit the gas price.
    if (found.gasPrice !== 0n && BigInt(gasPrice) === 0n)
      return say('unknown', 'the node does not return the gas price')
    if (!isFinal) return say('confirmed', isCancel ? 'it was cancelled' : found.ok ? null : 'it reverted')
    if (!isCancel && found.ok === (step.state === 'FINAL_REVERTED'))
      return say('refuted', found.ok ? 'it did not revert' : 'it reverted')
    return say('confirmed', ineffectiveStates[step.state])
  } catch (error) {
    if (error instanceof AppError) return say('unknown', error.message)
    throw error
  }
}

const Quantity = z
  .string()
  .regex(/^0x[0-9a-f]+$/i)
  .transform(BigInt)

/** A transaction as a node returns it. */
const Shown = z.object({
  from: z.string(),
  to: z.string().nullable(),
  input: z.string(),
  value: Quantity,
  nonce: Quantity,
  gas: Quantity,
  maxFeePerGas: Quantity.nullish(),
})

/** Parses a transaction of a node; RPC_INCONSISTENT if fields are missing. */
function parseTransactionAnswer(shown: object): z.infer<typeof Shown> {
  const whole = Shown.safeParse(shown)
  if (whole.success) return whole.data
  throw new AppError('RPC_INCONSISTENT', 'The node returns only a part of the transaction')
}

/** How a transaction differs from what an attempt signed, in words. */
function signedMismatch(
  shown: z.infer<typeof Shown>,
  { wallet, nonce, transaction }: Step,
  { kind, gas, maxFeePerGas }: Attempt,
): string | undefined {
  // A cancellation is a transfer of nothing to oneself.
  const { to, data, value } = kind === 'cancel' ? { to: wallet, data: '0x', value: '0' } : transaction
  const same = [
    [sameAddress(shown.from, wallet), 'another wallet sent it'],
    [shown.to !== null && sameAddress(shown.to, to), 'it goes to another contract'],
    [shown.input.toLowerCase() === data.toLowerCase(), 'it has other calldata'],
    [shown.value === BigInt(value), 'it has another value'],
    [Number(shown.nonce) === nonce, 'it has another nonce'],
    [shown.gas === BigInt(gas), 'it has another gas limit'],
    // Older types have one price, and not every node returns it here.
    [
      (shown.maxFeePerGas ?? BigInt(maxFeePerGas)) === BigInt(maxFeePerGas),
      'it has another maximum gas price',
    ],
  ] as const
  return same.find(([is]) => !is)?.[1]
}

/** How the gas of a receipt differs, in words. A price of zero is from nodes that omit it. */
function costMismatch(found: MinedTransaction, { gasUsed, gasPrice }: Inclusion): string | undefined {
  if (found.gasUsed !== BigInt(gasUsed)) return `it used ${found.gasUsed} gas`
  const prices = [found.gasPrice, BigInt(gasPrice)]
  if (prices.includes(0n) || prices[0] === prices[1]) return undefined
  return `it paid a gas price of ${found.gasPrice} wei`
}

/** What a node has instead of a transaction, if it has the block at that height. */
async function missingTransactionText(
  node: ChainClient,
  { hash, blockNumber, blockHash }: Inclusion,
): Promise<string | undefined> {
  const block = await readHeader(node, blockNumber)
  if (!block) return undefined
  if (!sameAddress(String(block.hash), blockHash)) return `block ${blockNumber} has another hash`
  const { transactions } = block
  const isIn = (one: unknown) => typeof one !== 'string' || sameAddress(one, hash)
  return Array.isArray(transactions) && !transactions.some(isIn)
    ? `it is not in block ${blockNumber}`
    : undefined
}
