import type { TransactionSerializableEIP1559 } from 'viem'
import type { Address, Hex } from '../domain/address.ts'
import type { Signable } from '../guard/plan-hash.ts'
import type { Exemptions } from '../guard/user-limits-and-exemptions.ts'
import type { LegJson } from './signing-service-protocol.ts'

/** Signs transactions: a key in this process or elsewhere, or a device. */
export type TransactionSigner = {
  address: Address
  signTransaction: (transaction: TransactionSerializableEIP1559) => Promise<Hex>
  /** Shows the signer what it will be asked to sign. It checks that by itself and signs nothing else afterwards. */
  approve?: (plan: {
    legs: readonly LegJson[]
    vouched: Exemptions
    planHash: string
    quoteId: string | null
  }) => Promise<void>
}

/** The signer that the person chose: a keystore or address, a key file, a Ledger (at a path), or an external signer. */
export type SignerChoice = {
  wallet?: string | undefined
  keyFile?: string | undefined
  passwordFile?: string | undefined
  ledger?: string | true | undefined
  signerUrl?: string | undefined
}

/** Whether the person chose a signer. */
export const isSignerNamed = ({ wallet, keyFile, ledger, signerUrl }: SignerChoice): boolean =>
  [wallet, keyFile, ledger, signerUrl].some((one) => one !== undefined)

/**
 * The identity of the acting wallet. The address needs no secret; `unlock` may ask for a password, and fails for a bare address.
 */
export type SignerIdentity = {
  address: Address
  label: string
  source: 'keystore' | 'key-file' | 'environment' | 'sandbox' | 'address' | 'ledger' | 'external'
  unlock: () => Promise<TransactionSigner>
  /** Starts the signing process and prepares this one for its signatures. It asks for nothing; to be called while a node is asked. */
  prepare?: () => void
}

/** Holds a key: this process, a device, or an external signer. It returns signed bytes and sends nothing. */
export type KeyHolder = { address: Address; signTransaction: (signable: Signable) => Promise<Hex> }
