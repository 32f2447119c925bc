import { AppError } from '../../domain/errors.ts'

/** Whether a node says that the code it ran failed, and not that it could not run it: code 3 (Geth) or -32015 (Nethermind), or words of the machine. */
export function isExecutionError({ code, details }: AppError): boolean {
  if (code !== 'RPC_ERROR') return false
  return isExecutionErrorBody(details as Said)
}

/** What a node says in the place of a result. */
type Said = { code?: unknown; message?: unknown; data?: unknown }

/** The same of an error by itself. */
export const isExecutionErrorBody = ({ code, message }: Said): boolean =>
  code === 3 ||
  code === -32015 ||
  /revert|execution fail|bad jump|opcode|out ?of ?gas|stack (under|over)|bad instruction|invalid jump|vm execution/i.test(
    String(message),
  )

/** Whether words say that somebody was asked too often. */
export const isRateLimitText = (words: string): boolean =>
  /\brate\b|(per |\/)(second|minute|hour|day)\b|\brps\b|too many requests?\b|(request|call) limit|retry (in|after)|throttl|quota|credits|compute units/i.test(
    words,
  )

/** Whether words say that what answers for the nodes has none at the moment, or none for who asks (sources: the errors of proxyd, which stands before the public nodes of Base and Optimism; of Cloudflare, -32046). */
const isAway = (words: string): boolean =>
  /must be authenticated|(missing|invalid) (api key|project id)|usage limit|cannot fulfill request|(endpoint|service|network|gateway)\b.* no longer available|over.?capacity|capacity exceeded|backend (is )?(offline|currently not healthy)|no backend|gateway timeout|temporarily unavailable/i.test(
    words,
  )

/**
 * Whether a node, or what stands before it, does not answer a call for now: it was asked too often, or is too busy. Gateways say so with status 200, too, and of
 * single calls of a batch alone (sources: EIP-1474, -32005; QuickNode "429 errors explained"; proxyd). Of logs it may as well mean that they are too
 * many, which is for the one to read who asked for them; what a contract says is never meant.
 */
export function isNodeBusy(said: Said, method: string): boolean {
  const words = String(said.message)
  if (method === 'eth_getLogs' || isExecutionErrorBody(said) || /^0x/.test(String(said.data))) return false
  // Besu says by that code that something is too large, and a simulation that a fee is too low.
  const isLimit = said.code === -32005 && !/batch|gas|fee|range|size|block/i.test(words)
  return said.code === 429 || isLimit || isRateLimitText(words) || isAway(words)
}

/**
 * Whether a node, or what stands before it, says that it does not offer a method, or not this form of its parameters: by code (EIP-1474: -32601, -32602, -32004; -32603
 * is also what a method says that crashed), or in words. Neither what ran and failed, nor an error of `eth_simulateV1` about its blocks (-38xxx), is that.
 */
export function isUnsupportedMethod(error: unknown): boolean {
  if (!(error instanceof AppError && error.code === 'RPC_ERROR')) return false
  const said = error.details as Said
  const isOfBlocks = Number(said.code) <= -38_000 && Number(said.code) > -39_000
  if (isOfBlocks || isExecutionErrorBody(said) || typeof said.data === 'string' || isUnknownBlock(error))
    return false
  return [-32601, -32602, -32603, -32004].includes(Number(said.code)) || isNotOfferedIn(String(said.message))
}

/** The same of words alone. */
const isNotOfferedIn = (words: string): boolean =>
  /method .*(not|un)|(unknown|invalid|no such) method|(un|not )(supported|enabled|implemented|whitelisted|allowed|authori[sz]ed)|disabled|forbidden|denied|blocked|restricted|crashed|upgrade/i.test(
    words,
  )

/** Whether what stands before a node answered with a page in the place of one call: it is not found, not allowed, or not there. Of a node that answers other calls only this one is meant. */
export const isHttpRefusal = (error: unknown): boolean =>
  error instanceof AppError &&
  error.code === 'RPC_UNREACHABLE' &&
  [403, 404, 405, 501].includes(Number(error.details?.status))

/** Whether a node says that it has a transaction already, in the words of clients. */
export const isAlreadyKnown = (words: string): boolean =>
  /already ?known|already (imported|exists|in )|\bknown transaction/i.test(words) &&
  !/same nonce|nonce (is )?already/i.test(words)

/** Whether a node says that it does not have the block that it was asked about: by the code of a missing resource (EIP-1474), or in the words of clients. */
export function isUnknownBlock(error: unknown): boolean {
  if (!(error instanceof AppError && error.code === 'RPC_ERROR')) return false
  const said = error.details as { code?: unknown; message?: unknown }
  // Gateways give that code to a method that they do not pass on.
  if (isNotOfferedIn(String(said.message))) return false
  return (
    said.code === -32001 ||
    /(header|block|hash).* (not|could not be) found|unknown block|block.?out.?of.?range/i.test(
      String(said.message),
    )
  )
}

/** Whether an error in the place of all answers says that so many calls at once are not taken: by the code of a request that is none, or in words; too many in a while are none. */
export function isBatchTooLarge(said: Said): boolean {
  const words = String(said.message)
  if (/batch|at once|in one request|array/i.test(words)) return true
  if (isNodeBusy(said, 'batch')) return false
  return said.code === -32600 || /too (many|large|big)|not supported|exceeds max/i.test(words)
}

/** The transport fault at the bottom of an error of viem, if it is one; a contract's refusal is none. */
export function transportFaultOf(error: unknown): AppError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof AppError) return cause
  return undefined
}
