import { AppError, errorRow } from '../domain/errors.ts'
import { isInFlight } from '../domain/step-state.ts'
import {
  type Advice,
  bothAdvices,
  type CommandName,
  type Flags,
  type Next,
  partsOf,
  sluice,
  withFlags,
} from '../domain/text/next-step.ts'
import type { JournalOperation } from '../planning/execution-context-types.ts'
import { adviceAfterFix, continueAdvice, isPolicyFileFault } from '../transactions/outcome/continue-hints.ts'
import { outcomeOf } from '../transactions/outcome/outcome.ts'
import type { ResumingVerb, SignedOperation } from './program-context-types.ts'

/**
 * The error for a command that failed while its operation has signed transactions: the exit code is
 * that of the operation, and the failure is its cause.
 */
export function afterSigning(error: AppError, { operation, report, again, verb }: SignedOperation): AppError {
  const { code, message, next } = failureAfterSigning(error, operation, verb)
  const flags = flagsFor(error, again)
  const parts = partsOf(next)
  const last = parts.at(-1)
  return new AppError(code, message, {
    cause: error,
    details: {
      ...error.details,
      id: operation.id,
      operation: operation.id,
      cause: error.code,
      action: report,
    },
    next: [
      ...parts.slice(0, -1),
      ...(last === undefined ? [] : [needsSigner(last) ? withFlags(last, flags) : last]),
    ],
  })
}

/**
 * The flags to add to the resume command: the signer as it was given, unless the signer was the fault,
 * and what the failure found missing.
 */
function flagsFor({ code, details }: AppError, again: Flags): Flags {
  const password = { '--password-file': 'PATH' }
  if (typeof details?.passwordOf === 'string') return { '--wallet': details.passwordOf, ...password }
  if (typeof details?.owner === 'string')
    return { '--wallet': details.owner, ...(again['--password-file'] !== undefined && password) }
  if (errorRow(code).exit === 13) return {}
  if (code === 'KEY_REQUIRED' && details?.named === false) return { '--wallet': 'NAME' }
  return code === 'IDEMPOTENCY_KEY_REQUIRED' ? { ...again, '--idempotency-key': 'KEY' } : again
}

/** Whether a part of an advice is a command that signs for this operation, and names no signer. */
const needsSigner = (part: string | Next): part is Next =>
  typeof part !== 'string' &&
  (resuming.has(part.command) || (confirmed.has(part.command) && part.flags['--yes'] === true)) &&
  part.flags['--wallet'] === undefined

const resuming: ReadonlySet<Next['command']> = new Set<CommandName>([
  'action resume',
  'action replan',
  'action speed-up',
])
const confirmed: ReadonlySet<Next['command']> = new Set<CommandName>(['action cancel', 'action revoke'])

type AfterSigning = { code: AppError['code']; message: string; next: Advice }

/** The error code, message and hint for an operation that this command did not resume. */
function failureAfterSigning(
  error: AppError,
  operation: JournalOperation,
  verb: SignedOperation['verb'],
): AfterSigning {
  const { id, state } = operation
  const why = reasonOf(error)
  const fixed = bothAdvices(remedyOf(error), adviceAfterFix(error, again(id, verb)))
  // A missing confirmation is given by --yes, not by resuming.
  const typed =
    error.code === 'PROMPT_NEEDED' &&
    error.next?.some((part) => typeof part !== 'string' && part.command !== 'same')
      ? error.next
      : undefined
  if (state !== 'EXECUTING' && state !== 'PARTIAL' && state !== 'OPEN')
    return failureOfEnded(error, operation, verb, { typed, fixed })
  const dropped = droppedFor(error, id)
  if (dropped !== undefined)
    return {
      code: 'PENDING',
      message: `${dropped} was closed before it was signed. The same request was started again under its key as ${id}, which has signed transactions`,
      next: fixed,
    }
  if (error.code === 'INTERRUPTED')
    return {
      code: 'PENDING',
      message: `Interrupted. ${id} has signed transactions and is not finished`,
      // A person who wanted to stop the operation still does.
      next:
        verb === 'revoke' || verb === 'abandon' || verb === 'cancel'
          ? again(id, verb)
          : sluice('action resume', id),
    }
  return goesOn(error, operation)
    ? {
        code: 'PENDING',
        message: `${id} has signed transactions, and this command ${undone[verb ?? 'resume']}: ${why}`,
        next: typed ?? fixed,
      }
    : {
        code: 'PARTIAL',
        message: `${id} is partly done, and this command ${verb === undefined || verb === 'resume' ? 'did not continue with the rest' : undone[verb]}: ${why}`,
        next: typed ?? bothAdvices(remedyOf(error), continueAdvice(error, id, again(id, verb))),
      }
}

/** The same for an operation that has ended, or waits for a decision. A finished one can still have its allowances revoked. */
function failureOfEnded(
  error: AppError,
  operation: JournalOperation,
  verb: SignedOperation['verb'],
  { typed, fixed }: { typed: Advice | undefined; fixed: Advice },
): AfterSigning {
  const { id, state } = operation
  const why = reasonOf(error)
  const revoking = () => continueAdvice(error, id, again(id, verb))
  if (state === 'DONE')
    return {
      code: 'PENDING',
      message: `Action ${id} has already completed. ${verb === 'revoke' ? unrevoked : 'This command failed'}: ${why}`,
      next: verb === 'revoke' ? revoking() : sluice('action show', id),
    }
  const { code, message, next } = endOf(operation)
  if (verb === 'revoke') {
    const end =
      code === 'PARTIAL'
        ? `${id} is closed, but its allowances are not revoked yet`
        : `${message}. ${unrevoked}`
    return { code, message: `${end}: ${why}`, next: revoking() }
  }
  return {
    code,
    message: `${message}. This command changed nothing: ${why}`,
    next:
      state === 'ATTENTION' && isPolicyFileFault(error)
        ? fixed
        : (typed ?? next ?? sluice('action explain', id)),
  }
}

/** The id of the operation that was replaced by another one with the same key, if the failure says so. */
function droppedFor({ code, details }: AppError, id: string): string | undefined {
  const of = details?.operation
  return code === 'DECLINED' && typeof of === 'string' && of !== id ? of : undefined
}

/** What a command that failed did not do for an operation that has signed transactions. */
const undone: Readonly<Record<ResumingVerb, string>> = {
  submit: 'did not resume it',
  resume: 'did not resume it',
  replan: 'made no new plan for its rest',
  revoke: 'revoked none of its allowances',
  'speed-up': 'did not raise its fee',
  cancel: 'did not cancel it',
  abandon: 'did not close it',
  watch: 'could not follow it',
}

const unrevoked = 'Its remaining allowances were not revoked'

/** The command that repeats what was requested. */
const again = (id: string, verb: SignedOperation['verb'] = 'resume'): Next =>
  sluice(
    `action ${verb}`,
    id,
    verb === 'revoke' || verb === 'replan' || verb === 'cancel' || verb === 'abandon'
      ? { '--yes': true }
      : {},
  )

/** Whether a transaction is pending or the failure is retryable; the same rule as at the end of a run. */
const goesOn = ({ code }: AppError, { steps }: JournalOperation): boolean =>
  code === 'BUG' || errorRow(code).retryable === true || steps.some(isInFlight)

/** The error that an unsuccessful operation ends with. */
function endOf(operation: JournalOperation): AppError {
  try {
    outcomeOf(operation)
  } catch (end) {
    if (end instanceof AppError) return end
    throw end
  }
  throw new AppError('BUG', `Action ${operation.id} is ${operation.state}, and succeeded`)
}

/** What to do about a service, a node or a disk before the command is run again, unless it is another form of the line that ran. */
function remedyOf({ code, next }: AppError): Advice | undefined {
  const isOutside = [6, 7, 12].includes(errorRow(code).exit)
  return isOutside && next?.every((part) => typeof part === 'string' || part.command !== 'same')
    ? next
    : undefined
}

/** A failure as the end of a sentence. */
function reasonOf({ code, brief, details }: AppError): string {
  if (code === 'INTERRUPTED') return 'interrupted'
  // Without an operation, the person declined.
  if (code === 'DECLINED' && details?.operation === undefined) return 'declined'
  return brief
}
