import { AppError } from '../../domain/errors.ts'
import { timeOverFault } from '../../http/waits.ts'
import { isExecutionErrorBody, type NodeErrorBody, readErrorClass } from './error-table.ts'

/**
 * Whether a node says that the executed code failed, and not that it could not execute it: code 3 (Geth) or -32015 (Nethermind), or
 * EVM messages.
 */
export function isExecutionError({ code, details }: AppError): boolean {
  if (code !== 'RPC_ERROR') return false
  return isExecutionErrorBody(details as NodeErrorBody)
}

/**
 * Whether a node or gateway does not support a method or these parameters: by code (EIP-1474: -32601, -32602, -32004; -32603 is
 * also used for crashes), or by text. Failed executions and block errors of `eth_simulateV1` (-38xxx) do not count.
 */
export function isUnsupportedMethod(error: unknown): boolean {
  if (!isNodeError(error)) return false
  const said = error.details as NodeErrorBody
  const isOfBlocks = Number(said.code) <= -38_000 && Number(said.code) > -39_000
  if (isOfBlocks || isExecutionErrorBody(said) || typeof said.data === 'string' || isUnknownBlock(error))
    return false
  return (
    [-32601, -32602, -32603, -32004].includes(Number(said.code)) || isUnsupportedText(String(said.message))
  )
}

/**
 * Whether a node lacks a method altogether, by code (-32601, -32004) or text; an internal error or invalid parameters (-32603,
 * -32602) are something else.
 */
export function isMethodMissing(error: unknown): boolean {
  const { code, message } = (error instanceof AppError ? error.details : undefined) ?? {}
  if (code === -32601 || code === -32004) return true
  if (code === -32603 || code === -32602) return false
  return /not (available|supported|enabled|implemented|whitelisted|allowed)|disabled|no such method/i.test(
    String(message),
  )
}

/** The same by text alone. */
const isUnsupportedText = (words: string): boolean =>
  /method .*(not|un)|(unknown|invalid|no such) method|(un|not )(supported|enabled|implemented|whitelisted|allowed|authori[sz]ed)|disabled|forbidden|denied|blocked|restricted|crashed|upgrade/i.test(
    words,
  )

/**
 * Whether a gateway answered one call with HTTP status 403, 404, 405 or 501. If the node answers other calls, only this one is
 * unsupported.
 */
export const isHttpRefusal = (error: unknown): boolean =>
  error instanceof AppError &&
  error.code === 'RPC_UNREACHABLE' &&
  [403, 404, 405, 501].includes(Number(error.details?.status))

/** Whether a node lacks the requested block: by the code of a missing resource (EIP-1474), or in the words of clients. */
export function isUnknownBlock(error: unknown): boolean {
  if (!(error instanceof AppError && error.code === 'RPC_ERROR')) return false
  const said = error.details as { code?: unknown; message?: unknown }
  // Gateways use that code for methods that they do not pass on.
  if (isUnsupportedText(String(said.message))) return false
  return (
    said.code === -32001 ||
    /(header|block|hash).* (not|could not be) found|unknown block|block.?out.?of.?range/i.test(
      String(said.message),
    )
  )
}

/**
 * Whether an error in place of all answers refuses the batch size: by the code of an invalid request, or by text. A rate limit does
 * not count.
 */
export function isBatchTooLarge(said: NodeErrorBody): boolean {
  const words = String(said.message)
  if (/batch|at once|in one request|array/i.test(words)) return true
  if (readErrorClass(said, 'batch') === 'busy') return false
  return said.code === -32600 || /too (many|large|big)|not supported|exceeds max/i.test(words)
}

/** The fault of an error that a node gives for a failure of its own: RPC_UNREACHABLE, because it is no answer. */
export const temporaryFault = 'temporary'

/** Whether a node gave an error to a call, be it an answer or a failure of its own. */
export const isNodeError = (error: unknown): error is AppError =>
  error instanceof AppError &&
  (error.code === 'RPC_ERROR' ||
    (error.code === 'RPC_UNREACHABLE' && error.details?.fault === temporaryFault))

/** The transport fault inside an error of viem; `undefined` for a contract's refusal. */
export function transportFaultOf(error: unknown): AppError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof AppError) return cause
  return undefined
}

/** Whether an HTTP status asks to try again later. */
export const isBusy = (status: number): boolean => status === 408 || status === 425 || status === 429

const permanentFaults = [
  'certificate',
  'proxy',
  'redirect',
  'too-large',
  'too-deep',
  'encoded',
  'aborted',
  'refused',
  'silent',
  timeOverFault,
]

/** Whether the same endpoint may answer better next time; redirects, too large answers and plain refusals do not change. */
export function isTransientFault({ details }: AppError): boolean {
  const { fault, status } = details ?? {}
  if (typeof fault === 'string') return !permanentFaults.includes(fault)
  if (typeof status === 'number') return status < 400 || status >= 500 || isBusy(status)
  return true
}
