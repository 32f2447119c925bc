import { z } from 'zod'
import { AddressText, Amount, fields, listOf, maybe, Time } from './common.ts'

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
export const KeystoreFile = z.looseObject({ version: z.literal(3), crypto: z.looseObject({}) })

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
