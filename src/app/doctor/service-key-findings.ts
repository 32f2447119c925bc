import { doubtful, type Finding, fine } from '../../cli/health-findings.ts'
import { AppError } from '../../domain/errors.ts'
import { advice, sluice } from '../../domain/text/next-step.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import { keyedServices, keyVariable } from '../../protocols/public-services.ts'
import type { ServiceAccess } from '../../swaps/service-access.ts'

/** How long a service may take to answer, in ms. */
const answerMs = 10_000

/** Tries the keys that are set, of the services that document a call for that; a refusal is a warning. */
export async function serviceKeyFindings(catalog: Catalog, access: ServiceAccess): Promise<Finding[]> {
  const set = keyedServices.filter((name) => access.hasKey(name))
  if (set.length === 0) return []
  const { swapDefinitions } = await import('../../swaps/swap-provider-registry.ts')
  const found = set.map(async (name): Promise<Finding[]> => {
    const { checkKey, title } = swapDefinitions.find((one) => one.name === name) ?? {}
    if (!checkKey) return []
    try {
      await checkKey(catalog, access, AbortSignal.timeout(answerMs))
      return [fine('service', name, `${title} accepts the key in ${keyVariable(name)}`)]
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const next =
        error.next ?? advice`Check ${keyVariable(name)}: ${sluice('config list', { '--show-origin': true })}`
      return [doubtful('service', name, error.message, next, { code: error.code })]
    }
  })
  return (await Promise.all(found)).flat()
}
