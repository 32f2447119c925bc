import type { Finding } from '../../cli/health-findings.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import type { OnRetirement, ServiceAccess } from '../../swaps/service-access.ts'
import { serviceKeyFindings } from '../doctor/service-key-findings.ts'
import { isoDayOf, noteRetirement, retirementFindings } from '../doctor/service-retirements.ts'
import type { BackendInputs } from './backend-input-types.ts'

/**
 * The services of swap providers with the keys of the environment. What a service says about the end of an endpoint is kept for `doctor`, and
 * shown with `--debug`. CONFIG_INVALID for a key that is no header text.
 */
export async function servicesOf({
  secrets,
  dirs,
  now,
  globals,
  io,
}: Pick<BackendInputs, 'secrets' | 'dirs' | 'now' | 'globals' | 'io'>): Promise<ServiceAccess> {
  const { serviceAccess, serviceKeysIn } = await import('../../swaps/service-access.ts')
  const traced = (line: string): void => {
    if (globals.debug) io.err.write(io.err.paint.dim(sanitizeText(`http ${line}`).concat('\n')))
  }
  const onRetirement: OnRetirement = (retirement) => {
    noteRetirement(dirs, retirement, now())
    const { host, path, deprecatedAt, goneAt } = retirement
    const since = deprecatedAt === null ? '' : ` deprecated ${isoDayOf(deprecatedAt)}`
    const until = goneAt === null ? '' : ` gone ${isoDayOf(goneAt)}`
    traced(`${host} ${path}${since}${until}`)
  }
  return serviceAccess(serviceKeysIn(secrets.serviceKeys), onRetirement, traced)
}

/** Whether services accept their keys, and what they said about the end of what this setup asks of them, for `doctor`. */
export async function providerServiceFindings(
  needs: Pick<BackendInputs, 'secrets' | 'dirs' | 'now' | 'globals' | 'io'>,
  catalog: Catalog,
): Promise<Finding[]> {
  const access = await servicesOf(needs)
  const ending = retirementFindings(needs.dirs, needs.now(), access.hasKey)
  return [...(await serviceKeyFindings(catalog, access)), ...ending]
}
