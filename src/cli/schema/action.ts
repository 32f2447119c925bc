import { z } from 'zod'
import { actionStatuses } from '../../domain/swap-outcome.ts'
import { callKinds } from '../../protocols/call-description.ts'
import {
  AddressText,
  Amount,
  Digest,
  fields,
  HashText,
  listOf,
  maybe,
  Queued,
  Time,
  Whole,
} from './common.ts'

const transaction = {
  index: z.int().min(0),
  kind: z.string(),
  chainId: z.int(),
  network: z.string(),
  to: maybe(AddressText),
  hash: maybe(HashText),
  nonce: maybe(z.int().min(0)),
  status: z.string(),
  blockNumber: maybe(z.int()),
  gasUsed: maybe(z.string()),
  explorerUrl: maybe(z.string()),
  error: maybe(z.string()),
}

const times = {
  gasFee: maybe(Amount).describe('fee for gas in the coin of the network, without the data fee of a rollup'),
  gasFeeUsd: maybe(z.string())
    .optional()
    .describe('the same at the price of today; of action show and explain, null without a price'),
  signedAt: maybe(Time).describe('when the journal recorded the first signature'),
  sentAt: maybe(Time).describe('when a node first accepted it'),
  minedAt: maybe(Time).describe('when this machine saw it in a block'),
  finalAt: maybe(Time).describe('when it counted as final'),
}

const WaitingField = fields({
  what: z.string(),
  since: Time,
  clock: z.enum(['machine', 'chain']).describe('the clock of since, by which the wait is measured'),
  waitedSeconds: z.int(),
  usualSeconds: maybe(z.int()),
  mostSeconds: maybe(z.int()),
})
  .nullable()
  .optional()
  .describe('what the action waits for, for how long, and what is usual; null if it waits for nothing')

const report = {
  id: z.string(),
  type: z.string(),
  status: z.enum(actionStatuses),
  strategyId: maybe(z.string()),
  strategySlug: maybe(z.string()),
  originAddress: AddressText,
  receiverAddress: maybe(AddressText),
  amounts: fields({
    in: maybe(Amount),
    out: maybe(Amount).describe(
      'amount received, from the receipt; the expected amount until the action is finished; null if it failed',
    ),
    outAtLeast: Amount.optional().describe('present if the action succeeded but no receipt could be read'),
  }),
  queued: Queued.optional(),
  transactions: z.array(fields({ ...transaction, text: z.string(), ...times })),
  deposit: fields({ amount: Amount, until: Time, hash: maybe(z.string()) })
    .optional()
    .describe('present if a payment on Bitcoin begins it: how much, until when, and what paid it'),
  destinationTxHash: maybe(HashText),
  arrivedShort: fields({
    hash: HashText,
    network: z.string(),
    recipient: AddressText,
    brought: Amount,
    minimum: Amount,
  })
    .optional()
    .describe('present if a bridge delivered less than agreed'),
  refund: fields({
    hash: HashText,
    by: z.string().optional(),
    network: z.string(),
    recipient: AddressText,
    amount: Amount,
    paidAt: Time.optional().describe('by the clock of its chain'),
    at: Time,
  })
    .optional()
    .describe('present if the transfer was paid back: where, by which transaction, and when this was final'),
  createdAt: Time,
  updatedAt: Time,
  finishedAt: maybe(Time),
  finality: maybe(z.string()),
  assurance: z.string(),
  idempotencyKey: z.string(),
}
const allowancesLeft = z
  .array(fields({ network: z.string(), token: AddressText, spender: AddressText, amount: Amount }))
  .nullable()
  .describe('remaining allowances; null if a chain does not answer')

/** An action as the journal of this machine knows it. */
const ActionDocument = fields({ ...report, waiting: WaitingField, source: z.literal('journal') })

/** An action that was carried out; `replayed` where it was done before and nothing was sent. */
export const DoneDocument = fields({ ...report, replayed: z.boolean() })

/** An action whose allowances were revoked. */
export const ClosedDocument = fields({ ...report, allowancesLeft })

/** `action deliver` of a transfer that was delivered before. */
export const DeliveredDocument = fields({
  isDelivered: z.literal(true),
  burn: HashText,
  network: z.string(),
  transaction: maybe(HashText).describe('transaction that delivered it; null if no node has its logs'),
})

/** `action abandon`: an action that was closed. */
export const AbandonedDocument = fields({
  ...report,
  allowancesLeft,
  funds: maybe(z.string()).describe('where the funds are; null if unknown'),
})

/** An action that only the service knows. */
const serviceAction = {
  id: z.string(),
  type: z.string(),
  status: z.string(),
  strategyId: maybe(z.string()),
  strategySlug: maybe(z.string()),
  originAddress: maybe(z.string()),
  receiverAddress: maybe(z.string()),
  amounts: z.unknown(),
  transactions: z.array(
    fields({
      ...transaction,
      kind: maybe(z.string()),
      chainId: maybe(z.int()),
      network: maybe(z.string()),
      to: maybe(z.string()),
      hash: maybe(z.string()),
      status: maybe(z.string()),
    }),
  ),
  createdAt: maybe(z.string()),
  updatedAt: maybe(z.string()),
  finishedAt: maybe(z.string()),
  reported: z
    .string()
    .optional()
    .describe('the status that a remote service says; the status is then REPORTED'),
}
const sourceText =
  'who says so: the engine of this program, which reads the chains, or a remote service, whose word is not checked'

/** `action show`, and a line of `action watch`. */
export const KnownDocument = z.union([
  ActionDocument,
  fields({ ...serviceAction, source: z.enum(['engine', 'service']).describe(sourceText) }),
])

/** `action list` */
export const ActionList = listOf(
  z.union([
    fields({ ...report, source: z.literal('journal'), reported: z.null() }),
    fields({
      ...serviceAction,
      source: z
        .literal('service')
        .describe('an action of another machine, as the service of a remote profile reports it'),
      reported: maybe(serviceAction.reported.unwrap()),
      destinationTxHash: z.null(),
      finality: z.null(),
      assurance: z.null(),
      idempotencyKey: z.null(),
    }),
  ]),
  {
    service: z
      .enum(['none', 'unanswered'])
      .optional()
      .describe(
        'present if the service of a remote profile did not list its actions; none: it has no such list',
      ),
  },
)

const Loose = z.record(z.string(), z.unknown())

const Moved = {
  token: z.string().describe('an address, or native for the coin'),
  symbol: maybe(z.string()).describe('null for a token that this version does not know'),
  decimals: maybe(z.int()),
  units: Whole.describe('in the smallest unit'),
  amount: maybe(z.string()).describe('in units of the token; null if it is unknown'),
}

const callShape = {
  to: maybe(AddressText),
  contract: maybe(z.string()).describe('its name in the catalogue'),
  decoded: z.boolean().describe('whether the call and all calls in it are decoded'),
  kind: z.enum(callKinds),
  function: maybe(z.string()),
  arguments: z.array(fields({ name: z.string(), type: z.string(), value: z.unknown() })),
  text: z.string().describe('what the call does'),
  gives: z.array(fields(Moved)).describe('what leaves the sender for certain, by the call itself'),
  calls: z.array(Loose).describe('the calls inside it, each with these fields'),
  unread: z.array(z.string()).describe('what is not decoded'),
}

/** What a transaction of another machine did. */
const TransactionDocument = fields({
  ...callShape,
  network: z.string(),
  chainId: z.int(),
  from: AddressText,
  value: Amount,
  status: z.enum(['pending', 'success', 'reverted']),
  revertReason: maybe(z.string()),
  fee: maybe(Amount),
  feeUsd: maybe(z.string()).optional().describe('the same at the price of today; of action explain'),
  moves: z
    .array(
      fields({
        ...Moved,
        direction: z.enum(['in', 'out']),
        holder: AddressText,
        debt: z.boolean().describe('the token stands for a debt'),
        inferred: z.boolean().describe('coin that the called contract unwrapped; no log shows who got it'),
      }),
    )
    .describe(
      'net changes of the sender and of accounts that the call names, by logs and value; without fees',
    ),
  approvals: z.array(fields({ ...Moved, spender: AddressText, unlimited: z.boolean() })),
  nfts: z.array(
    fields({ token: AddressText, id: Whole, direction: z.enum(['in', 'out']), holder: AddressText }),
  ),
  unseen: z.array(z.string()).describe('what logs cannot show'),
})

/** `decode` */
export const DecodedDocument = fields({
  ...callShape,
  network: maybe(z.string()).describe('null for calldata without a contract and a network'),
  chainId: maybe(z.int()),
  from: maybe(AddressText).describe('null if the input does not name the sender'),
  value: maybe(Amount).describe('null if the network is not known'),
  hash: maybe(HashText),
  status: maybe(z.enum(['pending', 'success', 'reverted', 'unknown'])).describe(
    'the outcome of a hash; unknown if the nodes report different ones; null of anything else',
  ),
  candidates: z
    .array(z.string())
    .describe('the known contracts that have the function, for calldata without a contract; else empty'),
  maxFee: maybe(Amount).describe('the most that the transaction can pay for gas; null for calldata alone'),
})

/** `action explain` */
export const VerdictDocument = fields({
  id: z.string(),
  situation: z.string().regex(/^[A-Z_]+$/),
  verdict: z.string(),
  funds: z.string(),
  safeToRetry: z.boolean().describe('whether a new request is safe: it cannot pay twice'),
  next: maybe(z.string()),
  waiting: WaitingField,
  createdAt: Time.optional(),
  finishedAt: maybe(Time).optional(),
  transactions: z
    .array(fields({ ...transaction, text: z.string(), ...times }))
    .optional()
    .describe('the steps of an action of this machine'),
  evidence: z.array(fields({ source: z.enum(['journal', 'chain', 'service']), text: z.string() })),
  transaction: TransactionDocument.optional().describe(
    'a transaction of another machine: its call, and what it moved; missing for anything else',
  ),
})

/** `action export`: the evidence itself, or where it was written. */
export const ExportDocument = z.union([
  fields({
    format: z.literal('sluice-evidence@1'),
    made: Time,
    operation: Loose,
    attempts: z.array(Loose),
    events: z.array(Loose),
    trail: fields({ whole: z.boolean(), brokenAt: maybe(z.int()) }),
    report: Loose,
    calls: z.array(
      fields({
        index: z.int(),
        contract: maybe(z.string()),
        call: maybe(fields({ name: z.string(), args: z.record(z.string(), z.string()) })),
      }),
    ),
    verdict: maybe(VerdictDocument),
    sha256: Digest,
  }),
  fields({
    format: z
      .literal('sluice-service-report@1')
      .describe('an action of another machine, as the service reports it'),
    made: Time,
    service: maybe(z.string()),
    action: Loose,
    verdict: maybe(VerdictDocument),
    statedOnly: z.array(z.string()).describe('the fields of the action that no chain can confirm'),
    sha256: Digest,
  }),
  fields({ file: z.string(), id: z.string(), sha256: Digest }),
])

/** `action verify` */
export const VerifiedDocument = fields({
  id: z.string(),
  sha256: Digest,
  made: Time,
  transactions: z.array(
    fields({
      hash: z.string(),
      verdict: z.enum(['confirmed', 'refuted', 'unknown']),
      why: maybe(z.string()),
    }),
  ),
  statedOnly: z
    .array(z.string())
    .optional()
    .describe(
      "the fields that are not checked on a chain: of a service's report, and of a swap from Bitcoin what rests on its payment",
    ),
})
