import { AppError } from '../domain/errors.ts'
import type { Endpoint } from './endpoint.ts'
import { type RpcCall, unwrap, unwrapBatch } from './rpc-envelope.ts'

/** So many calls go into one exchange, and fewer where an endpoint takes no more: public ones take a hundred, three, or no batch at all. */
const sizes = [100, 25, 10, 3, 1]

/** The most calls that `askAll` is given. */
export const mostCalls = sizes[0]!

/** So many exchanges go side by side. */
const sideBySide = 8

/** How many calls an endpoint took that had refused more, and until when that is believed, on the monotonic clock: it may have been a mood. */
const taken = new WeakMap<Endpoint, { size: number; until: number }>()
const believedMs = 600_000

/** The answers to a hundred calls or fewer in their order, in as few exchanges as the endpoint takes; the first error answer is thrown. `deadlineMs` is for each exchange. */
export async function askAll(
  endpoint: Endpoint,
  calls: readonly RpcCall[],
  deadlineMs: number,
): Promise<unknown[]> {
  const known = taken.get(endpoint)
  const most = known && performance.now() < known.until ? known.size : mostCalls
  try {
    return await inParts(endpoint, calls, most, deadlineMs)
  } catch (error) {
    let refusal = error
    for (const size of sizes.filter((one) => one < Math.min(most, calls.length))) {
      if (!isRefused(refusal)) throw refusal
      try {
        const answers = await inParts(endpoint, calls, size, deadlineMs)
        taken.set(endpoint, { size, until: performance.now() + believedMs })
        return answers
      } catch (again) {
        refusal = again
      }
    }
    throw refusal
  }
}

async function inParts(
  { host, exchange }: Endpoint,
  calls: readonly RpcCall[],
  size: number,
  deadlineMs: number,
): Promise<unknown[]> {
  const parts = Array.from({ length: Math.ceil(calls.length / size) }, (_, at) =>
    calls.slice(at * size, (at + 1) * size),
  )
  const ask = async (part: readonly RpcCall[]): Promise<unknown[]> => {
    const [only, ...others] = part
    return only && others.length === 0
      ? [unwrap(host, await exchange(only, deadlineMs), only)]
      : unwrapBatch(host, await exchange(part, deadlineMs), part)
  }
  const answers: unknown[] = []
  for (let at = 0; at < parts.length; at += sideBySide)
    answers.push(...(await Promise.all(parts.slice(at, at + sideBySide).map(ask))).flat())
  return answers
}

/** Whether so many calls at once were refused, and not one of them. */
const isRefused = (error: unknown): boolean => error instanceof AppError && error.details?.fault === 'batch'
