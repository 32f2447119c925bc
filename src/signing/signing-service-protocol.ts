import type { Address, Hex } from '../domain/address.ts'
import type { Exemptions } from '../guard/user-limits-and-exemptions.ts'

/**
 * The location of a key. The environment's key was handed to the signer at its start; the sandbox's is public. An external signer
 * is named by the command line; without `wallet` it must have one account.
 */
export type KeySource =
  | { kind: 'sandbox' }
  | { kind: 'environment' }
  | { kind: 'key-file'; path: string }
  | { kind: 'keystore'; directory: string; name: string; password: string }
  | { kind: 'keystore-file'; text: string; label: string; password: string }
  | { kind: 'ledger'; path: string; emulator: string | null }
  | { kind: 'external'; wallet: Address | null }

/** A key to import: as text, in a file, or in another wallet's keystore. */
export type ImportSource =
  | { kind: 'key'; text: string }
  | { kind: 'key-file'; path: string }
  | { kind: 'keystore'; text: string; label: string; password: string }

/** A transaction on its way to the signer: amounts are decimal text. */
export type SignerTransaction = { to: Address; data: Hex; value: string; chainId: number }

/** The transactions to sign on one chain and their intent, as the JSON of the journal. */
export type LegJson = {
  chainId: number
  intent: Record<string, unknown>
  transactions: readonly SignerTransaction[]
}

/** The fields of a transaction of type 2 that are signed. */
export type SignableJson = SignerTransaction & {
  nonce: number
  gas: string
  maxFeePerGas: string
  maxPriorityFeePerGas: string
}

/** The requests to the signing service. It signs only what was approved before, byte for byte. */
export type SigningRequests =
  /** Makes the first signature quick; nothing is opened. */
  | { do: 'prepare' }
  | { do: 'open'; source: KeySource }
  | { do: 'make'; directory: string; name: string; password: string }
  | { do: 'import'; directory: string; name: string; password: string; from: ImportSource }
  | {
      do: 'approve'
      wallet: Address
      legs: readonly LegJson[]
      vouched: Exemptions
      planHash: string
      quoteId: string | null
    }
  | { do: 'sign'; wallet: Address; transaction: SignableJson }

/** The answers of the signing service, by request. */
export type SigningAnswers = {
  prepare: null
  open: { address: Address }
  make: { name: string; address: Address }
  import: { name: string; address: Address }
  approve: { texts: readonly string[] }
  sign: { raw: Hex }
}

/** The signing service, in this or another process. Refusals are thrown as AppError. */
export type SigningService = <ask extends SigningRequests>(ask: ask) => Promise<SigningAnswers[ask['do']]>
