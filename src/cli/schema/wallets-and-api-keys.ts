import { z } from 'zod'
import { AddressText, Amount, fields, listOf, maybe, Time, Usd } from './common.ts'

const keystore = { name: z.string(), address: maybe(AddressText) }

/** A keystore that was made or imported. */
export const KeystoreDocument = fields(keystore)

/** `wallet list` */
export const KeystoreList = listOf(fields({ ...keystore, default: z.boolean() }))

/** `wallet remember` and `wallet forget`: whether the keychain has the password of a keystore. */
export const RememberedDocument = fields({
  name: z.string(),
  address: maybe(AddressText).optional(),
  remembered: z.boolean(),
})

/** `wallet use` */
export const DefaultWallet = fields({ default: maybe(z.string()) })

/** `wallet export`: an encrypted keystore of version 3. */
export const WalletExport = z.looseObject({ version: z.literal(3), crypto: z.looseObject({}) })

/** `wallet approvals list` */
export const ApprovalList = listOf(
  fields({
    network: z.string(),
    chainId: z.int(),
    token: AddressText,
    spender: AddressText,
    name: maybe(z.string()),
    amount: Amount,
    unlimited: z.boolean(),
  }),
)

/** `wallet balances` */
export const BalanceList = listOf(
  fields({
    network: z.string(),
    chainId: z.int(),
    token: AddressText.describe('the zero address is the coin'),
    amount: Amount,
    usd: maybe(Usd).describe('null without a price'),
  }),
).extend({
  totalUsd: Usd.describe('sum of the known values'),
  missing: z.array(z.string()).describe('networks that did not answer; their balances are missing'),
  unread: z
    .array(fields({ network: z.string(), token: AddressText }))
    .describe('tokens whose contracts returned no balance'),
})

/** `networks list` */
export const NetworkList = listOf(
  fields({
    network: z.string(),
    chainId: z.int(),
    coin: z.string(),
    depth: z.int().describe('blocks after which a transaction is final'),
    testnet: z.boolean(),
    explorer: maybe(z.string()),
    rpc: z.boolean().describe('whether this profile has an RPC for it'),
    variable: z.string().describe('environment variable with its RPC URLs'),
  }),
)

/** `tokens list` */
export const TokenList = listOf(
  fields({
    network: z.string(),
    chainId: z.int(),
    symbol: z.string(),
    otherSymbols: z.array(z.string()).describe('other symbols that commands take for it'),
    name: z.string(),
    address: AddressText.describe('the zero address is the coin'),
    decimals: z.int(),
  }),
)

const key = {
  id: z.string(),
  customer: z.string(),
  testnet: z.boolean(),
  markupBps: z.int(),
  createdAt: Time,
}

/** `keys create`: the key is shown this once. */
export const NewKeyDocument = fields({ ...key, key: z.string() })

/** A key without the key itself. */
export const KeyDocument = fields({ ...key, revokedAt: maybe(Time) })
