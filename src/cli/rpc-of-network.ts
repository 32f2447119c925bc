import { AppError } from '../domain/errors.ts'

/** Whether this profile has an RPC for a chain. Sends no request. */
export function hasRpc(rpc: (chainId: number) => unknown, chainId: number): boolean {
  try {
    rpc(chainId)
    return true
  } catch (error) {
    if (error instanceof AppError && error.code === 'CONFIG_INVALID') return false
    throw error
  }
}
