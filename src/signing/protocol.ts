import type { Address, Hex } from '../domain/address.ts'
import type { Exemptions } from '../guard/expectations.ts'

/**
 * Where a key is. The one of the environment was handed over when the signer began; the sandbox's is nobody's secret. An external
 * signer is where the command line says, and one account of it is meant where `wallet` names none.
 */
export type KeySource =
  | { kind: 'sandbox' }
  | { kind: 'environment' }
  | { kind: 'key-file'; path: string }
  | { kind: 'keystore'; directory: string; name: string; password: string }
  | { kind: 'keystore-file'; text: string; label: string; password: string }
  | { kind: 'ledger'; path: string; emulator: string | null }
  | { kind: 'external'; wallet: Address | null }

/** A key that is to be kept: as text, in a file, or in a keystore of another wallet. */
export type ImportSource =
  | { kind: 'key'; text: string }
  | { kind: 'key-file'; path: string }
  | { kind: 'keystore'; text: string; label: string; password: string }

/** A transaction on its way to the signer: amounts are decimal text. */
export type TransactionJson = { to: Address; data: Hex; value: string; chainId: number }

/** What is to be signed on one chain, and what for: `intent` is the JSON that the journal keeps. */
export type LegJson = {
  chainId: number
  intent: Record<string, unknown>
  transactions: readonly TransactionJson[]
}

/** The fields of a transaction of type 2 that are signed. */
export type SignableJson = TransactionJson & {
  nonce: number
  gas: string
  maxFeePerGas: string
  maxPriorityFeePerGas: string
}

/** What the signer is asked. Nothing is signed that was not approved before, word for word. */
export type SigningRequests =
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

/** What it answers. */
export type SigningAnswers = {
  open: { address: Address }
  make: { name: string; address: Address }
  import: { name: string; address: Address }
  approve: { texts: readonly string[] }
  sign: { raw: Hex }
}

/** The signer, wherever it is. What it refuses is thrown as the AppError that it is. */
export type SigningService = <ask extends SigningRequests>(ask: ask) => Promise<SigningAnswers[ask['do']]>
