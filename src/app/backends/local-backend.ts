import { join } from 'node:path'
import type { ChainClient } from '../../chain/chain-client.ts'
import type { Backend } from '../../cli/backend.ts'
import { AppError } from '../../domain/errors.ts'
import { sanitizeText } from '../../domain/terminal-sanitizing.ts'
import type { EngineOptions } from '../../engine/engine.ts'
import { type Catalog, catalogOn } from '../../protocols/catalog-types.ts'
import type { SignerIdentity } from '../../signing/signer.ts'
import { policyHere } from '../profiles/machine-policy.ts'
import { type BackendInputs, once } from './backend-inputs.ts'
import { displayPrices } from './display-prices.ts'
import { providersNamedIn, swapSettingsFrom } from './swap-settings.ts'

type OpenEngine = Pick<EngineOptions, 'catalog' | 'rpc' | 'store' | 'now' | 'externalPrices'>

/** The parts of a profile whose service is the engine in this process. */
export function localEngine(
  { env, io, globals, now, newId }: BackendInputs,
  opened: () => Promise<OpenEngine>,
): Pick<Backend, 'swapProviders' | 'reference' | 'rawResponses' | 'service' | 'serviceOn' | 'findings'> {
  const told = new Set<string>()
  /** Says once of each network or quote what is wrong with it; `--quiet` says nothing. */
  const warn = (about: string, line: string) => {
    if (globals.quiet || told.has(about)) return
    told.add(about)
    io.err.write(`${sanitizeText(line)}\n`)
  }
  const engine = once(async () => {
    const { catalog, ...chains } = await opened()
    const { createEngine } = await import('../../engine/engine.ts')
    const swaps = await swapSettingsFrom(env)
    return (on?: number) =>
      createEngine({
        ...chains,
        ...swaps,
        catalog: on === undefined ? catalog : catalogOn(catalog, (chainId) => chainId === on),
        customer: 'local',
        newId,
        onMissingNetwork: ({ name }, fault) => {
          if (fault) warn(name, `${name} does not answer, so its strategies are not listed: ${fault.message}`)
        },
        onUnreadableQuote: (quoteId) =>
          warn(quoteId, `The quote ${quoteId} is unreadable, so it is not listed`),
      })
  })
  return {
    swapProviders: providersNamedIn(env),
    reference: undefined,
    rawResponses: undefined,
    service: once(async () => (await engine())()),
    serviceOn: async (chainId) => (await engine())(chainId),
    findings: async () => {
      const { catalog, rpc } = await opened()
      return (await import('../doctor/network-findings.ts')).networkFindings({ catalog, rpc, now })
    },
  }
}

/** The wallet's side of a profile, which is on this machine wherever the service is; `otherwise` signs where nobody was named. */
export function localWallet(
  { dirs, env, settings, secrets, desk, io, globals, now, keep }: BackendInputs,
  opened: () => Promise<{ catalog: Catalog; rpc: (chainId: number) => ChainClient }>,
  otherwise: () => Promise<SignerIdentity> = noSigner,
): Pick<Backend, 'catalog' | 'context' | 'prices' | 'signerIdentity' | 'read'> {
  const journal = once(async () =>
    keep((await import('../../store/journal/journal.ts')).openJournal(join(dirs.data, 'journal.db'), now)),
  )
  return {
    catalog: async () => (await opened()).catalog,
    context: async () => ({
      ...(await opened()),
      journal: await journal(),
      locks: join(dirs.data, 'locks'),
      now,
      policy: policyHere(dirs),
    }),
    prices: displayPrices(opened),
    signerIdentity: async (choice) => {
      const { whoSigns } = await import('../signing/signer-choice.ts')
      return whoSigns(choice, {
        env,
        keystores: join(dirs.data, 'keystores'),
        settings,
        secrets,
        desk,
        io,
        globals,
        otherwise,
      })
    },
    read: async (chainId, method, params) => (await opened()).rpc(chainId).request(method, params),
  }
}

async function noSigner(): Promise<never> {
  throw new AppError('KEY_REQUIRED', 'No signer given', { details: { named: false } })
}
