import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { moveFile } from '../../store/durable-files.ts'
import { type EngineStore, engineMigrations, engineStore } from '../../store/engine/store.ts'
import { acquireLock } from '../../store/file-lock.ts'
import { openJournal } from '../../store/journal/journal.ts'
import type { Journal } from '../../store/journal/journal-interface.ts'
import { privateDirectory } from '../../store/private-directory.ts'
import { sqliteSql } from '../../store/sql/sqlite.ts'

/**
 * The journal and the engine's store of the sandbox. `setAside` is the directory with those of an earlier sandbox, if
 * moved.
 */
export type SandboxDatabases = { journal: Journal; store: EngineStore; setAside: string | null }

const names = ['journal.db', 'engine.db'].flatMap((name) => [name, `${name}-wal`, `${name}-shm`])

/**
 * Opens the databases of the current chains. After a reset, or a restart that lost blocks, the chains differ, and a
 * nonce in the old journal would block the wallet permanently. Then the old files are moved away and new ones
 * created.
 */
export async function openSandboxDatabases(
  dir: string,
  { now, ...chains }: Chains & { now: () => number },
): Promise<SandboxDatabases> {
  const lock = await acquireLock(join(dir, 'state.lock'), 10_000)
  if (!lock) throw new AppError('WALLET_BUSY', 'Another process is opening the sandbox state')
  try {
    let journal = openJournal(join(dir, 'journal.db'), now)
    let setAside: string | null = null
    if (!(await areSameChains(journal, chains))) {
      journal.close()
      setAside = join(dir, 'before', new Date(now()).toISOString().replace(/[:.]/g, '-'))
      privateDirectory(setAside)
      for (const name of names)
        if (existsSync(join(dir, name))) moveFile(join(dir, name), join(setAside, name))
      journal = openJournal(join(dir, 'journal.db'), now)
    }
    return {
      journal,
      store: engineStore(sqliteSql(join(dir, 'engine.db'), { migrations: engineMigrations })),
      setAside,
    }
  } finally {
    lock.release()
  }
}

/** The sandbox's current chains; a fault may have replaced some of their blocks. */
type Chains = {
  chainIds: readonly number[]
  blockHash: (chainId: number, number: number) => Promise<Hex | null>
  wasReplaced: (hash: Hex) => Promise<boolean>
}

/** Whether every chain still has the newest block in the journal. */
async function areSameChains(journal: Journal, chains: Chains): Promise<boolean> {
  const answers = await Promise.all(chains.chainIds.map((chainId) => isSameChain(journal, chainId, chains)))
  return answers.every(Boolean)
}

async function isSameChain(
  journal: Journal,
  chainId: number,
  { blockHash, wasReplaced }: Chains,
): Promise<boolean> {
  const head = journal.highestHead(chainId)
  if (!head) return true
  // A node that does not answer proves nothing.
  const hash = await blockHash(chainId, head.number).catch((error: unknown) => {
    if (error instanceof AppError) return undefined
    throw error
  })
  if (hash === undefined || hash === head.hash) return true
  if (!(await wasReplaced(head.hash))) return false
  // From now on the new block identifies the chain.
  if (hash) journal.recordHead(chainId, head.number, hash)
  return true
}
