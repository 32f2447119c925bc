import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../domain/errors.ts'
import {
  allNetworks,
  type Network,
  publicNetworks,
  rpcVariable,
  sandboxNetworks,
} from '../../domain/networks.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { bitcoinAt, publicBitcoin } from '../../protocols/bitcoin-services.ts'
import { emptyCatalog, joined, withServiceUrls } from '../../protocols/catalog-operations.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import { publicServices } from '../../protocols/public-services.ts'
import { type AveniaConstants, aveniaContracts } from '../../swaps/avenia/constants-schema.ts'
import { oneInchContracts } from '../../swaps/oneinch/constants-schema.ts'
import { swapRows, withContracts } from '../../swaps/swap-contracts.ts'
import type { Directories } from './directories.ts'
import { serviceUrls } from './service-urls.ts'

type Env = Readonly<Record<string, string | undefined>>

/** The catalogue of the networks that have an RPC; files of other networks are not read. */
export async function knownCatalog(dirs: Directories, env: Env): Promise<Catalog> {
  const isNamed = (network: Network) => Boolean(env[rpcVariable(network)])
  const files = await keyedFilesOf(publicNetworks.filter(isNamed), env)
  return joined([
    ...(sandboxNetworks.some(isNamed) ? [withRelayService(await sandboxCatalog(dirs, env), env)] : []),
    ...files,
    ...(await bitcoinPart(env)),
    ...(await rampPart(files, env)),
  ])
}

/** The whole catalogue. The embedded chains are built only if they have an RPC; a remote profile needs only their names. */
export async function wholeCatalog(dirs: Directories, env: Env): Promise<Catalog> {
  const isNamed = (network: Network) => Boolean(env[rpcVariable(network)])
  const sandbox = sandboxNetworks.some(isNamed)
    ? [withRelayService(await sandboxCatalog(dirs, env), env)]
    : allNetworks.some(isNamed)
      ? []
      : [await sandboxNames(dirs)]
  const files = await keyedFilesOf(publicNetworks, env)
  return joined([...sandbox, ...files, ...(await bitcoinPart(env)), ...(await rampPart(files, env))])
}

/** The catalogue of the embedded chains with the service of Relay that is set; in another process it has none. */
function withRelayService(catalog: Catalog, env: Env): Catalog {
  const { relay: api } = serviceUrls(env)
  const { swaps } = catalog
  return api === undefined
    ? catalog
    : { ...catalog, swaps: { ...swaps, relay: (swaps.relay ?? []).map((one) => ({ ...one, api })) } }
}

/**
 * The services of Bitcoin as a part of the catalogue: the public ones, at the URLs of the environment. Beside the embedded chains
 * alone, an Esplora API on this machine is that of the sandbox, whose services have its addresses and its key.
 */
async function bitcoinPart(env: Env): Promise<Catalog[]> {
  const urls = serviceUrls(env)
  const isNamed = (network: Network) => Boolean(env[rpcVariable(network)])
  const isSandbox = sandboxNetworks.some(isNamed) && !publicNetworks.some(isNamed)
  if (!isSandbox || !urls.esplora?.startsWith('http://'))
    return [{ ...emptyCatalog, bitcoin: bitcoinAt(publicBitcoin, urls) }]
  const { bitcoinServices } = await import('../../sandbox/bitcoin/start-bitcoin.ts')
  const bitcoin = bitcoinServices(urls.esplora.replace(/\/bitcoin\/api$/, ''))
  return [{ ...emptyCatalog, bitcoin: bitcoinAt(bitcoin, urls) }]
}

/** The variable with the path of the 1inch key file. */
const oneInchVariable = 'SLUICE_ONEINCH_FILE'

/**
 * The catalogues of public networks with the service URLs of the environment, and with the path of the 1inch key file, which is
 * read at the first request.
 */
async function keyedFilesOf(networks: readonly Network[], env: Env): Promise<Catalog[]> {
  const keyFile = env[oneInchVariable] || null
  const files = (await filesOf(networks)).map((one) => withServiceUrls(one, serviceUrls(env)))
  return files.map((one) =>
    withContracts(one, oneInchContracts, (rows) => rows.map((there) => ({ ...there, keyFile }))),
  )
}

/** The variable with the path of the Avenia account file (source of the public API: integration-guide.avenia.io). */
const aveniaVariable = 'SLUICE_AVENIA_FILE'

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
  const { url = publicServices.avenia.base, desks } = parseAccount(readPrivateFile(path, 16_384), path)
  const api = serviceUrls(env).avenia ?? url
  const unknown = Object.keys(desks).find((name) => !aveniaChains[name])
  if (unknown !== undefined)
    throw new AppError(
      'CONFIG_INVALID',
      `${path} names a desk on "${sanitizeText(unknown)}", where ramps are not supported`,
      {
        next: `Networks with ramps: ${Object.keys(aveniaChains).join(', ')}`,
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

/** The catalogues read so far, by network name: the files belong to the program and do not change while it runs. */
const readFiles = new Map<string, Catalog>()

/** Loads the catalogues of public networks from their files, each once. */
export async function filesOf(networks: readonly Network[]): Promise<Catalog[]> {
  if (networks.length === 0) return []
  const { catalogOfFile } = await import('./catalog-file.ts')
  const folder = join(import.meta.dirname, '..', '..', 'engine', 'catalog')
  return networks.map(({ name }) => {
    const read =
      readFiles.get(name) ?? catalogOfFile(JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')))
    readFiles.set(name, read)
    return read
  })
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
