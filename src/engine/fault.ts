import { AppError } from '../domain/errors.ts'

/** The transport fault at the bottom of an error of viem, if it is one; a contract's refusal is none. */
export function faultOf(error: unknown): AppError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof AppError) return cause
  return undefined
}
