import { History } from '../api/position-history.ts'
import type { Service } from '../api/service-type.ts'
import { Wallet } from '../api/wallet-positions.ts'
import { AppError, errorRow } from '../domain/errors.ts'

type Empty = { [name in keyof Service]?: (input: never) => Awaited<ReturnType<Service[name]>> }

/** The empty results of the methods for which a 404 says that there is nothing (the specification: "address not found or has no positions"). */
const empty: Empty = {
  getWallet: ({ address }: { address: string }) =>
    Wallet.decode({ address, positions: [], totalValueUSD: '0' } as never),
  walletHistory: () => History.decode({ transactions: [], page: 1, totalPages: 0, total: 0 }),
}

const other = /\b(strategy|endpoint|route|page)\b/i

/**
 * The empty result that a 404 means; `undefined` for any other error. Its code or message must speak of the wallet or of what it lacks: a
 * missing endpoint, whose message repeats the path, and an unknown strategy stay errors.
 */
export function nothingThere(name: keyof Service, input: unknown, error: unknown): unknown {
  if (!(error instanceof AppError) || errorRow(error.code).status !== 404) return undefined
  const { code = error.code, said = '' } = error.details ?? {}
  const words = `${code} ${error.message} ${said}`.replace(/\S*\/\S*/g, '').replaceAll('_', ' ')
  const isAboutWallet = /\b(wallets?|address|positions?|transactions?|history)\b/i.test(words)
  const isAboutOther = (name === 'getWallet' ? /\b(endpoint|route|page)\b/i : other).test(words)
  return isAboutWallet && !isAboutOther ? empty[name]?.(input as never) : undefined
}
