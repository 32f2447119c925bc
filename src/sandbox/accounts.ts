import { pbkdf2Sync } from 'node:crypto'
import { HDKey, privateKeyToAddress } from 'viem/accounts'
import { toHex } from 'viem/utils'

import type { Address, Hex } from '../domain/address.ts'

/** The public phrase of local development nodes: what it holds on a chain that is not ours is anybody's. */
const mnemonic = 'test test test test test test test test test test test junk'

/** The seed of the phrase (BIP-39, without a password). Its rounds take Node a fortieth of the time that they take in JavaScript, and a person waits for them. */
const seed = pbkdf2Sync(mnemonic, 'mnemonic', 2048, 64, 'sha512')

/** What all accounts of the phrase are children of (BIP-44, the coin of Ethereum). */
const parent = HDKey.fromMasterSeed(seed).derive("m/44'/60'/0'/0")

/** What the accounts of the phrase do in the sandbox, by their index. */
export const roles = { owner: 0, user: 1, keeper: 7, attester: 8, relayer: 9 } as const

/** The accounts that hold funds for whoever uses the sandbox; the first is the one that signs by default. */
export const userIndexes: readonly number[] = [roles.user, 2, 3, 4]

/** The address of one of the sandbox's accounts. */
export const sandboxAddress = (index: number = roles.user): Address => privateKeyToAddress(sandboxKey(index))

/** The private key of one of the sandbox's accounts; without an index, of the one that signs by default. */
export function sandboxKey(index: number = roles.user): Hex {
  const { privateKey } = parent.deriveChild(index)
  if (!privateKey) throw new Error(`no private key at index ${index} of the sandbox phrase`)
  return toHex(privateKey)
}
