import { AppError } from '../../domain/errors.ts'

/**
 * Whether a node says that the executed code failed, and not that it could not execute it: code 3 (Geth) or -32015 (Nethermind), or
 * EVM messages.
 */
export function isExecutionError({ code, details }: AppError): boolean {
  if (code !== 'RPC_ERROR') return false
  return isExecutionErrorBody(details as ErrorBody)
}

/** An error body of a node. */
type ErrorBody = { code?: unknown; message?: unknown; data?: unknown }

/** The same for an error body. */
export const isExecutionErrorBody = ({ code, message }: ErrorBody): boolean =>
  code === 3 ||
  code === -32015 ||
  /revert|execution fail|bad jump|opcode|out ?of ?gas|stack (under|over)|bad instruction|invalid jump|vm execution/i.test(
    String(message),
  )

/** Whether a text is about a rate limit. */
export const isRateLimitText = (words: string): boolean =>
  /\brate\b|(per |\/)(second|minute|hour|day)\b|\brps\b|too many requests?\b|(request|call) limit|retry (in|after)|throttl|quota|credits|compute units/i.test(
    words,
  )

/**
 * Whether a text says that a gateway has no node at the moment, or none for this caller (sources: the errors of proxyd, in front of
 * the public nodes of Base and Optimism; of Cloudflare, -32046).
 */
const isUnavailableText = (words: string): boolean =>
  /must be authenticated|(missing|invalid) (api key|project id)|usage limit|cannot fulfill request|(endpoint|service|network|gateway)\b.* no longer available|over.?capacity|capacity exceeded|backend (is )?(offline|currently not healthy)|no backend|gateway timeout|temporarily unavailable/i.test(
    words,
  )

/**
 * Whether a node or gateway refuses a call temporarily: rate limit or overload. Gateways also use status 200, and single errors in
 * a batch (sources: EIP-1474, -32005; QuickNode "429 errors explained"; proxyd). For logs it may mean too many results, which the
 * caller decides; a contract's error never counts.
 */
export function isNodeBusy(said: ErrorBody, method: string): boolean {
  const words = String(said.message)
  if (method === 'eth_getLogs' || isExecutionErrorBody(said) || /^0x/.test(String(said.data))) return false
  // Besu uses that code for "too large", and a simulation for a fee that is too low.
  const isLimit = said.code === -32005 && !/batch|gas|fee|range|size|block/i.test(words)
  return said.code === 429 || isLimit || isRateLimitText(words) || isUnavailableText(words)
}

/**
 * Whether a node or gateway does not support a method or these parameters: by code (EIP-1474: -32601, -32602, -32004; -32603 is
 * also used for crashes), or by text. Failed executions and block errors of `eth_simulateV1` (-38xxx) do not count.
 */
export function isUnsupportedMethod(error: unknown): boolean {
  if (!(error instanceof AppError && error.code === 'RPC_ERROR')) return false
  const said = error.details as ErrorBody
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
 * Whether a gateway answered one call with an HTTP error page: not found, not allowed, or not implemented. If the node answers
 * other calls, only this one is unsupported.
 */
export const isHttpRefusal = (error: unknown): boolean =>
  error instanceof AppError &&
  error.code === 'RPC_UNREACHABLE' &&
  [403, 404, 405, 501].includes(Number(error.details?.status))

/** Whether a node already has a transaction, in the words of clients. */
export const isAlreadyKnown = (words: string): boolean =>
  /already ?known|already (imported|exists|in )|\bknown transaction/i.test(words) &&
  !/same nonce|nonce (is )?already/i.test(words)

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
export function isBatchTooLarge(said: ErrorBody): boolean {
  const words = String(said.message)
  if (/batch|at once|in one request|array/i.test(words)) return true
  if (isNodeBusy(said, 'batch')) return false
  return said.code === -32600 || /too (many|large|big)|not supported|exceeds max/i.test(words)
}

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
  'redirect',
  'too-large',
  'too-deep',
  'encoded',
  'aborted',
  'refused',
  'silent',
]

/** Whether the same endpoint may answer better next time; redirects, too large answers and plain refusals do not change. */
export function isTransientFault({ details }: AppError): boolean {
  const { fault, status } = details ?? {}
  if (typeof fault === 'string') return !permanentFaults.includes(fault)
  if (typeof status === 'number') return status < 400 || status >= 500 || isBusy(status)
  return true
}
