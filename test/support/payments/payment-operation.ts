import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { privateKeyToAccount } from 'viem/accounts'
import { httpRpc } from '../../../src/chain/rpc/failover.ts'
import type { Address } from '../../../src/domain/address.ts'
import { sandboxNetworks } from '../../../src/domain/networks.ts'
import { openJournal } from '../../../src/store/journal/journal.ts'
import type { Journal } from '../../../src/store/journal/journal-interface.ts'
import { executeOperation } from '../../../src/transactions/execution/execute-operation.ts'
import { fileLocks } from '../../../src/transactions/nonces/wallet-lock.ts'
import type { Execution } from '../../../src/transactions/run.ts'
import { testKey } from '../anvil.ts'

/** The payee of the test payments; no other transaction pays this address. */
export const payee: Address = '0x1234567890123456789012345678901234567890'

/** The wallet of the tests. */
export const signer = privateKeyToAccount(testKey)

/** The amount of one payment. */
export const oneCoin = 10n ** 18n

/** A home directory for one test. */
export const newHome = (): string => mkdtempSync(join(tmpdir(), 'sluice-test-'))

/** Opens the journal of a home directory. */
export const journalIn = (home: string): Journal => openJournal(join(home, 'journal.db'), Date.now)

/** Stores an operation with `count` payments of one coin each. */
export const planPayments = (journal: Journal, id: string, count = 1): void => {
  journal.insert({
    id,
    idemKey: `key-of-${id}`,
    request: { pay: id },
    kind: 'transfer',
    wallet: signer.address,
    legs: [
      {
        chainId: 31337,
        steps: Array.from({ length: count }, () => ({
          role: 'action',
          text: 'Pay one coin',
          transaction: { to: payee, data: '0x' as const, value: oneCoin, chainId: 31337 },
        })),
      },
    ],
  })
}

/** Executes an operation of the tests; `more` replaces parts of it. */
export const run = (
  journal: Journal,
  home: string,
  url: string,
  operationId: string,
  more: Partial<Execution> = {},
) =>
  executeOperation({
    journal,
    operationId,
    signer,
    rpc: () => httpRpc(url, { deadlineMs: 2_000, retries: 1 }),
    networks: sandboxNetworks,
    lock: fileLocks(join(home, 'locks')),
    timeoutMs: 20_000,
    ...more,
  })

/** Removes a home directory. */
export const removeHome = (home: string): void => rmSync(home, { recursive: true, force: true })
