import type { Service } from '../api/service.ts'

type Method = (input: unknown, options?: { signal?: AbortSignal }) => Promise<unknown>

/** The same service, of which a call that its caller gives up ends at once with the reason of the signal, as `fetch` does; what was sent may have been done. */
export const abortable = (service: Service): Service =>
  Object.fromEntries(
    Object.entries(service).map(([name, method]): [string, Method] => [
      name,
      async (input, options) => {
        const { signal } = options ?? {}
        if (!signal) return (method as Method)(input)
        signal.throwIfAborted()
        const work = (method as Method)(input, options)
        // It is told by the signal, however the call itself ends then.
        work.catch(() => undefined)
        return new Promise((done, failed) => {
          const stop = () => failed(signal.reason)
          signal.addEventListener('abort', stop, { once: true })
          const end = () => signal.removeEventListener('abort', stop)
          work.then(done, (error: unknown) => failed(signal.aborted ? signal.reason : error)).finally(end)
        })
      },
    ]),
  ) as unknown as Service
