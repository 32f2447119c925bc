import type { Backend } from '../../cli/backend-types.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { EngineInputs } from '../../engine/engine.ts'
import { catalogOn } from '../../protocols/catalog-operations.ts'
import { once } from '../once.ts'
import type { BackendInputs } from './backend-input-types.ts'
import { providerServiceFindings, servicesOf } from './services-with-keys.ts'
import { swapProvidersFrom, swapSettingsFrom } from './swap-providers-and-quote-deadline.ts'

type OpenEngine = Pick<EngineInputs, 'catalog' | 'rpc' | 'store' | 'now' | 'externalPrices'>

/** Builds the parts of a profile whose service is the engine in this process. */
export function localEngine(
  needs: BackendInputs,
  opened: () => Promise<OpenEngine>,
): Pick<
  Backend,
  | 'swapProviders'
  | 'reference'
  | 'deposits'
  | 'rawResponses'
  | 'announced'
  | 'service'
  | 'serviceOn'
  | 'findings'
> {
  const { env, io, globals, now, newId } = needs
  const shown = new Set<string>()
  /** Warns once about each network or quote; `--quiet` suppresses warnings. */
  const warn = (about: string, line: string) => {
    if (globals.quiet || shown.has(about)) return
    shown.add(about)
    io.err.write(`${sanitizeText(line)}\n`)
  }
  const engine = once(async () => {
    const { catalog, ...chains } = await opened()
    const { createEngineService } = await import('../../engine/engine.ts')
    const swaps = await swapSettingsFrom(env, await servicesOf(needs))
    return (on?: number) =>
      createEngineService({
        ...chains,
        ...swaps,
        catalog: on === undefined ? catalog : catalogOn(catalog, (chainId) => chainId === on),
        customer: 'local',
        // Commands choose after gas.
        choice: 'after-gas',
        newId,
        onMissingNetwork: ({ name }, fault, isThrown) => {
          if (fault && !isThrown)
            warn(name, `${name} does not answer, so its strategies are not listed: ${fault.message}`)
        },
        onUnreadableQuote: (quoteId) =>
          warn(quoteId, `The quote ${quoteId} is unreadable, so it is not listed`),
      })
  })
  return {
    swapProviders: swapProvidersFrom(env),
    reference: undefined,
    deposits: undefined,
    rawResponses: undefined,
    announced: undefined,
    service: once(async () => (await engine())()),
    serviceOn: async (chainId) => (await engine())(chainId),
    findings: async () => {
      const { catalog, rpc } = await opened()
      const [{ networkFindings }, { databaseFindings }] = await Promise.all([
        import('../doctor/network-findings.ts'),
        import('../doctor/database-findings.ts'),
      ])
      const [networks, database] = await Promise.all([
        networkFindings({ catalog, rpc, now }),
        databaseFindings(needs),
      ])
      return [...database, ...networks, ...(await providerServiceFindings(needs, catalog))]
    },
  }
}
