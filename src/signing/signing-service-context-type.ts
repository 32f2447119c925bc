import type { Address } from '../domain/address.ts'
import type { CommandLine } from '../domain/command-line/read-command-line.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import type { RecordedQuote } from './intent-matches-command-line.ts'
import type { RecordedPlan } from './recorded-plan-check.ts'

/** What the signing service knows independently of its callers. */
export type SigningServiceContext = {
  /** The command line of the person. */
  line: CommandLine
  catalog: () => Promise<Catalog>
  /** The recorded plan or operation that the command line names; `undefined` if there is none. */
  written: () => Promise<RecordedPlan | undefined>
  /**
   * The quote of a swap as this machine received it: the one on the command line, otherwise the given one; `null` if unknown here.
   */
  remembered: (quoteId: string | null) => Promise<RecordedQuote | null>
  /** Whether a transaction was signed with a nonce: only then there is something to cancel. */
  isSigned: (chainId: number, wallet: Address, nonce: number) => Promise<boolean>
  /** The address of a wallet of this machine by its name, which a command line may name as a recipient. */
  walletNamed: (name: string) => Address | undefined
  /** The private key of the environment. */
  privateKey: string | undefined
  /** The external signer of the environment; one on the command line has priority. */
  signerUrl?: string | undefined
  sandboxKey: () => Promise<string>
  /** Shows the person what is about to be signed. */
  say: (line: string) => void
  /** Shows the person what to do on a device; nothing continues without it. */
  tell: (line: string) => void
}
