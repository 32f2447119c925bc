import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../domain/errors.ts'
import { sandboxNetworks } from '../../domain/networks.ts'
import { privateDirectory } from '../../store/private-directory.ts'
import { type Anvil, type AnvilOptions, startAnvil } from '../anvil.ts'
import { readSaved, type SavedWorld, saveWorld } from '../saved-worlds.ts'
import { deployWorld } from './deploy-world.ts'
import { packedGenesisKey, sandboxData } from './sandbox-data.ts'

let knownKey: string | undefined

/**
 * Returns the cache key of the genesis world: a hash of the deployment code and contracts, or that of the package. It
 * is made once, because a running program keeps the deployment code that it has loaded.
 */
export function genesisKey(): string {
  knownKey ??= madeKey()
  return knownKey
}

function madeKey(): string {
  const packed = packedGenesisKey()
  if (packed !== undefined) return packed
  const hash = createHash('sha256')
  const own = [import.meta.dirname, join(sandboxData(), 'contracts'), join(sandboxData(), 'published')]
  for (const dir of own)
    for (const name of readdirSync(dir).sort())
      if (/\.(ts|json)$/.test(name)) hash.update(name).update(readFileSync(join(dir, name)))
  return hash.digest('hex').slice(0, 16)
}

const folderOf = (cacheDir: string, key: string): string => join(cacheDir, `genesis-${key}`)

/** Returns the cached genesis world if it exists undamaged; builds nothing. */
export function knownGenesis(cacheDir: string): SavedWorld | undefined {
  try {
    return readSaved(folderOf(cacheDir, genesisKey()))
  } catch (error) {
    // A damaged cache is built again. Without the contracts there is no key.
    if (error instanceof AppError && ['STATE_UNUSABLE', 'ANVIL_NOT_FOUND'].includes(error.code))
      return undefined
    throw error
  }
}

/**
 * Removes the traces and outputs of transactions from a state. They are most of its size, and every node reads it all
 * at its start.
 */
function withoutTraces(state: Uint8Array): string {
  const { transactions, ...rest } = JSON.parse(new TextDecoder().decode(state)) as DumpedState
  const bare = transactions.map((one) => ({ ...one, info: { ...one.info, traces: [], out: null } }))
  return JSON.stringify({ ...rest, transactions: bare })
}

/** The part of a dumped node state that is read here. */
type DumpedState = { transactions: readonly { info: object }[] }

/**
 * Returns the genesis world from the cache directory, or deploys and caches it. `anew` deploys it again, for a cached
 * world from which no node starts.
 */
export async function genesis(
  cacheDir: string,
  start: Pick<AnvilOptions, 'binary' | 'noteDir'>,
  { anew = false } = {},
): Promise<SavedWorld> {
  const key = genesisKey()
  const dir = folderOf(cacheDir, key)
  const cached = anew ? undefined : knownGenesis(cacheDir)
  if (cached) return cached
  privateDirectory(cacheDir)
  const nodes: Anvil[] = await Promise.all(
    sandboxNetworks.map(({ chainId }) => startAnvil({ ...start, chainId })),
  )
  try {
    const catalog = await deployWorld([nodes[0]!.rpc, nodes[1]!.rpc])
    // The trailing `/.` matches only a directory. Another process may have repaired the cache
    // meanwhile.
    if (existsSync(`${dir}/.`) && (anew || !knownGenesis(cacheDir))) rmSync(dir, { recursive: true })
    await saveWorld(
      dir,
      { catalog, genesis: key },
      sandboxNetworks.map((network, index) => ({ network, rpc: nodes[index]!.rpc })),
      withoutTraces,
    )
  } catch (error) {
    // Another process may have saved the same world meanwhile.
    const theirs = readSaved(dir)
    if (!theirs) throw error
    return theirs
  } finally {
    await Promise.all(nodes.map((node) => node.stop()))
  }
  return readSaved(dir)!
}
