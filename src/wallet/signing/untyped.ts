import { AppError } from '../../domain/errors.ts'
import type { Network } from '../../domain/network.ts'
import type { Token } from '../../domain/token.ts'
import { flag } from './argv.ts'

/** Says that something is not what was typed. */
export const untyped = (what: string): AppError =>
  new AppError('POLICY_TAMPER', `${what}, and that is not what was typed. It was not signed.`)

/** A network that was typed, by name or chain id, is the one that is meant. */
export function refuseNetwork(
  argv: readonly string[],
  name: string,
  chainId: number,
  networks: readonly Network[],
): void {
  const typed = flag(argv, name)?.toLowerCase()
  const network = networks.find((one) => one.chainId === chainId)
  if (typed === undefined || typed === String(chainId) || typed === network?.name) return
  throw untyped(`It is on ${network?.name ?? chainId}`)
}

/** A token that was typed, by symbol or address, is the one that is meant. */
export function refuseToken(argv: readonly string[], name: string, token: Token): void {
  const typed = flag(argv, name)?.toLowerCase()
  if (typed === undefined || [token.symbol.toLowerCase(), token.address.toLowerCase()].includes(typed)) return
  throw untyped(`It is about ${token.symbol} ${token.address}`)
}
