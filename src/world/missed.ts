import type { Globals } from '../cli/globals.ts'
import type { Io } from '../cli/terminal/io.ts'
import type { AppError } from '../domain/errors.ts'
import type { Network } from '../domain/network.ts'
import { plain } from '../domain/text.ts'

/** Says once for each network that it does not answer, so that its strategies are left out; `--quiet` says nothing. */
export function missedOn(
  { err }: Io,
  { quiet }: Globals,
): (network: Network, fault: AppError | null) => void {
  const told = new Set<number>()
  return ({ name, chainId }, fault) => {
    if (quiet || fault === null || told.has(chainId)) return
    told.add(chainId)
    err.write(`${plain(`${name} does not answer, so its strategies are left out: ${fault.message}`)}\n`)
  }
}
