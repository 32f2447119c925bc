import { AppError } from '../domain/errors.ts'

/** Something that a server needs to answer: its database, its schema, or a chain. `work` throws if it is missing. */
export type ReadinessCheck = { name: string; work: () => Promise<unknown> }

/** Whether a server can answer. `problem` is an error code, and never a message, because this is public. */
export type Readiness = {
  status: 'ready' | 'not-ready' | 'stopping'
  checks: { name: string; ok: boolean; problem: string | null }[]
  /** The names of the checks that failed. */
  missing: string[]
}

/** How long a result is kept, and how long a check may take, in ms. Whoever asks, a node is asked at most once in this time. */
const [keptMs, limitMs] = [2_000, 4_000]

/** Reads the readiness of a server; checks in `exclude` are left out. `isStopping` is true once the server was told to stop. */
export function readinessOf(
  checks: readonly ReadinessCheck[],
  isStopping: () => boolean = () => false,
): (exclude?: readonly string[]) => Promise<Readiness> {
  const results = checks.map(({ name, work }) => {
    let last: { at: number; result: Promise<string | null> } | undefined
    return {
      name,
      read: (): Promise<string | null> => {
        const now = performance.now()
        if (!last || now - last.at > keptMs) last = { at: now, result: problemOf(work) }
        return last.result
      },
    }
  })
  return async (exclude = []) => {
    const read = await Promise.all(
      results
        .filter(({ name }) => !exclude.includes(name))
        .map(async (one) => {
          const problem = await one.read()
          return { name: one.name, ok: problem === null, problem }
        }),
    )
    const missing = read.filter(({ ok }) => !ok).map(({ name }) => name)
    const status = isStopping() ? 'stopping' : missing.length > 0 ? 'not-ready' : 'ready'
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
