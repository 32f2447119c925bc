import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../domain/errors.ts'
import { type Network, publicNetworks, rpcVariable, sandboxNetworks } from '../../domain/networks.ts'
import { checkedPricesUrl } from '../../domain/service-url-and-key.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { publicBitcoin } from '../../protocols/bitcoin-services.ts'
import { emptyCatalog, joined } from '../../protocols/catalog-operations.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import { type AveniaConstants, aveniaContracts } from '../../swaps/avenia/constants-schema.ts'
import { oneInchContracts } from '../../swaps/oneinch/constants-schema.ts'
import { swapRows, withContracts } from '../../swaps/swap-contracts.ts'
import type { Directories } from './directories.ts'

type Env = Readonly<Record<string, string | undefined>>

/** All networks for which an RPC can be set. */
export const allNetworks: readonly Network[] = [...sandboxNetworks, ...publicNetworks]

/** The catalogue of the networks that have an RPC; files of other networks are not read. */
export async function knownCatalog(dirs: Directories, env: Env): Promise<Catalog> {
  const isNamed = (network: Network) => Boolean(env[rpcVariable(network)])
  const files = await keyedFilesOf(publicNetworks.filter(isNamed), env)
  const all = joined([
    ...(sandboxNetworks.some(isNamed) ? [await sandboxCatalog(dirs, env)] : []),
    ...files,
    ...bitcoinPart(env),
    ...(await rampPart(files, env)),
  ])
  return withRelayService(all, env)
}

/** The whole catalogue. The embedded chains are built only if they have an RPC; a remote profile needs only their names. */
export async function wholeCatalog(dirs: Directories, env: Env): Promise<Catalog> {
  const isNamed = (network: Network) => Boolean(env[rpcVariable(network)])
  const sandbox = sandboxNetworks.some(isNamed)
    ? [await sandboxCatalog(dirs, env)]
    : allNetworks.some(isNamed)
      ? []
      : [await sandboxNames(dirs)]
  const files = await keyedFilesOf(publicNetworks, env)
  const all = joined([...sandbox, ...files, ...bitcoinPart(env), ...(await rampPart(files, env))])
  return withRelayService(all, env)
}

/** The variable with the URL of another service of Relay. */
const relayVariable = 'SLUICE_RELAY_URL'

/** The catalogue with the service of Relay that the environment sets. A sandbox of another process has none otherwise. */
function withRelayService(catalog: Catalog, env: Env): Catalog {
  const given = env[relayVariable]
  if (!given) return catalog
  const api = checkedPricesUrl(given, relayVariable, 'Such as https://api.relay.link').replace(/\/$/, '')
  const { swaps } = catalog
  return { ...catalog, swaps: { ...swaps, relay: (swaps.relay ?? []).map((one) => ({ ...one, api })) } }
}

/** The variable with the URL of another Esplora API for Bitcoin. */
const esploraVariable = 'SLUICE_ESPLORA_URL'

/** The variable with the URL of a second THORChain node, which must confirm the vault. */
const thornodeVariable = 'SLUICE_THORNODE_URL'

/**
 * The public Bitcoin services as a part of the catalogue; the environment may set another Esplora API and a second
 * THORNode.
 */
function bitcoinPart(env: Env): Catalog[] {
  const given = env[esploraVariable]
  const esplora = given
    ? checkedPricesUrl(given, esploraVariable, `Such as ${publicBitcoin.esplora}`)
    : publicBitcoin.esplora
  const second = env[thornodeVariable]
    ? checkedPricesUrl(env[thornodeVariable], thornodeVariable, `Such as ${publicBitcoin.thornode}`)
    : null
  // The default node does not count as a second one.
  const secondThornode = second === publicBitcoin.thornode ? null : second
  return [{ ...emptyCatalog, bitcoin: { ...publicBitcoin, esplora, secondThornode } }]
}

/** The variable with the path of the 1inch key file. */
const oneInchVariable = 'SLUICE_ONEINCH_FILE'

/** The catalogues of public networks with the path of the 1inch key file, which is read at the first request. */
async function keyedFilesOf(networks: readonly Network[], env: Env): Promise<Catalog[]> {
  const keyFile = env[oneInchVariable] || null
  const files = await filesOf(networks)
  return files.map((one) =>
    withContracts(one, oneInchContracts, (rows) => rows.map((there) => ({ ...there, keyFile }))),
  )
}

/**
 * The variable with the path of the Avenia account file, and Avenia's public API (source:
 * integration-guide.avenia.io).
 */
const aveniaVariable = 'SLUICE_AVENIA_FILE'
const aveniaApi = 'https://api.avenia.io:8443'

/** Avenia's names of the networks of its tokens (source: `BrlaPaymentMethod` of pendulum-chain/vortex). */
const aveniaChains: Readonly<Record<string, string>> = { base: 'BASE', polygon: 'POLYGON' }

/** The ramp partner as a part of the catalogue, on the networks for which the account file names a desk. */
async function rampPart(files: readonly Catalog[], env: Env): Promise<Catalog[]> {
  const path = env[aveniaVariable]
  if (!path) return []
  const [{ readPrivateFile }, { parseAccount }] = await Promise.all([
    import('../../signing/read-private-file.ts'),
    import('../../swaps/avenia/api-credentials.ts'),
  ])
  const { url: api = aveniaApi, desks } = parseAccount(readPrivateFile(path, 16_384), path)
  const unknown = Object.keys(desks).find((name) => !aveniaChains[name])
  if (unknown !== undefined)
    throw new AppError(
      'CONFIG_INVALID',
      `${path} names a desk on "${sanitizeText(unknown)}", where ramps are not supported`,
      {
        hint: `Networks with ramps: ${Object.keys(aveniaChains).join(', ')}`,
      },
    )
  const at = files.flatMap(({ networks: [network], tokens }): AveniaConstants[] => {
    const { name, chainId } = network!
    const [chain, desk] = [aveniaChains[name], desks[name]]
    const [usdc, brla] = ['USDC', 'BRLA'].map(
      (symbol) => tokens.find((one) => one.symbol === symbol)?.address,
    )
    return chain && desk && usdc && brla
      ? [{ chainId, desk, usdc, brla, chain, service: { api, account: path } }]
      : []
  })
  return [{ ...emptyCatalog, swaps: swapRows(aveniaContracts, at) }]
}

/** The catalogue of the embedded chains if genesis is built, else only their names. */
async function sandboxNames({ cache }: Directories): Promise<Catalog> {
  const { knownGenesis } = await import('../../sandbox/genesis/genesis-cache.ts')
  const built = knownGenesis(cache)
  return built ? built.catalog : { ...emptyCatalog, networks: sandboxNetworks }
}

/** Loads the catalogues of public networks from their files. */
export async function filesOf(networks: readonly Network[]): Promise<Catalog[]> {
  if (networks.length === 0) return []
  const { catalogOfFile } = await import('./catalog-file.ts')
  const folder = join(import.meta.dirname, '..', '..', 'engine', 'catalog')
  return networks.map(({ name }) =>
    catalogOfFile(JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'))),
  )
}

/** The contracts and tokens of the embedded chains. */
async function sandboxCatalog({ cache }: Directories, env: Env): Promise<Catalog> {
  const [{ genesis }, { findAnvil }] = await Promise.all([
    import('../../sandbox/genesis/genesis-cache.ts'),
    import('../../sandbox/anvil.ts'),
  ])
  const { SLUICE_ANVIL: explicit, PATH: path } = env
  const { catalog } = await genesis(cache, {
    // Anvil is needed only if the world was never built before.
    get binary() {
      return findAnvil({ ...(explicit && { explicit }), ...(path && { path }) })
    },
  })
  return catalog
}
