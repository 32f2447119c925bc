import { AppError } from '../../domain/errors.ts'
import { depositProviderNames } from '../deposit-provider-registry.ts'
import { swapProviderNames } from '../swap-provider-registry.ts'

/** The names of all providers that this version knows, of every kind of swap. */
const registered: readonly string[] = [...swapProviderNames, ...depositProviderNames]

/**
 * The error for a preferred provider that is not among those asked for a route. PREFERRED_PROVIDER_NOT_ELIGIBLE for a provider that this version
 * knows, because it serves other routes or is not set up here; INVALID_PREFERRED_PROVIDER for any other name.
 */
export function notAmong(preferred: string, asked: readonly string[], of = ''): AppError {
  const name = preferred.toLowerCase()
  const those = asked.join(', ') || 'none'
  return registered.includes(name)
    ? new AppError(
        'PREFERRED_PROVIDER_NOT_ELIGIBLE',
        `${name} does not serve this route${of}. Providers here${of}: ${those}`,
      )
    : new AppError('INVALID_PREFERRED_PROVIDER', `There is no provider "${preferred}"${of}. Known: ${those}`)
}
