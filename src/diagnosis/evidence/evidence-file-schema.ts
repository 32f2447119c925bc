import { z } from 'zod'
import { EvmAddress, Hash } from '../../domain/address.ts'

const Whole = z.string().regex(/^[0-9]+$/)

const Call = z.looseObject({ to: z.string(), data: z.string(), value: Whole, chainId: z.number() })

/** The fields of a step that are read. */
export const EvidenceStep = z.looseObject({
  index: z.number(),
  leg: z.number(),
  role: z.string(),
  wallet: z.string(),
  nonce: z.number().nullable(),
  state: z.string(),
  text: z.string(),
  transaction: Call,
  inclusion: z
    .looseObject({
      hash: z.string(),
      blockNumber: z.int().nonnegative(),
      blockHash: z.string(),
      gasUsed: Whole,
      gasPrice: Whole,
    })
    .nullable(),
})

/** The fields of a report transaction that are read. */
export const EvidenceTransaction = z.looseObject({
  index: z.number(),
  chainId: z.number(),
  to: z.string(),
  hash: z.string().nullable(),
  nonce: z.number().nullable(),
  status: z.string(),
})

/** The fields of the evidence that are read to check it. */
export const EvidenceSchema = z.looseObject({
  made: z.iso.datetime(),
  operation: z.looseObject({
    id: z.string(),
    kind: z.string(),
    wallet: z.string(),
    state: z.string(),
    exit: z.number().nullable(),
    plan: z.looseObject({}),
    legs: z.array(
      z.looseObject({
        chainId: z.number(),
        arrival: z
          .looseObject({
            token: EvmAddress,
            recipient: EvmAddress,
            minimum: Whole,
            hash: Hash.nullable(),
          })
          .nullable(),
        deposit: z.looseObject({}).optional(),
      }),
    ),
    steps: z.array(EvidenceStep),
  }),
  attempts: z.array(
    z.looseObject({
      step: z.number(),
      hash: z.string(),
      kind: z.string(),
      nonce: z.number(),
      transaction: Call,
      gas: Whole,
      maxFeePerGas: Whole,
    }),
  ),
  events: z.array(z.looseObject({})),
  trail: z.looseObject({ whole: z.boolean() }),
  report: z.looseObject({
    id: z.string(),
    status: z.string(),
    originAddress: z.string(),
    amounts: z.looseObject({}),
    transactions: z.array(EvidenceTransaction),
  }),
  calls: z.array(z.looseObject({ index: z.number() })),
})

export type ParsedEvidence = z.infer<typeof EvidenceSchema>
