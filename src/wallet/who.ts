import type { LocalAccount } from 'viem'

import type { Address } from '../domain/address.ts'

/** What a person named as the signer: a keystore or an address, or a file with a key. */
export type SignerChoice = {
  wallet?: string | undefined
  keyFile?: string | undefined
  passwordFile?: string | undefined
}

/** Whose wallet acts. The address is known without any secret; `unlock` may ask for a password, and fails for a bare address. */
export type Who = {
  address: Address
  label: string
  source: 'keystore' | 'key-file' | 'environment' | 'sandbox' | 'address'
  unlock: () => Promise<LocalAccount>
}
