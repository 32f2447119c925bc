import type { z } from 'zod'
import type { routes } from './routes.ts'

type Routes = typeof routes

/** Everything the product can do, wherever it is done. Implemented twice: by the engine in this process, and over HTTP. */
export type Service = {
  [name in keyof Routes]: (
    input: z.output<Routes[name]['input']>,
    options?: { signal?: AbortSignal },
  ) => Promise<z.output<Routes[name]['output']>>
}
