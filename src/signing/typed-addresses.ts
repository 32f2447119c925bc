import { splitNetworkPrefix } from '../domain/address.ts'
import type { FlagName } from '../domain/command-line/flags.ts'
import { type CommandLine, flagValues } from '../domain/command-line/read-command-line.ts'
import type { Exemptions } from '../guard/user-limits-and-exemptions.ts'

/** Whether an address is a value of a flag, which may name its network. */
export const isAddressOf = (line: CommandLine, name: FlagName, address: string): boolean =>
  flagValues(line, name).some(
    (typed) => splitNetworkPrefix(typed).address.toLowerCase() === address.toLowerCase(),
  )

/** The trusted address that was not typed as one. */
export const untypedExemption = (line: CommandLine, { allow, allowTokens }: Exemptions): string | undefined =>
  allow.find((one) => !isAddressOf(line, '--allow-contract', one)) ??
  allowTokens.find((one) => !isAddressOf(line, '--allow-token', one))
