import type { Globals } from '../../cli/options/global-options.ts'
import type { Io } from '../../cli/terminal/stream.ts'
import type { AppError } from '../../domain/errors.ts'
import type { Network } from '../../domain/networks.ts'
import { sanitizeText } from '../../domain/terminal-sanitizing.ts'

/** Says once for each network that it does not answer, so that its strategies are left out; `--quiet` says nothing. */
export function warnSilentNetworks(
  { err }: Io,
  { quiet }: Globals,
): (network: Network, fault: AppError | null) => void {
  const told = new Set<number>()
  return ({ name, chainId }, fault) => {
    if (quiet || fault === null || told.has(chainId)) return
    told.add(chainId)
    err.write(
      `${sanitizeText(`${name} does not answer, so its strategies are not listed: ${fault.message}`)}\n`,
    )
  }
}
