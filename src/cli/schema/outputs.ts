import { z } from 'zod'
import { swapStatuses } from '../../api/status-and-history-words.ts'
import type { PrintingName } from '../../domain/command-line/commands.ts'
import {
  AbandonedDocument,
  ActionList,
  ClosedDocument,
  DecodedDocument,
  DeliveredDocument,
  DoneDocument,
  ExportDocument,
  KnownDocument,
  VerdictDocument,
  VerifiedDocument,
} from './action.ts'
import { CommandList, CommandSchema } from './commands.ts'
import { AddressText, Amount, fields, listOf, maybe, Refusals, Time, Usd } from './common.ts'
import type { Standing } from './exit-codes.ts'
import { PlanDocument } from './plan.ts'
import {
  CompletionDocument,
  ConfigDocument,
  DoctorDocument,
  InitDocument,
  PolicyDocument,
  ProfileDocument,
  ProfileInUse,
  Removed,
  TopicDocument,
} from './profiles-and-configuration.ts'
import {
  DemoDocument,
  FaultDocument,
  FundDocument,
  ListenDocument,
  NewWebhookDocument,
  ReplayDocument,
  SandboxDocument,
  ServeDocument,
  TriggerDocument,
  WebhookDeliveryDocument,
  WebhookDocument,
} from './sandbox-and-serving.ts'
import {
  AnalyticsDocument,
  HistoryDocument,
  RecommendationDocument,
  StrategyList,
  StrategyShown,
  WalletDocument,
} from './strategies-and-positions.ts'
import {
  ApprovalList,
  BalanceList,
  DefaultWallet,
  KeyDocument,
  KeystoreDocument,
  KeystoreList,
  NetworkList,
  NewKeyDocument,
  RememberedDocument,
  TokenList,
  WalletExport,
} from './wallets-and-api-keys.ts'

const End = fields({ network: z.string(), chainId: z.int() })
const Side = fields({
  chainId: z.int(),
  address: AddressText,
  symbol: z.string(),
  decimals: z.int().min(0).max(255),
  amount: Amount,
  priceUsd: maybe(z.string()),
})

const quoteFields = {
  id: maybe(z.string()),
  quoteId: maybe(z.string()),
  from: End,
  to: End,
  tokenIn: Side,
  tokenOut: Side,
  provider: z.string(),
  minAmountOut: maybe(Amount),
  maxAmountIn: maybe(Amount),
  slippage: maybe(z.number()).describe('a fraction: 0.005 is 0.5%'),
  priceImpact: maybe(z.number()).describe(
    'fraction below the spot price, service fees aside; null if unknown',
  ),
  priceImpactUsd: maybe(Usd).describe('what the price impact costs; null if unknown'),
  estimatedGas: maybe(z.string()).describe(
    'gas of all transactions, with the approvals of a wallet that has given none, in units',
  ),
  gasCostUsd: maybe(z.string()),
  netAmountOut: maybe(Amount).describe(
    'the output less the gas, for an exact input; negative if gas costs more',
  ),
  netAmountIn: maybe(Amount).describe('the input and the gas, for an exact output'),
  netUsd: maybe(Usd).describe('the net amount in USD; null without a price'),
  durationSeconds: maybe(z.number()).describe('from its first block on'),
  deadline: maybe(Time),
  status: maybe(z.string()),
  destinationAddress: maybe(AddressText),
  refundAddress: maybe(z.string()).describe('an EVM address, or a Bitcoin address for swaps from Bitcoin'),
  feeSponsorship: maybe(z.boolean()),
  feeSponsorshipReason: maybe(z.string()).describe('why fees are not sponsored, if sponsoring was requested'),
  fees: maybe(z.array(z.unknown())),
  alternatives: maybe(
    z.array(
      fields({
        provider: z.string(),
        transferSpeed: maybe(z.string()),
        amountIn: Amount,
        amountOut: Amount,
        savesSeconds: maybe(z.int()),
        estimatedGas: maybe(z.string()),
        gasCostUsd: maybe(z.string()),
        netAmountOut: maybe(Amount),
        netAmountIn: maybe(Amount),
        durationSeconds: maybe(z.number()),
      }),
    ),
  ).describe(
    'the offers of the other providers, the best first; with a transferSpeed, the same swap at a faster speed, with the seconds saved',
  ),
}

/** A quote of a swap. */
export const QuoteDocument = fields(quoteFields)

/** `swap quote`: the quote, the amounts that executing it accepts, and why that would be refused. */
const AskedQuoteDocument = fields({
  ...quoteFields,
  accepts: maybe(fields({ amountIn: Amount, amountOut: Amount })).describe(
    'executing it spends at most amountIn and receives at least amountOut',
  ),
  refusals: Refusals,
})

/** `swap quote --compare`: the providers, the best first; those without a quote last. */
const ComparisonDocument = listOf(
  fields({
    provider: z.string(),
    rank: maybe(z.int()),
    quote: maybe(QuoteDocument),
    gross: maybe(Amount).describe('the output of an exact input, the input of an exact output'),
    net: maybe(Amount).describe('the same after gas; null if the gas or a price is unknown'),
    netUsd: maybe(Usd),
    fees: maybe(z.array(z.unknown())).describe('by kind, with their amounts'),
    gasCostUsd: maybe(z.string()),
    priceImpact: maybe(z.number()),
    durationSeconds: maybe(z.number()),
    proof: maybe(
      z.union([z.record(z.string(), z.enum(['calldata', 'simulation', 'none'])), z.string()]),
    ).describe('proof of each term before signing; as text for a deposit on Bitcoin'),
    lost: maybe(z.string()).describe('why it is not the best'),
    refusals: Refusals,
    error: maybe(fields({ code: z.string(), message: z.string() })),
  }),
)

/** The deposit of a swap that begins on Bitcoin. */
const depositFields = {
  memo: maybe(z.string()).describe('the text of an OP_RETURN output that the payment must have'),
  confirmations: maybe(z.int()).describe('null while no deposit is found'),
  delivery: maybe(z.enum(['verified', 'reported'])).describe(
    'whether the destination chain showed the payment, or only the provider says so',
  ),
  note: maybe(z.string()),
}
const DepositFields = fields({
  ...depositFields,
  address: maybe(z.string()).describe('null once a payment is known: it must not be paid again'),
  until: Time,
  amount: z.string().describe('amount that it must pay, in satoshi'),
  paid: maybe(z.string()).describe('amount that it pays, in satoshi'),
  overdue: z.boolean().optional().describe('paid, but not finished in the usual time'),
  isLookedUp: z
    .boolean()
    .optional()
    .describe('whether the lookup was complete, so that a deposit would have been found'),
})

/** An outcome that no chain shows here. */
const reported = z.string().optional().describe('an end that only the service or provider says')

/** The cause of a failed swap. */
const arrivedShort = z
  .literal(true)
  .optional()
  .describe('why the swap failed: less than the agreed minimum arrived; without it no cause is known')

/** `swap execute` of a swap that begins on Bitcoin: nothing is signed. */
const DepositDocument = fields({
  id: maybe(z.string()),
  status: z.string(),
  reported,
  arrivedShort,
  provider: z.string(),
  proof: maybe(z.string()).describe('proof of recipient and amounts before the payment'),
  originTxHash: maybe(z.string()),
  destinationTxHash: maybe(z.string()),
  destinationAddress: maybe(AddressText),
  refundAddress: maybe(z.string()),
  amounts: fields({ in: Amount, out: Amount, least: Amount }),
  deposit: fields({
    ...depositFields,
    address: maybe(z.string()).describe('null once a payment is known: it must not be paid again'),
    until: maybe(Time),
    amount: Amount,
    paid: maybe(Amount),
    uri: maybe(z.string()).describe('BIP 21 URI; null if a memo is needed'),
    late: maybe(z.string()).describe('what is refunded if the payment is late or short'),
  }),
})

/** The status of a swap; with `--watch` one line per change. */
export const SwapStatusDocument = fields({
  id: z.string(),
  status: z
    .string()
    .describe(
      `${swapStatuses.join(', ')}, cancelled (an order of this machine), or reported (an end that only a service says)`,
    ),
  reported,
  arrivedShort,
  originTxHash: maybe(z.string()),
  destinationTxHash: maybe(z.string()),
  provider: maybe(z.string()),
  deposit: DepositFields.optional().describe('of a swap that begins on Bitcoin'),
  note: z.string().optional().describe('additional report of the provider that no chain shows yet'),
})

const operatorFees = {
  swapFeeBps: z.int(),
  performanceFeeBps: z.int(),
  operatorCollector: maybe(AddressText),
}

/** `fees show` and `fees set`: fees in basis points; with `--operator` or `--database` also the operator's, and each change. */
export const FeesDocument = z.union([
  fields({
    ...operatorFees,
    markupBps: z.int(),
    maxMarkupBps: maybe(z.int()),
    collector: maybe(AddressText),
  }),
  fields({
    ...operatorFees,
    maxMarkupBps: z.int(),
    changes: z
      .array(
        fields({
          at: Time,
          by: z.string(),
          customer: maybe(z.string()),
          name: z.string(),
          was: maybe(z.string()),
          value: z.string(),
        }),
      )
      .describe('newest changes of all settings; by is a key or operator'),
  }),
])

/** A line of `strategies watch` and `wallet watch`. */
const CrossingDocument = fields({
  time: Time,
  subject: z.string().describe('slug of the strategy, or address of the wallet'),
  condition: z.string(),
  isMet: z.boolean(),
  value: maybe(z.union([z.number(), z.boolean()])).describe(
    'a rate as a fraction, a value in USD; null is a health factor without debt',
  ),
})

/** One look of a watch at which no condition was newly met; where one was, `crossings` is in the details of the error. */
const CrossingsDocument = fields({ crossings: z.array(CrossingDocument) })

/**
 * The `--json` output of a command: `success`, `plan` with `--dry-run`, and `line` for each line while
 * watching. `stands` is the dependency that decides its exit codes.
 */
export type Output = {
  stands: Standing
  success: z.ZodType | null
  plan?: z.ZodType
  line?: z.ZodType
  /** Whether one thing has a table, which `--csv` prints. */
  hasRows?: true
}

const settings = (success: z.ZodType | null): Output => ({ stands: 'settings', success })
const sandbox = (success: z.ZodType): Output => ({ stands: 'sandbox', success })
const service = (success: z.ZodType): Output => ({ stands: 'service', success })
const withRows = (success: z.ZodType): Output => ({ ...service(success), hasRows: true })
const signer = (success: z.ZodType): Output => ({ stands: 'signer', success })
const planned = (success: z.ZodType): Output => ({ ...signer(success), plan: PlanDocument })

/** The output of every command, by its words. */
export const outputs: Readonly<Record<string, Output>> = {
  demo: service(DemoDocument),
  init: { stands: 'asked', success: InitDocument },
  'strategies list': {
    stands: 'follows',
    success: StrategyList,
    line: StrategyList,
  },
  'strategies show': service(StrategyShown),
  'strategies watch': { stands: 'watches', success: CrossingsDocument, line: CrossingDocument },
  'strategies analytics': withRows(AnalyticsDocument),
  'yield recommend': service(RecommendationDocument),
  history: service(HistoryDocument),
  deposit: planned(DoneDocument),
  withdraw: planned(DoneDocument),
  'swap quote': service(z.union([AskedQuoteDocument, ComparisonDocument])),
  'swap execute': {
    ...signer(DoneDocument.or(DepositDocument)),
    plan: PlanDocument.or(DepositDocument),
  },
  'swap status': { stands: 'follows', success: SwapStatusDocument, line: SwapStatusDocument },
  'swap list': service(listOf(QuoteDocument)),
  transfer: planned(DoneDocument),
  'action list': service(ActionList),
  'action show': service(KnownDocument),
  'action watch': { stands: 'ends', success: null, line: KnownDocument },
  'action resume': signer(DoneDocument),
  'action speed-up': signer(DoneDocument),
  'action cancel': signer(DoneDocument),
  'action abandon': signer(AbandonedDocument),
  'action submit': planned(DoneDocument),
  'action replan': planned(DoneDocument),
  'action revoke': planned(ClosedDocument.or(DoneDocument)),
  'action deliver': planned(DeliveredDocument.or(DoneDocument)),
  'action export': service(ExportDocument),
  'action verify': service(VerifiedDocument),
  'action explain': service(VerdictDocument),
  decode: service(DecodedDocument),
  serve: withRows(ServeDocument),
  'keys create': service(NewKeyDocument),
  'keys list': service(listOf(KeyDocument)),
  'keys revoke': { stands: 'asked', success: KeyDocument },
  'fees show': service(FeesDocument),
  'fees set': service(FeesDocument),
  'webhooks add': service(NewWebhookDocument),
  'webhooks list': service(listOf(WebhookDocument)),
  'webhooks show': service(WebhookDocument),
  'webhooks remove': { stands: 'asked', success: WebhookDocument },
  'webhooks rotate': { stands: 'asked', success: NewWebhookDocument },
  'webhooks enable': service(WebhookDocument),
  'webhooks deliveries': service(listOf(WebhookDeliveryDocument)),
  'webhooks resend': service(WebhookDeliveryDocument),
  'webhooks replay': service(ReplayDocument),
  'webhooks listen': { stands: 'follows', success: ListenDocument, line: ListenDocument },
  'webhooks trigger': service(TriggerDocument),
  doctor: withRows(DoctorDocument),
  'profile list': settings(listOf(ProfileDocument)),
  'profile show': settings(ProfileDocument),
  'profile use': settings(ProfileInUse),
  'profile set': settings(ProfileDocument),
  'profile remove': settings(Removed),
  'config list': settings(ConfigDocument),
  completion: settings(CompletionDocument),
  'wallet watch': { stands: 'watches', success: CrossingsDocument, line: CrossingDocument },
  'wallet show': withRows(WalletDocument),
  'wallet balances': service(BalanceList),
  'networks list': settings(NetworkList),
  'tokens list': settings(TokenList),
  'wallet list': settings(KeystoreList),
  'wallet new': settings(KeystoreDocument),
  'wallet import': settings(KeystoreDocument),
  'wallet export': settings(WalletExport),
  'wallet remove': settings(Removed),
  'wallet use': settings(DefaultWallet),
  'wallet remember': settings(RememberedDocument),
  'wallet forget': settings(RememberedDocument),
  'wallet approvals list': service(ApprovalList),
  'wallet approvals revoke': planned(DoneDocument),
  'policy check': { stands: 'guard', success: PolicyDocument },
  'sandbox up': sandbox(SandboxDocument),
  'sandbox down': sandbox(SandboxDocument),
  'sandbox status': sandbox(SandboxDocument),
  'sandbox reset': sandbox(SandboxDocument),
  'sandbox fund': sandbox(FundDocument),
  'sandbox warp': sandbox(SandboxDocument),
  'sandbox pay-bitcoin': sandbox(fields({ txid: z.string(), address: z.string(), amount: Amount })),
  'sandbox fault': sandbox(FaultDocument),
  schema: settings(CommandSchema.or(CommandList)),
  mcp: settings(null),
  // No command of the tree: the parser has it from elsewhere.
  help: settings(TopicDocument),
} satisfies Record<PrintingName | 'help', Output>
