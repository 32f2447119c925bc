import type { HDAccount } from 'viem/accounts'
import { mnemonicToAccount } from 'viem/accounts'
import { toHex } from 'viem/utils'

import type { Address, Hex } from '../domain/address.ts'

/** The public phrase of local development nodes: what it holds on a chain that is not ours is anybody's. */
const mnemonic = 'test test test test test test test test test test test junk'

/** What the accounts of the phrase do in the sandbox, by their index. */
export const roles = { owner: 0, user: 1, keeper: 7, attester: 8, relayer: 9 } as const

/** The accounts that hold funds for whoever uses the sandbox; the first is the one that signs by default. */
export const userIndexes: readonly number[] = [roles.user, 2, 3, 4]

const account = (index: number): HDAccount => mnemonicToAccount(mnemonic, { addressIndex: index })

/** The address of one of the sandbox's accounts. */
export const sandboxAddress = (index: number = roles.user): Address => account(index).address

/** The private key of one of the sandbox's accounts; without an index, of the one that signs by default. */
export function sandboxKey(index: number = roles.user): Hex {
  const { privateKey } = account(index).getHdKey()
  if (!privateKey) throw new Error(`no private key at index ${index} of the sandbox phrase`)
  return toHex(privateKey)
}
