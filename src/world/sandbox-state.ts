import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'

import { AppError } from '../domain/errors.ts'
import type { Rpc } from '../net/rpc.ts'
import { type EngineStore, engineMigrations, engineStore } from '../store/engine.ts'
import { openJournal } from '../store/journal.ts'
import type { Journal } from '../store/journal-words.ts'
import { exclusiveLock } from '../store/lock.ts'
import { privateDirectory, sqliteSql } from '../store/sqlite.ts'

/** The journal and the engine's store of the sandbox. `setAside` is where those of an earlier sandbox were put. */
export type SandboxState = { journal: Journal; store: EngineStore; setAside: string | null }

const names = ['journal.db', 'engine.db'].flatMap((name) => [name, `${name}-wal`, `${name}-shm`])

/**
 * Opens what is remembered of these very chains. After a reset, or a restart that lost blocks, the chains are others: a
 * nonce of the old journal would block the wallet for ever. Then the old files are kept aside and new ones begun.
 */
export async function openState(
  dir: string,
  chainIds: readonly number[],
  rpc: (chainId: number) => Rpc,
  now: () => number,
): Promise<SandboxState> {
  const lock = await exclusiveLock(join(dir, 'state.lock'), 10_000)
  if (!lock) throw new AppError('WALLET_BUSY', 'Another process is opening the state of the sandbox')
  try {
    let journal = openJournal(join(dir, 'journal.db'), now)
    let setAside: string | null = null
    if (!(await isOfThese(journal, chainIds, rpc))) {
      journal.close()
      setAside = join(dir, 'before', new Date(now()).toISOString().replace(/[:.]/g, '-'))
      privateDirectory(setAside)
      for (const name of names)
        if (existsSync(join(dir, name))) renameSync(join(dir, name), join(setAside, name))
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

/** Whether every chain still has the block that the journal saw last. */
async function isOfThese(
  journal: Journal,
  chainIds: readonly number[],
  rpc: (chainId: number) => Rpc,
): Promise<boolean> {
  for (const chainId of chainIds) {
    const head = journal.head(chainId)
    if (!head) continue
    const block = await rpc(chainId).request<{ hash: string } | null>('eth_getBlockByNumber', [
      `0x${head.number.toString(16)}`,
      false,
    ])
    if (block?.hash !== head.hash) return false
  }
  return true
}
