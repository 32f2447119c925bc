import { createHash } from 'node:crypto'
import { type Address, type Hex, sameAddress } from '../domain/address.ts'
import { canonical } from '../domain/canonical-json.ts'
import { AppError } from '../domain/errors.ts'
import type { Transaction } from '../domain/transaction.ts'

/**
 * All of a plan that a signature stands for. `intent` is plain JSON; `nonce` is the one that the first transaction is
 * pinned to, `null` where the chain decides; `about` and `request` are covered as they are.
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

/** Hex in lower case: its casing means nothing. */
const lowerHex = (text: string): string => (/^0x[0-9a-f]*$/i.test(text) ? text.toLowerCase() : text)

/** What a person, a second runner or a signer compares: the hash of all that is to be signed and what it is for. */
export const hashPlan = (core: PlanCore): string =>
  createHash('sha256').update(canonical(core, lowerHex)).digest('hex')

/** The hash of all that a plan file shows, its own place in it left out. */
export function shownPlanHash(document: object): string {
  const { shownHash: _, ...rest } = document as { shownHash?: unknown }
  return createHash('sha256').update(canonical(rest)).digest('hex')
}

/** What is handed to a signer. */
export type Signable = Transaction & {
  type: 'eip1559'
  nonce: number
  gas: bigint
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
}

const fields = 'chainId,data,gas,maxFeePerGas,maxPriorityFeePerGas,nonce,to,type,value'

/**
 * G12: throws POLICY_TAMPER unless a plan has the hash that was approved, and what is to be signed is, to the byte, one
 * of its steps, at its nonce where the plan pins one. Nothing else may be signed with it: no list of accesses or authorizations.
 */
export function checkSignable(core: PlanCore, approved: string, signable: Signable): void {
  const tamper = (why: string): never => {
    throw new AppError('POLICY_TAMPER', why)
  }
  if (hashPlan(core) !== approved.toLowerCase()) tamper('The plan is not the one that was approved')
  if (Object.keys(signable).sort().join() !== fields || signable.type !== 'eip1559')
    tamper('What is to be signed is not a plain transaction of type 2')
  if (!Number.isSafeInteger(signable.nonce) || signable.nonce < 0) tamper('It has no nonce')
  const isStep = core.legs.some(({ transactions }, leg) =>
    transactions.some((step, at) => {
      const pinned = leg === 0 && core.nonce !== null ? core.nonce + at : signable.nonce
      return isSame(step, signable) && signable.nonce === pinned
    }),
  )
  if (!isStep) tamper('What is to be signed is not a step of the approved plan')
}

const isSame = (step: Transaction, { to, data, value, chainId }: Transaction): boolean =>
  sameAddress(step.to, to) &&
  (step.data.toLowerCase() as Hex) === data.toLowerCase() &&
  step.value === value &&
  step.chainId === chainId
