import type { ExecutionOptions } from './sending-and-waiting-options.ts'

/** The options of every command that signs, as commander reads them. */
export type SigningOptions = ExecutionOptions & {
  wallet?: string
  keyFile?: string
  passwordFile?: string
  ledger?: string | true
  signerUrl?: string
  dryRun?: boolean
  allowDuplicate?: boolean
  idempotencyKey?: string
  allowContract?: string[]
  allowToken?: string[]
  policy?: string
  trustFirstUse?: boolean
  minAssurance?: string | true
  assert?: string[]
  maxFee?: string
  maxServiceFee?: string
  slippage?: string
  maxPriceImpact?: string
}
