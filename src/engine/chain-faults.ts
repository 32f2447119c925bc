import { AppError } from '../domain/errors.ts'
import type { Network } from '../domain/networks.ts'

/** Whether an error means that a chain does not answer, or is another one. */
export const isChainFault = (error: unknown): error is AppError =>
  error instanceof AppError && /^(RPC_|CHAIN_ID_)/.test(error.code)

/** Whether a chain did not answer in time, so that asking it again may take as long. */
export const isTimeout = ({ details }: AppError): boolean =>
  ['deadline', 'silent', 'time over'].includes(String(details?.fault))

/** Returns an error of one network with the names of all networks, for the case that none answers. */
export const withAllNetworks = (error: AppError, all: readonly Network[]): AppError =>
  error.with({ details: { networks: all.map(({ name }) => name) } })
