import { AppError, errorRow } from '../domain/errors.ts'
import { shellWord } from '../domain/shell-quoting.ts'
import type { PlannedOperation } from '../planning/context.ts'
import { continueHint, hintAfterFix, isPolicyFileFault } from '../transactions/operations/continue.ts'
import { outcomeOf } from '../transactions/outcome/outcome.ts'
import type { SignedOperation } from './world.ts'

/**
 * A failure before or beside going on with an operation, where something of that is signed: the code is what the operation
 * deserves, as the contract of the exit codes has it, and the failure is its cause.
 */
export function afterSigning(error: AppError, { operation, report, again, verb }: SignedOperation): AppError {
  const { code, message, hint } = failureAfterSigning(error, operation, verb)
  const flags = isResume.test(hint) ? flagsFor(error, again) : ''
  return new AppError(code, message, {
    cause: error,
    details: {
      ...error.details,
      id: operation.id,
      operation: operation.id,
      cause: error.code,
      action: report,
    },
    hint: flags === '' ? hint : `${hint} ${flags}`,
  })
}

/** What a line that goes on has to say beside its command: who signs, as it was typed, unless that was at fault, and what the failure found missing. */
function flagsFor({ code, details }: AppError, again: string): string {
  if (typeof details?.passwordOf === 'string')
    return `--wallet ${shellWord(details.passwordOf)} --password-file PATH`
  if (typeof details?.owner === 'string')
    return `--wallet ${shellWord(details.owner)}`.concat(
      again.includes('--password-file ') ? ' --password-file PATH' : '',
    )
  if (errorRow(code).exit === 13) return ''
  if (code === 'KEY_REQUIRED' && details?.named === false) return '--wallet NAME'
  return code === 'IDEMPOTENCY_KEY_REQUIRED' ? `${again} --idempotency-key KEY`.trimStart() : again
}

/** A line that signs, and so must name who does. */
const isResume = /sluice action (resume|replan|speed-up|(cancel|revoke)(?= \S+ --yes)) [\w-]+( --yes)?$/

type AfterSigning = { code: AppError['code']; message: string; hint: string }

/** How an operation stands, in the words of whoever was to go on with it and did not. */
function failureAfterSigning(
  error: AppError,
  operation: PlannedOperation,
  verb: string | undefined,
): AfterSigning {
  const { id, state } = operation
  const why = reasonOf(error)
  if (error.details?.givenUp === id)
    return {
      code: 'PARTIAL',
      message: `${id} is closed, but its allowances are not revoked yet: ${why}`,
      hint: continueHint(error, id, again(id, 'revoke')),
    }
  const next = hintAfterFix(error, again(id, verb))
  // What only nobody confirmed is confirmed by typing so, and not by going on.
  const typed =
    error.code === 'PROMPT_NEEDED' && error.hint?.startsWith('sluice action ') ? error.hint : undefined
  if (state === 'DONE')
    return {
      code: 'PENDING',
      message: `Action ${id} has already completed. ${verb === 'revoke' ? unrevoked : 'This command failed'}: ${why}`,
      hint: verb === 'revoke' ? continueHint(error, id, again(id, verb)) : `sluice action show ${id}`,
    }
  if (state !== 'EXECUTING' && state !== 'PARTIAL' && state !== 'OPEN') {
    const end = endOf(operation)
    // What is over can be followed by one thing still: that its allowances are taken back.
    if (verb === 'revoke')
      return {
        code: end.code,
        message: `${end.message}. ${unrevoked}: ${why}`,
        hint: continueHint(error, id, again(id, verb)),
      }
    return {
      code: end.code,
      message: `${end.message}. This command changed nothing: ${why}`,
      hint:
        state === 'ATTENTION' && isPolicyFileFault(error)
          ? next
          : (typed ?? end.hint ?? `sluice action explain ${id}`),
    }
  }
  const dropped = droppedFor(error, id)
  if (dropped !== undefined)
    return {
      code: 'PENDING',
      message: `${dropped} was closed before it was signed. The same request was started again under its key as ${id}, which has signed transactions`,
      hint: next,
    }
  if (error.code === 'INTERRUPTED')
    return {
      code: 'PENDING',
      message: `Interrupted. ${id} has signed transactions and is not finished`,
      // Who did not want it to go on does not now.
      hint:
        verb === 'revoke' || verb === 'abandon' || verb === 'cancel'
          ? again(id, verb)
          : `sluice action resume ${id}`,
    }
  return goesOn(error, operation)
    ? {
        code: 'PENDING',
        message: `${id} has signed transactions, and this command did not resume it: ${why}`,
        hint: typed ?? next,
      }
    : {
        code: 'PARTIAL',
        message: `${id} is partly done, and this command did not continue with the rest: ${why}`,
        hint: typed ?? continueHint(error, id, again(id, verb)),
      }
}

/** The operation that gave way to another one with its key while it was to be gone on with, if a failure says that. */
function droppedFor({ code, details }: AppError, id: string): string | undefined {
  const of = details?.operation
  return code === 'DECLINED' && typeof of === 'string' && of !== id ? of : undefined
}

const unrevoked = 'Its remaining allowances were not revoked'

/** What asks for the same once more. */
function again(id: string, verb = 'resume'): string {
  const same = `sluice action ${verb} ${id}`
  return ['revoke', 'replan', 'cancel', 'abandon'].includes(verb) ? `${same} --yes` : same
}

/** Whether a transaction is on its way, or what failed may be over at the next try: by the same rule as at the end of a run. */
const goesOn = ({ code }: AppError, { steps }: PlannedOperation): boolean =>
  code === 'BUG' ||
  errorRow(code).retryable === true ||
  steps.some(({ state }) => state === 'SIGNED' || state === 'BROADCAST' || state === 'INCLUDED')

/** What the end of an operation is told as, that is over and did not come to where it was to. */
function endOf(operation: PlannedOperation): AppError {
  try {
    outcomeOf(operation)
  } catch (end) {
    if (end instanceof AppError) return end
    throw end
  }
  throw new AppError('BUG', `Operation ${operation.id} is ${operation.state}, and ended well`)
}

/** A failure as a part of a sentence: without a word of what was not signed, for of the operation something is; and with what mends it. */
function reasonOf({ code, message, hint, details }: AppError): string {
  if (code === 'INTERRUPTED') return 'interrupted'
  // Without an operation it is a person who did not want to.
  if (code === 'DECLINED' && details?.operation === undefined) return 'declined'
  const what = message.replace(/\s*Nothing was (signed|sent)\.?$/, '').replace(/\.$/, '')
  return hint !== undefined && /^[A-Z].*\.$/.test(hint) ? `${what}. ${hint}` : what
}
