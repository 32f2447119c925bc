import { z } from 'zod'

import { sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { type Evidence, hashOf } from './evidence.ts'
import { statuses, stepStatuses } from './report.ts'

const Step = z.looseObject({
  index: z.number(),
  wallet: z.string(),
  nonce: z.number().nullable(),
  state: z.string(),
  transaction: z.looseObject({ to: z.string(), data: z.string(), value: z.string(), chainId: z.number() }),
  inclusion: z.looseObject({ hash: z.string(), blockNumber: z.number(), blockHash: z.string() }).nullable(),
})

/** What is read of an evidence to check it. */
const Shape = z.looseObject({
  made: z.string(),
  operation: z.looseObject({
    id: z.string(),
    wallet: z.string(),
    state: z.string(),
    steps: z.array(Step),
  }),
  attempts: z.array(z.looseObject({ step: z.number(), hash: z.string() })),
  events: z.array(z.looseObject({})),
  trail: z.looseObject({ whole: z.boolean() }),
  report: z.looseObject({
    status: z.string(),
    transactions: z.array(
      z.looseObject({ index: z.number(), hash: z.string().nullable(), status: z.string() }),
    ),
  }),
  calls: z.array(z.looseObject({ index: z.number() })),
})

const inPage = /<script type="application\/json" id="evidence">([\s\S]*?)<\/script>/

/** Whether a text is the page of an evidence, which shows it to people, and not the evidence alone. */
export const isPage = (text: string): boolean => inPage.test(text)

/**
 * Reads evidence from a file, or out of the page that was made of it. What is none is USAGE; what was changed since it was made, by its hash or
 * because its parts do not fit each other, is EVIDENCE_CHANGED. Whoever changes all of it alike and makes the hash anew is found out by the chain.
 */
export function readEvidence(text: string): Evidence {
  let found: unknown
  try {
    found = JSON.parse(inPage.exec(text)?.[1] ?? text)
  } catch (cause) {
    throw none('it is not JSON', cause)
  }
  const evidence = found as Evidence
  if (typeof found !== 'object' || found === null || evidence.format !== 'sluice-evidence@1')
    throw none('it is not of this program')
  if (hashOf(evidence) !== evidence.sha256) throw changed('its hash does not fit')
  const shape = Shape.safeParse(found)
  if (!shape.success) throw none(`${shape.error.issues[0]!.path.join('.')} is not what it should be`)
  const misfit = misfitOf(shape.data)
  if (misfit !== undefined) throw changed(misfit)
  return evidence
}

const none = (why: string, cause?: unknown): AppError =>
  new AppError('USAGE', `This is no evidence: ${why}`, { cause, hint: 'sluice action export ID --out FILE' })

const changed = (why: string): AppError =>
  new AppError('EVIDENCE_CHANGED', `The evidence was changed after it was made: ${why}`)

const inBlock = ['INCLUDED', 'FINAL_OK', 'FINAL_REVERTED', 'CANCELLED']

/** What in an evidence does not fit the rest of it, in words. */
function misfitOf({ operation, attempts, report }: z.infer<typeof Shape>): string | undefined {
  const of = <T extends string>(words: Readonly<Record<T, string>>, word: string): string | undefined =>
    Object.hasOwn(words, word) ? words[word as T] : undefined
  if (of(statuses, operation.state) !== report.status)
    return `its report says ${report.status} of an action that is ${operation.state}`
  if (report.transactions.length !== operation.steps.length)
    return `its report has ${report.transactions.length} transactions, and the action ${operation.steps.length} steps`
  for (const { index, state, wallet, inclusion } of operation.steps) {
    const step = `step ${index + 1}`
    const reported = report.transactions.find((one) => one.index === index)
    if (!reported || of(stepStatuses, state) !== reported.status)
      return `its report says ${reported?.status ?? 'nothing'} of ${step}, which is ${state}`
    if (!sameAddress(wallet, operation.wallet)) return `${step} is of another wallet`
    if (inBlock.includes(state) && !inclusion) return `${step} is ${state}, and in no block`
    if (!inclusion || !inBlock.includes(state)) continue
    if (reported.hash === null || !sameAddress(reported.hash, inclusion.hash))
      return `its report names another transaction for ${step}`
    if (!attempts.some((one) => one.step === index && sameAddress(one.hash, inclusion.hash)))
      return `${step} has no attempt with the hash that is in its block`
  }
  return undefined
}
