import { z } from 'zod'
import { EvmAddress, HexData } from '../domain/address.ts'
import { Units } from '../domain/amount.ts'
import { AppError } from '../domain/errors.ts'
import { schemaMismatchText } from '../domain/schema-mismatch-text.ts'
import { advice, sluice } from '../domain/text/next-step.ts'
import { decodeIntent, encodeIntent } from '../guard/intent-json.ts'
import { hashPlan } from '../guard/plan-hash.ts'
import type { OperationSummary } from '../guard/stored-plan.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import { operationIdPattern, type Proposal, planCore } from './proposal.ts'

/** The fields of a plan file beside wallet, nonce and steps. */
const Operation = z.strictObject({
  version: z.literal(1),
  id: z.string().regex(operationIdPattern),
  kind: z.string().min(1).max(50),
  request: z.record(z.string(), z.unknown()),
  quoteId: z.string().nullable(),
  about: z.record(z.string(), z.unknown()),
  legs: z
    .array(
      z.strictObject({
        chainId: z.int().min(1),
        intent: z
          .looseObject({
            kind: z.enum(['deposit', 'withdraw', 'claim', 'swap', 'transfer', 'revoke', 'deliver']),
          })
          .nullable(),
        arrival: z.strictObject({ token: EvmAddress, minimum: Units, recipient: EvmAddress }).nullable(),
      }),
    )
    .min(1)
    .max(4),
})

const Step = z.object({
  leg: z.int().min(0),
  chainId: z.int().min(1),
  to: EvmAddress,
  value: Units,
  data: HexData,
})

/** The signed parts of a plan file. The rest is for people and is made again from these before signing. */
const PlanFile = z.object({
  planHash: z.string().regex(/^[0-9a-f]{64}$/),
  wallet: EvmAddress,
  nonce: z.int().min(0),
  expiresAt: z.iso.datetime().nullable(),
  steps: z.array(Step).min(1).max(16),
  operation: Operation,
})

/** A proposal read from a plan file, with its hash. Its terms are those of the person who signs it. */
export type ParsedPlan = { proposal: Proposal; hash: string }

/** The operation of a plan file: with wallet, nonce, expiry and steps it is the whole proposal. */
export const operationJson = ({ id, kind, request, quoteId, about, legs }: Proposal) => ({
  version: 1 as const,
  id,
  kind,
  request,
  quoteId,
  about,
  legs: legs.map(({ chainId, intent, arrival }) => ({
    chainId,
    intent: intent && encodeIntent(intent),
    arrival: arrival ? { ...arrival, minimum: arrival.minimum.toString() } : null,
  })),
})

/** How a plan file is made. */
const madeBy = advice`To make one: ${{ ...sluice('deposit', 'STRATEGY', { '--amount': 'AMOUNT', '--dry-run': true, '--json': true }), into: 'plan.json' }}`

/**
 * Parses the output of `--dry-run --json`. USAGE if it is not a plan; POLICY_TAMPER if its hash does not match, because it was
 * changed.
 */
export function decodePlan(text: string, catalog: Catalog): ParsedPlan {
  const file = PlanFile.safeParse(parsed(text))
  if (!file.success)
    throw new AppError('USAGE', `Invalid plan: ${schemaMismatchText(file.error)}`, {
      next: madeBy,
    })
  const { planHash, wallet, nonce, expiresAt, steps, operation } = file.data
  const { version: _, legs, about, ...rest } = operation
  if (steps.some(({ leg }) => legs[leg] === undefined))
    throw new AppError('POLICY_TAMPER', 'A step of the plan belongs to none of its legs')
  const proposal: Proposal = {
    ...rest,
    wallet,
    nonce,
    expiresAt,
    about: about as OperationSummary,
    legs: legs.map(({ chainId, intent, arrival }, at) => ({
      chainId,
      intent: intent && decodeIntent(intent, catalog),
      transactions: steps
        .filter(({ leg }) => leg === at)
        .map(({ to, data, value, chainId }) => ({ to, data, value, chainId })),
      ...(arrival && { arrival }),
    })),
  }
  if (hashPlan(planCore(proposal)) !== planHash)
    throw new AppError('POLICY_TAMPER', 'The plan was changed after it was made: its hash does not match')
  return { proposal, hash: planHash }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new AppError('USAGE', 'Invalid plan: it is not JSON', {
      cause,
      next: madeBy,
    })
  }
}
