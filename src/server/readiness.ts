import { AppError } from '../domain/errors.ts'

/** Something that a server needs to answer: its database, its schema, or a chain, which is one of several. `work` throws if it is missing. */
export type ReadinessCheck = { name: string; work: () => Promise<unknown>; isChain?: true }

/** Whether a server can answer. `problem` is an error code, and never a message, because this is public. */
export type Readiness = {
  status: 'ready' | 'not-ready' | 'stopping'
  checks: { name: string; ok: boolean; problem: string | null }[]
  /** The names of the checks that failed. A server without one chain is ready for the others. */
  missing: string[]
}

/** How long a result is kept, and how long a check may take, in ms. Whoever asks, a node is asked at most once in this time. */
const [keptMs, limitMs] = [2_000, 4_000]

/**
 * Reads the readiness of a server: everything that is no chain, at least one chain, and what is in `required`. So a chain that is down for all instances does
 * not take all of them from a balancer. `isStopping` is true once the server was told to stop.
 */
export function readinessOf(
  checks: readonly ReadinessCheck[],
  isStopping: () => boolean = () => false,
): (required?: readonly string[]) => Promise<Readiness> {
  const results = checks.map(({ name, work, isChain = false }) => {
    let last: { at: number; result: Promise<string | null> } | undefined
    return {
      name,
      isChain,
      read: (): Promise<string | null> => {
        const now = performance.now()
        if (!last || now - last.at > keptMs) last = { at: now, result: problemOf(work) }
        return last.result
      },
    }
  })
  return async (required = []) => {
    const read = await Promise.all(
      results.map(async (one) => {
        const problem = await one.read()
        return { name: one.name, ok: problem === null, problem }
      }),
    )
    const failed = read.filter(({ ok }) => !ok).map(({ name }) => name)
    const unknown = required.filter((name) => !results.some((one) => one.name === name))
    const missing = [...failed, ...unknown]
    const chains = results.filter(({ isChain }) => isChain).map(({ name }) => name)
    const isNeeded = (name: string) => !chains.includes(name) || required.includes(name)
    const hasChain = chains.length === 0 || chains.some((name) => !failed.includes(name))
    const isReady = hasChain && !missing.some(isNeeded)
    const status = isStopping() ? 'stopping' : isReady ? 'ready' : 'not-ready'
    return { status, checks: read, missing }
  }
}

/** `null` if a check passes in time, else a code. */
async function problemOf(work: () => Promise<unknown>): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('TIMEOUT'), limitMs)
  })
  const done = (async () => work())().then(
    () => null,
    (error: unknown) => (error instanceof AppError ? error.code : 'FAILED'),
  )
  return Promise.race([done, late]).finally(() => clearTimeout(timer))
}
