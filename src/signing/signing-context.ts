import type { Address } from '../domain/address.ts'
import type { Catalog } from '../protocols/catalog.ts'
import type { RecordedQuote } from './intent-check.ts'
import type { RecordedPlan } from './recorded-plan-check.ts'

/** What the signer knows by itself: not from whoever asks it. */
export type SigningServiceContext = {
  /** What the person typed. */
  argv: readonly string[]
  catalog: () => Promise<Catalog>
  /** What is written of the plan or the operation that was typed; `undefined` where nothing is. */
  written: () => Promise<RecordedPlan | undefined>
  /** The quote of a swap as this machine was given it: the one that is named on the command line, or else the one that is said to be taken; `null` where nobody here knows it. */
  remembered: (quoteId: string | null) => Promise<RecordedQuote | null>
  /** Whether something was signed with a nonce: only then a cancel has something to take the place of. */
  isSigned: (chainId: number, wallet: Address, nonce: number) => Promise<boolean>
  /** The key of the environment. */
  privateKey: string | undefined
  /** The signer elsewhere that the environment names; one that was typed counts more. */
  signerUrl?: string | undefined
  sandboxKey: () => Promise<string>
  /** Says to the person what is about to be signed. */
  say: (line: string) => void
  /** Says what the person has to do somewhere else now, on a device: without that nothing goes on. */
  tell: (line: string) => void
}
