import type { z } from 'zod'
import type { routes } from './routes.ts'

type Routes = typeof routes

/** All operations of the product. Two implementations: the engine in this process, and the client over HTTP. */
export type Service = {
  [name in keyof Routes]: (
    input: z.output<Routes[name]['input']>,
    options?: { signal?: AbortSignal },
  ) => Promise<z.output<Routes[name]['output']>>
}
