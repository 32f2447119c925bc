import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { ChainClient } from '../../chain/client.ts'
import type { Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { type EngineStore, engineMigrations, engineStore } from '../../store/engine/store.ts'
import { acquireLock } from '../../store/file-lock.ts'
import { openJournal } from '../../store/journal/journal.ts'
import type { Journal } from '../../store/journal/types.ts'
import { privateDirectory } from '../../store/private-directory.ts'
import { sqliteSql } from '../../store/sql/sqlite.ts'

/** The journal and the engine's store of the sandbox. `setAside` is where those of an earlier sandbox were put. */
export type SandboxState = { journal: Journal; store: EngineStore; setAside: string | null }

const names = ['journal.db', 'engine.db'].flatMap((name) => [name, `${name}-wal`, `${name}-shm`])

/**
 * Opens what is remembered of these very chains. After a reset, or a restart that lost blocks, the chains are others: a
 * nonce of the old journal would block the wallet for ever. Then the old files are kept aside and new ones begun.
 */
export async function openState(
  dir: string,
  { chains, wasReplaced, now }: Chains & { now: () => number },
): Promise<SandboxState> {
  const lock = await acquireLock(join(dir, 'state.lock'), 10_000)
  if (!lock) throw new AppError('WALLET_BUSY', 'Another process is opening the sandbox state')
  try {
    let journal = openJournal(join(dir, 'journal.db'), now)
    let setAside: string | null = null
    if (!(await isOfThese(journal, { chains, wasReplaced }))) {
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

/** The chains as they are now; a fault of the sandbox may have replaced blocks of theirs. */
type Chains = {
  chains: readonly { chainId: number; rpc: ChainClient }[]
  wasReplaced: (hash: Hex) => Promise<boolean>
}

/** Whether every chain still has the block that the journal saw last, as far as its node says. */
async function isOfThese(journal: Journal, { chains, wasReplaced }: Chains): Promise<boolean> {
  const answers = await Promise.all(chains.map((chain) => isOfThis(journal, chain, wasReplaced)))
  return answers.every(Boolean)
}

async function isOfThis(
  journal: Journal,
  { chainId, rpc }: Chains['chains'][number],
  wasReplaced: Chains['wasReplaced'],
): Promise<boolean> {
  const head = journal.highestHead(chainId)
  if (!head) return true
  const block = await rpc
    .request<{ hash: Hex } | null>('eth_getBlockByNumber', [`0x${head.number.toString(16)}`, false])
    .catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'RPC_UNREACHABLE') return undefined
      throw error
    })
  if (block === undefined || block?.hash === head.hash) return true
  if (!(await wasReplaced(head.hash))) return false
  // From here on it is the new block that tells whose chain this is.
  if (block) journal.recordHead(chainId, head.number, block.hash)
  return true
}
