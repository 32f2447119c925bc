import type { Announcements } from '../api/announcements-type.ts'
import type { Quote } from '../api/quote.ts'
import type { Service } from '../api/service-type.ts'
import type { SwapStatus } from '../api/swap-status.ts'
import type { Address } from '../domain/address.ts'
import type { Token } from '../domain/token.ts'
import type { ExecutionContext } from '../planning/execution-context-types.ts'
import type { TokenUsdPrice } from '../planning/usd-value.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import type { SignerChoice, SignerIdentity } from '../signing/signer.ts'
import type { Finding } from './health-findings.ts'
import type { Serving } from './server-administration.ts'

/** The body of an answer as it came, and the method that it answers. */
export type RawResponse = { method: keyof Service; status: number; text: string }

/** The responses since the last read, and that to the last call, if it was answered. */
export type RawResponses = { bodies: readonly RawResponse[]; last: RawResponse | undefined }

/** A deposit on Bitcoin whose terms were checked, before it is shown. Amounts are in the smallest unit, `until` is epoch ms. */
export type DepositToKeep = {
  quote: Quote
  terms: {
    address: string
    memo: string | null
    amount: bigint
    amountOut: bigint
    minAmountOut: bigint
    until: number
    late: string
    refundFee: bigint
    seconds: number | null
  }
  tokenOut: Token
  recipient: Address
}

/**
 * Checks deposits on this machine. `termsOf` are the terms that an operation keeps for one, as JSON; POLICY_QUOTE_DRIFT for a deposit that differs from
 * the one that it kept before. `statusOf` is what Bitcoin and the provider show of a deposit with these terms.
 */
export type DepositChecker = {
  termsOf: (shown: DepositToKeep) => Promise<object>
  statusOf: (kept: object) => Promise<SwapStatus>
}

/** Where a command runs: one profile. */
export type Backend = {
  /** Its name; the kind for a built-in profile. */
  profile: string
  kind: 'sandbox' | 'engine' | 'remote'
  /** The host of the deployment of a remote profile; `null` for the others. */
  serviceHost: string | null
  service: () => Promise<Service>
  /** The service for the strategies of one chain, which reads no other chain; `undefined` for a remote service. */
  serviceOn: ((chainId: number) => Promise<Service>) | undefined
  /** The swap providers that the profile names, which a comparison asks; `undefined` for all that are known here. */
  swapProviders: readonly string[] | undefined
  /** The raw responses of a remote service; `undefined` for a local one. */
  rawResponses: (() => RawResponses) | undefined
  /** Opens what a remote service announces of an action or quote, by its whole id; `undefined` for a local one. */
  announced: ((id: string) => Promise<Announcements>) | undefined
  /** The local engine over the same chains, to compare with a remote service. */
  reference: (() => Promise<Service>) | undefined
  /** The deposits on Bitcoin that this machine checks itself; `undefined` where the engine is in this process, which does. */
  deposits: DepositChecker | undefined
  /** The serving of this profile; `undefined` for a remote one. */
  serving: Serving | undefined
  catalog: () => Promise<Catalog>
  /** The context of planning and execution: journal, locks, chains. */
  context: () => Promise<ExecutionContext>
  /** The signer, from flags, environment, configuration, or the sandbox account. */
  signerIdentity: (choice: SignerChoice) => Promise<SignerIdentity>
  /** Checks the service and each network that has an RPC. */
  findings: () => Promise<Finding[]>
  /** The USD price of one token, where the chain has one. For display; never fails. */
  prices: (chainId: number, tokens: readonly Token[]) => Promise<readonly TokenUsdPrice[]>
  /** Raw JSON-RPC, for reading the chain without the engine. */
  read: (chainId: number, method: string, params: readonly unknown[]) => Promise<unknown>
}
