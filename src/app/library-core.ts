import type { Service } from '../api/service.ts'
import { AppError } from '../domain/errors.ts'
import { once } from './backends/backend.ts'

/** A core: each method takes a `signal`, and rejects with its reason where it is aborted. And how it is ended: what it opened is closed, and nothing of it keeps a process alive. */
export type Core = Service & { close: () => Promise<void> }

type Method = (input: unknown, options?: { signal?: AbortSignal }) => Promise<unknown>

/** A service as the library gives it: a call that its caller gives up ends at once with the reason of the signal, as `fetch` does, and what was sent may have been done; after `close` each is USAGE. */
export function coreOf(service: Service, close: () => Promise<void>): Core {
  let isClosed = false
  const asked = async (method: Method, input: unknown, signal: AbortSignal | undefined) => {
    signal?.throwIfAborted()
    try {
      if (!isClosed) return await unlessAborted(method(input, { ...(signal && { signal }) }), signal)
    } catch (error) {
      // What was on its way is cut off by the end, in whatever words.
      if (!isClosed || signal?.aborted) throw error
    }
    throw new AppError('USAGE', 'The service is closed', {
      hint: 'Create a new one with createEngine or createRemote',
    })
  }
  const methods = Object.entries(service).map(([name, method]): [string, Method] => [
    name,
    (input, options) => asked(method as Method, input, options?.signal),
  ])
  return {
    ...(Object.fromEntries(methods) as unknown as Service),
    close: once(async () => {
      isClosed = true
      await close()
    }),
  }
}

function unlessAborted(work: Promise<unknown>, signal: AbortSignal | undefined): Promise<unknown> {
  if (!signal) return work
  return new Promise((done, failed) => {
    const stop = () => failed(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    const end = () => signal.removeEventListener('abort', stop)
    // It is told by the signal, however the call itself ends then.
    work.then(done, (error: unknown) => failed(signal.aborted ? signal.reason : error)).finally(end)
  })
}
