import { insertOf } from '../sql/insert.ts'
import type { Sql } from '../sql/sql-types.ts'

/**
 * A wallet's nonce with the transaction that used it: block, hash, and a digest of its call. Without a hash: no transaction with
 * that nonce is in a block up to this one.
 */
export type SubmittedRow = { nonce: number; block: number; blockHash: string; hash: string; call: string }

/** A wallet on a chain. Chains are public, so there is no customer. */
type WalletOnChain = { chainId: number; wallet: string }

/** The table of transactions that wallets submitted since something was issued to them, from final blocks, each read once. */
export const submittedSchema = `create table chain_sent (
     chain_id bigint not null, wallet text not null, nonce bigint not null, block bigint not null, block_hash text not null, hash text not null, call text not null,
     primary key (chain_id, wallet, nonce))`

/** The queries about submitted transactions. */
export function submittedQueries(sql: Sql) {
  const valuesOf = ({ chainId, wallet }: WalletOnChain) => [chainId, wallet.toLowerCase()] as const
  return {
    /** The known nonces of a wallet, from one on. */
    submittedFrom: (place: WalletOnChain, nonce: number): Promise<SubmittedRow[]> =>
      sql.query<SubmittedRow>(
        `select nonce, block, block_hash as "blockHash", hash, call from chain_sent where chain_id = $1 and wallet = $2 and nonce >= $3 order by nonce`,
        [...valuesOf(place), nonce],
      ),

    /** Stores what was read; a transaction replaces a note that there is none, never the reverse. */
    storeSubmitted: (place: WalletOnChain, rows: readonly SubmittedRow[]): Promise<void> =>
      sql.transaction(async ({ query }) => {
        const [chainId, wallet] = valuesOf(place)
        const again = `on conflict (chain_id, wallet, nonce) do update set block = excluded.block, block_hash = excluded.block_hash, hash = excluded.hash, call = excluded.call
          where excluded.hash <> '' or (chain_sent.hash = '' and excluded.block > chain_sent.block)`
        for (const row of rows) await query(...insertOf('chain_sent', { chainId, wallet, ...row }, again))
      }),

    /** Deletes a wallet's transactions after a reorganisation. */
    deleteSubmitted: (place: WalletOnChain) =>
      sql.query('delete from chain_sent where chain_id = $1 and wallet = $2', valuesOf(place)),
  }
}
