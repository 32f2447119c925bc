import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

import { sandboxNetworks } from '../../domain/network.ts'
import { type Anvil, type AnvilOptions, startAnvil } from '../anvil.ts'
import { privateDirectory } from '../files.ts'
import { readSaved, type Saved, saveWorld } from '../generations.ts'
import { deployWorld } from './deploy.ts'

const require = createRequire(import.meta.url)

const packages = [
  '@aave/core-v3',
  '@uniswap/v3-core',
  '@uniswap/v3-periphery',
  '@uniswap/swap-router-contracts',
  'canonical-weth',
]

/** Names the world that this code and these packages deploy: other code, another name. */
function genesisKey(): string {
  const hash = createHash('sha256')
  const own = [import.meta.dirname, join(import.meta.dirname, '..', 'contracts')]
  for (const dir of own)
    for (const name of readdirSync(dir).sort())
      if (!name.endsWith('.sol')) hash.update(name).update(readFileSync(join(dir, name)))
  for (const name of packages) hash.update(name).update(require(`${name}/package.json`).version)
  return hash.digest('hex').slice(0, 16)
}

/** The world as it is before anybody used it, where it was built before; nothing is built for it. */
export const knownGenesis = (cacheDir: string): Saved | undefined =>
  readSaved(join(cacheDir, `genesis-${genesisKey()}`))

/** The world as it is before anybody used it: from the cache directory, or deployed now and put there. */
export async function genesis(
  cacheDir: string,
  start: Pick<AnvilOptions, 'binary' | 'noteDir'>,
): Promise<Saved> {
  const key = genesisKey()
  const dir = join(cacheDir, `genesis-${key}`)
  const cached = knownGenesis(cacheDir)
  if (cached) return cached
  privateDirectory(cacheDir)
  const nodes: Anvil[] = await Promise.all(
    sandboxNetworks.map(({ chainId }) => startAnvil({ ...start, chainId })),
  )
  try {
    const catalog = await deployWorld([nodes[0]!.rpc, nodes[1]!.rpc])
    await saveWorld(
      dir,
      { catalog, genesis: key },
      sandboxNetworks.map((network, index) => ({ network, rpc: nodes[index]!.rpc })),
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
