import { numberToHex, padHex } from 'viem/utils'
import type { ChainClient } from '../../src/chain/chain-client.ts'
import type { Hex } from '../../src/domain/address.ts'
import type { ActionRow, ActionTxRow } from '../../src/store/engine/action-tables.ts'
import { type EngineStore, engineMigrations, engineStore } from '../../src/store/engine/store.ts'
import { insertOf } from '../../src/store/sql/insert.ts'
import type { Sql } from '../../src/store/sql/sql-types.ts'
import { sqliteSql } from '../../src/store/sql/sqlite.ts'

/** The chain of these actions. */
const chainId = 31337

/** The wallet of the action with a number. */
export const walletAt = (at: number): Hex => padHex(numberToHex(0xa11ce_00000 + at), { size: 20 })
/** Where the calls go; it has no code. */
export const target: Hex = '0x00000000000000000000000000000000000bee71'
const callOf = (at: number): Hex => padHex(numberToHex(0xca11_0000 + at), { size: 36 })
/** Where code may be put that reverts whatever is sent to it. */
export const reverting: Hex = '0x00000000000000000000000000000000000bee72'

/** A store with actions of one transaction each, one a wallet, issued at a block. `to` says where each goes. */
export async function storeWithActions(
  count: number,
  fromBlock: number,
  to: (at: number) => Hex = () => target,
): Promise<{ sql: Sql; store: EngineStore }> {
  const sql = sqliteSql(':memory:', { migrations: engineMigrations })
  const now = Date.now()
  await sql.transaction(async ({ query }) => {
    for (let at = 0; at < count; at++) {
      const action: ActionRow = {
        ...{ id: `action-${at}`, customer: `customer-${at % 3}`, type: 'SAMECHAIN_INVESTMENT_DEPOSIT' },
        ...{ status: 'pending', strategyId: null, strategySlug: null, wallet: walletAt(at) },
        ...{ receiver: walletAt(at), amounts: 'null', quoteId: null, destinationHash: null },
        ...{ createdAt: now - count + at, updatedAt: now - count + at, finishedAt: null, draft: 0 },
        cancelledAt: null,
      }
      const tx: ActionTxRow = {
        ...{ actionId: action.id, idx: 0, kind: 'deposit', chainId, recipient: to(at), data: callOf(at) },
        ...{ value: '0', fromBlock, fromNonce: 0, hash: null, nonce: null, blockNumber: null },
        ...{ blockHash: null, succeeded: null, gasUsed: null },
      }
      await query(...insertOf('actions', { ...action }))
      await query(...insertOf('action_txs', { ...tx, customer: action.customer }))
    }
  })
  return { sql, store: engineStore(sql) }
}

/** Sends calls of wallets whose keys nobody has, all in one block, and returns their hashes. */
export async function sendTogether(
  rpc: ChainClient,
  sent: readonly { at: number; to?: Hex; data?: Hex }[],
): Promise<Hex[]> {
  await rpc.request('anvil_autoImpersonateAccount', [true])
  await rpc.request('evm_setAutomine', [false])
  await rpc.batch(sent.map(({ at }) => ['anvil_setBalance', [walletAt(at), '0xde0b6b3a7640000']]))
  const hashes: Hex[] = []
  for (const { at, to = target, data = callOf(at) } of sent)
    hashes.push(
      await rpc.request<Hex>('eth_sendTransaction', [{ from: walletAt(at), to, data, gas: '0xc350' }]),
    )
  await rpc.request('anvil_mine', ['0x1'])
  await rpc.request('evm_setAutomine', [true])
  return hashes
}
