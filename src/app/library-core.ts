import type { Service } from '../api/service.ts'
import { AppError } from '../domain/errors.ts'
import { once } from './backends/backend.ts'

/**
 * A service of the library: each method takes a `signal` and rejects with its reason when aborted.
 * `close` releases everything.
 */
export type Core = Service & { close: () => Promise<void> }

type Method = (input: unknown, options?: { signal?: AbortSignal }) => Promise<unknown>

/**
 * Makes a service of the library: an aborted call rejects at once with the reason of the signal, as
 * `fetch` does, although its request may be executed; after `close` each call is USAGE.
 */
export function coreOf(service: Service, close: () => Promise<void>): Core {
  let isClosed = false
  const asked = async (method: Method, input: unknown, signal: AbortSignal | undefined) => {
    signal?.throwIfAborted()
    try {
      if (!isClosed) return await unlessAborted(method(input, { ...(signal && { signal }) }), signal)
    } catch (error) {
      // A call in progress fails when the service is closed, with any error.
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
    // The signal decides the error, however the call itself ends.
    work.then(done, (error: unknown) => failed(signal.aborted ? signal.reason : error)).finally(end)
  })
}
