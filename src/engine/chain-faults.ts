import { AppError } from '../domain/errors.ts'
import type { Network } from '../domain/networks.ts'

/** Whether an error means that a chain does not answer, or is another one. */
export const isChainFault = (error: unknown): error is AppError =>
  error instanceof AppError && /^(RPC_|CHAIN_ID_)/.test(error.code)

/** Returns the error of one network with the names of all networks, when none of them answers. */
export const withAllNetworks = (
  { code, message, details, hint, cause }: AppError,
  all: readonly Network[],
): AppError =>
  new AppError(code, message, {
    details: { ...details, networks: all.map(({ name }) => name) },
    cause,
    ...(hint !== undefined && { hint }),
  })
