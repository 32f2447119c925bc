import { hash, randomBytes } from 'node:crypto'
import type { Sql } from '../sql/sql-types.ts'
import { untilAccessChanges } from './access-changes.ts'

/** The table of API keys. It stores a digest instead of the key. */
export const keysSchema = `create table api_keys (
     id text primary key, digest text not null unique, customer text not null, testnet integer not null, created_at bigint not null, revoked_at bigint);
   create index api_keys_customer on api_keys (customer)`

/** A stored API key. Times are epoch ms. */
export type KeyRow = {
  id: string
  customer: string
  testnet: boolean
  createdAt: number
  revokedAt: number | null
}

/** The owner of a request's key, and the customer's active strategy slugs as JSON; `null` is all. */
export type KeyOwner = { id: string; customer: string; testnet: boolean; strategies: string | null }

/** A new key of 256 random bits, shown once. */
export const newKey = (): string => `slk_${randomBytes(32).toString('base64url')}`

/** The digest of a key: irreversible, and without salt, since a key has 256 random bits. */
export const keyDigest = (key: string): string => hash('sha256', key, 'base64url')

const columns = `id, customer, testnet, created_at as "createdAt", revoked_at as "revokedAt"`

type Raw = Omit<KeyRow, 'testnet'> & { testnet: number }

const row = ({ testnet, ...rest }: Raw): KeyRow => ({ ...rest, testnet: Number(testnet) === 1 })

/** The queries about API keys over any SQL database. */
export function keyStore(sql: Sql) {
  return {
    add: async ({ id, customer, testnet, createdAt }: KeyRow, key: string): Promise<void> => {
      await sql.query(
        'insert into api_keys (id, digest, customer, testnet, created_at) values ($1, $2, $3, $4, $5)',
        [id, keyDigest(key), customer, testnet ? 1 : 0, createdAt],
      )
    },

    /** All keys, newest first. */
    all: async (): Promise<KeyRow[]> =>
      (await sql.query<Raw>(`select ${columns} from api_keys order by created_at desc, id`)).map(row),

    /** Revokes a key; `undefined` if it does not exist. */
    revoke: async (id: string, at: number): Promise<KeyRow | undefined> => {
      await sql.query('update api_keys set revoked_at = coalesce(revoked_at, $2) where id = $1', [id, at])
      const [found] = await sql.query<Raw>(`select ${columns} from api_keys where id = $1`, [id])
      return found && row(found)
    },

    /** The owner of a digest; `undefined` if it is unknown or revoked. */
    owner: async (digest: string): Promise<KeyOwner | undefined> => {
      const [found] = await sql.query<Omit<KeyOwner, 'testnet'> & { testnet: number }>(
        `select id, customer, testnet, (select value from settings where customer = api_keys.customer and name = 'strategies') as strategies
         from api_keys where digest = $1 and revoked_at is null`,
        [digest],
      )
      return found && { ...found, testnet: Number(found.testnet) === 1 }
    },
  }
}

/**
 * A cache of values made from key owners, until keys or settings change: a key that another process revoked is refused within 10 ms.
 */
export function cachedKeyOwner<made>(
  sql: Pick<Sql, 'query'>,
  { owner }: Pick<ReturnType<typeof keyStore>, 'owner'>,
  make: (owner: KeyOwner) => made,
): (apiKey: string) => Promise<made | undefined> {
  const { kept } = untilAccessChanges<made | undefined>(sql)
  return (apiKey) => {
    const digest = keyDigest(apiKey)
    return kept(digest, async () => {
      const found = await owner(digest)
      return found && make(found)
    })
  }
}
