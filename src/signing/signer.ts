import type { TransactionSerializableEIP1559 } from 'viem'
import type { Address, Hex } from '../domain/address.ts'
import type { Exemptions } from '../guard/expectations.ts'
import type { Signable } from '../guard/plan-hash.ts'
import type { LegJson } from './protocol.ts'

/** What signs transactions: a key in this process or elsewhere, or a device. */
export type TransactionSigner = {
  address: Address
  signTransaction: (transaction: TransactionSerializableEIP1559) => Promise<Hex>
  /** Shown what it will be asked to sign, it checks that by itself, and signs nothing else afterwards. */
  approve?: (plan: {
    legs: readonly LegJson[]
    vouched: Exemptions
    planHash: string
    quoteId: string | null
  }) => Promise<void>
}

/** What a person named as the signer: a keystore or an address, a file with a key, a Ledger (at a path), or a signer elsewhere. */
export type SignerChoice = {
  wallet?: string | undefined
  keyFile?: string | undefined
  passwordFile?: string | undefined
  ledger?: string | true | undefined
  signerUrl?: string | undefined
}

/** Whether a person named anybody. */
export const isSignerNamed = ({ wallet, keyFile, ledger, signerUrl }: SignerChoice): boolean =>
  [wallet, keyFile, ledger, signerUrl].some((one) => one !== undefined)

/** Whose wallet acts. The address is known without any secret; `unlock` may ask for a password, and fails for a bare address. */
export type SignerIdentity = {
  address: Address
  label: string
  source: 'keystore' | 'key-file' | 'environment' | 'sandbox' | 'address' | 'ledger' | 'external'
  unlock: () => Promise<TransactionSigner>
  /** The flags that name it again on another command line; missing or empty where none did. */
  again?: string
}

/** What holds a key: this process, a device, or a signer elsewhere. It gives the signed bytes, and sends nothing. */
export type KeyHolder = { address: Address; signTransaction: (signable: Signable) => Promise<Hex> }
