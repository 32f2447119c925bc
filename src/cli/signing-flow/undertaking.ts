import type { ReferenceQuote } from '../../planning/own-price.ts'
import type { ServiceProposal } from '../../planning/proposal.ts'
import type { Price } from '../../planning/usd-value.ts'
import type { SignerIdentity } from '../../signing/signer.ts'

/** Something that signs: the request that an idempotency key stands for, and how the service is asked for the transactions. */
export type Undertaking = {
  title: string
  /** What the command asks for, as plain JSON: equal requests are equal JSON. */
  request: Record<string, unknown>
  /** Whose plan it is, when it was made before: nobody else signs it. */
  wallet?: SignerIdentity['address']
  propose: (wallet: SignerIdentity['address']) => Promise<ServiceProposal>
  /** The operation that is given up for this: once all is checked and agreed to, just before anything is signed. */
  givesUp?: { id: string; close: () => Promise<unknown> }
  /** What a unit of its tokens costs by the word of the service, once it was proposed: for what the chain does not price. */
  prices?: () => readonly Price[]
  /** What our own engine says about the same request, where a service that is not ours answers. */
  opinion?: (wallet: SignerIdentity['address']) => Promise<ReferenceQuote | undefined>
}
