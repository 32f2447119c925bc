import type { z } from 'zod'

import {
  AbandonedDocument,
  ActionList,
  ClosedDocument,
  DoneDocument,
  ExportDocument,
  KnownDocument,
  VerdictDocument,
  VerifiedDocument,
} from './action.ts'
import { listOf } from './common.ts'
import type { Standing } from './ends.ts'
import { FeesDocument } from './fees.ts'
import { PlanDocument, PolicyDocument } from './plan.ts'
import { QuoteDocument, SwapStatusDocument } from './quote.ts'
import { CommandList, CommandSchema } from './self.ts'
import {
  ApprovalList,
  CompletionDocument,
  ConfigDocument,
  DefaultWallet,
  DemoDocument,
  DoctorDocument,
  FaultDocument,
  FundDocument,
  InitDocument,
  KeyDocument,
  KeystoreDocument,
  KeystoreFile,
  KeystoreList,
  NewKeyDocument,
  ProfileDocument,
  ProfileInUse,
  RememberedDocument,
  Removed,
  SandboxDocument,
  ServeDocument,
  TopicDocument,
} from './setup.ts'
import {
  AnalyticsDocument,
  HistoryDocument,
  RecommendationDocument,
  StrategyList,
  StrategyShown,
  WalletDocument,
} from './strategy.ts'

/**
 * What a command prints with `--json`: `success` when it is done, `plan` with `--dry-run`, `line` for each line of one that follows
 * something (with `--watch`, where it has that flag). `stands` is what it stands on, which says how it can end.
 */
export type Output = {
  stands: Standing
  success: z.ZodType | null
  plan?: z.ZodType
  line?: z.ZodType
}

const settings = (success: z.ZodType | null): Output => ({ stands: 'settings', success })
const sandbox = (success: z.ZodType): Output => ({ stands: 'sandbox', success })
const service = (success: z.ZodType): Output => ({ stands: 'service', success })
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
  'strategies analytics': service(AnalyticsDocument),
  'yield recommend': service(RecommendationDocument),
  history: service(HistoryDocument),
  deposit: planned(DoneDocument),
  withdraw: planned(DoneDocument),
  'swap quote': service(QuoteDocument),
  'swap execute': planned(DoneDocument),
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
  'action export': service(ExportDocument),
  'action verify': service(VerifiedDocument),
  'action explain': service(VerdictDocument),
  serve: service(ServeDocument),
  'keys create': service(NewKeyDocument),
  'keys list': service(listOf(KeyDocument)),
  'keys revoke': { stands: 'asked', success: KeyDocument },
  'fees show': service(FeesDocument),
  'fees set': service(FeesDocument),
  doctor: service(DoctorDocument),
  'profile list': settings(listOf(ProfileDocument)),
  'profile show': settings(ProfileDocument),
  'profile use': settings(ProfileInUse),
  'profile set': settings(ProfileDocument),
  'profile remove': settings(Removed),
  'config list': settings(ConfigDocument),
  completion: settings(CompletionDocument),
  'wallet show': service(WalletDocument),
  'wallet list': settings(KeystoreList),
  'wallet new': settings(KeystoreDocument),
  'wallet import': settings(KeystoreDocument),
  'wallet export': settings(KeystoreFile),
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
  'sandbox fault': sandbox(FaultDocument),
  schema: settings(CommandSchema.or(CommandList)),
  mcp: settings(null),
  // No command of the tree: the parser has it from elsewhere.
  help: settings(TopicDocument),
}
