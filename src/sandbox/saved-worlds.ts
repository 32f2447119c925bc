import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ChainClient } from '../chain/chain-client.ts'
import { AppError } from '../domain/errors.ts'
import type { Network } from '../domain/networks.ts'
import { advice, sluice } from '../domain/text/next-step.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import { diskFault } from '../store/disk-fault.ts'
import { moveDurable, writeDurable } from '../store/durable-files.ts'
import { privateDirectory } from '../store/private-directory.ts'
import { dumpState } from './anvil.ts'
import { decodeCatalog, encodeCatalog } from './catalog-json.ts'

/** A saved world: one state file a chain, the catalogue of its deployments, and its genesis, if recorded. */
export type SavedWorld = {
  catalog: Catalog
  genesis: string | undefined
  stateFile: (network: Network) => string
}
/** The facts saved about a world beside its chains. */
export type WorldFacts = Pick<SavedWorld, 'catalog' | 'genesis'>

const stateName = ({ name }: Network): string => `${name}.json`

/** The hint for a saved world that cannot be used. */
export const resetHint = advice`To start again with an empty sandbox: ${sluice('sandbox reset', { '--yes': true })}`

/** Reads a saved world; `undefined` if there is none, STATE_UNUSABLE if it is damaged. */
export function readSaved(dir: string): SavedWorld | undefined {
  const file = join(dir, 'catalog.json')
  if (!existsSync(file)) return undefined
  try {
    const written = JSON.parse(readFileSync(file, 'utf8')) as { genesis?: string }
    return {
      catalog: decodeCatalog(written),
      genesis: written.genesis,
      stateFile: (network) => join(dir, stateName(network)),
    }
  } catch (cause) {
    const fault = diskFault(cause, file)
    if (fault instanceof AppError) throw fault
    throw new AppError('STATE_UNUSABLE', `${file} cannot be used: it is damaged`, {
      cause,
      details: { path: file },
      next: resetHint,
    })
  }
}

/**
 * Saves a world under a name that appears only when all of it is on disk; `shorten` removes unneeded parts of a
 * state.
 */
export async function saveWorld(
  dir: string,
  { catalog, genesis }: WorldFacts,
  nodes: readonly { network: Network; rpc: ChainClient }[],
  shorten: (state: Uint8Array) => Uint8Array | string = (state) => state,
): Promise<void> {
  const temporary = `${dir}.${process.pid}.tmp`
  privateDirectory(temporary)
  try {
    const dumps = await Promise.all(nodes.map(({ rpc }) => dumpState(rpc)))
    nodes.forEach(({ network }, index) => {
      writeDurable(join(temporary, stateName(network)), shorten(dumps[index]!))
    })
    writeDurable(
      join(temporary, 'catalog.json'),
      JSON.stringify({ ...(encodeCatalog(catalog) as object), genesis }),
    )
    moveDurable(temporary, dir)
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true })
    throw diskFault(error, dir)
  }
}

const numbered = /^world-([0-9]+)$/

function numbers(dir: string): number[] {
  const found = readdirSync(dir).flatMap((name) => numbered.exec(name)?.[1] ?? [])
  return found.map(Number).sort((a, b) => b - a)
}

/** Returns the newest saved world of a state directory; creates the directory if it is missing. */
export function newestWorld(dir: string): SavedWorld | undefined {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    const [newest] = numbers(dir)
    return newest === undefined ? undefined : readSaved(join(dir, `world-${newest}`))
  } catch (error) {
    throw diskFault(error, dir)
  }
}

/** Saves the next world of a state directory, then deletes the older ones. */
export async function saveNext(
  dir: string,
  about: WorldFacts,
  nodes: readonly { network: Network; rpc: ChainClient }[],
): Promise<void> {
  const older = numbers(dir)
  await saveWorld(join(dir, `world-${(older[0] ?? 0) + 1}`), about, nodes)
  for (const number of older) rmSync(join(dir, `world-${number}`), { recursive: true, force: true })
  for (const name of readdirSync(dir))
    if (name.startsWith('world-') && name.endsWith('.tmp') && !name.includes(`.${process.pid}.`))
      rmSync(join(dir, name), { recursive: true, force: true })
}

/** Deletes every saved world of a state directory, so that the next start is from genesis. */
export function forgetWorlds(dir: string): void {
  if (!existsSync(dir)) return
  for (const number of numbers(dir)) rmSync(join(dir, `world-${number}`), { recursive: true, force: true })
}
