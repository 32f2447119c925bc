import { createHash } from 'node:crypto'
import { type Address, type Hex, sameAddress } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { canonicalJson } from '../domain/text/canonical-json.ts'
import type { Transaction } from '../domain/transaction-types.ts'

/**
 * The part of a plan that a signature covers. `intent` is plain JSON; `nonce` is the first transaction's pinned nonce, `null` if
 * the chain decides; `about` and `request` are covered as they are.
 */
export type PlanCore = {
  id: string
  kind: string
  wallet: Address
  nonce: number | null
  request: unknown
  quoteId: string | null
  expiresAt: string | null
  about: unknown
  legs: readonly {
    chainId: number
    intent: unknown
    arrival: { token: Address; minimum: string; recipient: Address } | null
    transactions: readonly Transaction[]
  }[]
}

/** Hex in lower case, since its case is irrelevant. */
const lowerHex = (text: string): string => (/^0x[0-9a-f]*$/i.test(text) ? text.toLowerCase() : text)

/** The hash that a person, a second runner or a signer compares: everything to be signed, and its purpose. */
export const hashPlan = (core: PlanCore): string =>
  createHash('sha256').update(canonicalJson(core, lowerHex)).digest('hex')

/** The hash of everything that a plan file shows, except the hash itself. */
export function shownPlanHash(document: object): string {
  const { shownHash: _, ...rest } = document as { shownHash?: unknown }
  return createHash('sha256').update(canonicalJson(rest)).digest('hex')
}

/** A transaction as a signer receives it. */
export type Signable = Transaction & {
  type: 'eip1559'
  nonce: number
  gas: bigint
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
}

const fields = 'chainId,data,gas,maxFeePerGas,maxPriorityFeePerGas,nonce,to,type,value'

/**
 * G12: POLICY_TAMPER unless the plan has the approved hash and the transaction is byte for byte one of its steps, at the pinned
 * nonce if there is one, without access list or authorizations.
 */
export function checkSignable(core: PlanCore, approved: string, signable: Signable): void {
  const tamper = (why: string): never => {
    throw new AppError('POLICY_TAMPER', why)
  }
  if (hashPlan(core) !== approved.toLowerCase()) tamper('The plan is not the one that was approved')
  if (Object.keys(signable).sort().join() !== fields || signable.type !== 'eip1559')
    tamper('The transaction to sign is not a plain transaction of type 2')
  if (!Number.isSafeInteger(signable.nonce) || signable.nonce < 0) tamper('It has no nonce')
  const isStep = core.legs.some(({ transactions }, leg) =>
    transactions.some((step, at) => {
      const pinned = leg === 0 && core.nonce !== null ? core.nonce + at : signable.nonce
      return isSame(step, signable) && signable.nonce === pinned
    }),
  )
  if (!isStep) tamper('The transaction to sign is not a step of the approved plan')
}

const isSame = (step: Transaction, { to, data, value, chainId }: Transaction): boolean =>
  sameAddress(step.to, to) &&
  (step.data.toLowerCase() as Hex) === data.toLowerCase() &&
  step.value === value &&
  step.chainId === chainId
