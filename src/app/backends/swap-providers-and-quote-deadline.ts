import { AppError } from '../../domain/errors.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { SwapSettings } from '../../engine/chain-services.ts'
import type { ServiceAccess } from '../../swaps/service-access.ts'

/** The variables with the swap providers to use and the time limit of a quote in seconds. */
const variables = { providers: 'SLUICE_SWAP_PROVIDERS', deadline: 'SLUICE_QUOTE_DEADLINE' } as const

/** Maximum size of a file with a provider's keys, in bytes. */
const mostSecretBytes = 16_384

/**
 * Returns the swap providers in the environment, in lower case. A remote service may have providers that this program
 * does not know.
 */
export const swapProvidersFrom = (
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] | undefined => {
  const names = env[variables.providers]
    ?.split(',')
    .map((name) => name.trim().toLowerCase())
    .filter(Boolean)
  return names && names.length > 0 ? names : undefined
}

/**
 * Returns the engine's swap providers and quote time limit from the environment. CONFIG_INVALID for an unknown name
 * or a bad number.
 */
export async function swapSettingsFrom(
  env: Readonly<Record<string, string | undefined>>,
  services: ServiceAccess,
): Promise<{ swaps: SwapSettings }> {
  const [names, seconds] = [env[variables.providers], env[variables.deadline]]
  return {
    swaps: {
      services,
      secretAt: async (path) =>
        (await import('../../signing/read-private-file.ts')).readPrivateFile(path, mostSecretBytes),
      ...(names && { providers: await providersIn(names) }),
      ...(seconds && { quoteDeadlineMs: deadlineIn(seconds) }),
    },
  }
}

async function providersIn(text: string): Promise<string[]> {
  const [{ swapProviderNames: swaps }, { depositProviderNames }] = await Promise.all([
    import('../../swaps/swap-provider-registry.ts'),
    import('../../swaps/deposit-provider-registry.ts'),
  ])
  const swapProviderNames = [...swaps, ...depositProviderNames]
  const names = text.split(',').map((name) => name.trim().toLowerCase())
  const unknown = names.find((name) => !swapProviderNames.includes(name))
  if (unknown === undefined) return names
  throw new AppError(
    'CONFIG_INVALID',
    `${variables.providers} names "${sanitizeText(unknown)}", which is not a swap provider`,
    {
      next: `Set it to one or more of these, comma-separated: ${swapProviderNames.join(',')}`,
    },
  )
}

function deadlineIn(text: string): number {
  const seconds = /^\d{1,2}(\.\d{1,3})?$/.test(text) ? Number(text) : 0
  if (seconds >= 0.1 && seconds <= 60) return seconds * 1_000
  throw new AppError('CONFIG_INVALID', `${variables.deadline} is not a number of seconds from 0.1 to 60`, {
    next: `export ${variables.deadline}=4`,
  })
}
