import { z } from 'zod'
import { assuranceLevels } from '../../guard/assurance.ts'
import { AddressText, Amount, amountOn, Digest, fields, maybe, Queued, Time, Usd, Whole } from './common.ts'

const Level = z.enum(assuranceLevels).describe('how much was checked')

const Step = fields({
  index: z.int().min(0),
  leg: z.int().min(0),
  role: z.enum(['approve-reset', 'approve', 'action', 'fee']),
  network: z.string(),
  chainId: z.int(),
  nonce: maybe(z.int().min(0)),
  to: AddressText,
  contract: maybe(z.string()).describe('what the catalogue knows it as'),
  value: Whole.describe('in wei'),
  data: z.string().regex(/^0x[0-9a-fA-F]*$/),
  call: fields({ name: z.string(), args: z.record(z.string(), z.string()) }),
  text: z.string(),
  needs: maybe(fields({ token: AddressText, spender: AddressText, amount: Amount })),
  arrival: maybe(fields({ token: AddressText, minimum: z.union([Amount, Whole]) })),
  simulated: z.enum(['now', 'later']),
})

const Simulation = fields({
  how: z.enum(['eth_simulateV1', 'eth_call', 'unavailable']),
  blockNumber: z.int(),
  behind: maybe(fields({ host: z.string(), blocks: z.int().min(1) })).describe(
    'an endpoint that did not have the newest block, so that the newest that it has was taken',
  ),
  silent: z.array(z.string()).describe('endpoints that did not answer and are left out'),
  endpoints: z.int().min(1).describe('how many endpoints showed the same'),
  changes: z
    .array(amountOn({ network: z.string(), token: AddressText, usd: maybe(Usd) }))
    .describe(
      'of the first network; of the native coin with gas, where more than gas is paid or some comes in',
    ),
  allowances: z.array(
    fields({
      token: AddressText,
      symbol: maybe(z.string()),
      decimals: maybe(z.int().min(0).max(255)),
      spender: AddressText,
      before: Whole,
      after: Whole,
    }),
  ),
})

/** What a command would sign: `--dry-run`. `action submit` signs it, on this machine or another. */
export const PlanDocument = fields({
  planHash: Digest,
  wallet: AddressText,
  signer: fields({
    kind: z.string().describe('what holds the key'),
    name: maybe(z.string()).describe('of a keystore'),
  }),
  nonce: maybe(z.int().min(0)),
  steps: z.array(Step),
  contracts: z.array(
    fields({
      network: z.string(),
      name: maybe(z.string()),
      codeHash: z.string(),
      implementation: maybe(AddressText),
      implementationHash: maybe(z.string()),
      address: AddressText,
      firstUse: z.boolean(),
    }),
  ),
  priceImpacts: z
    .array(
      fields({
        leg: z.int().min(0),
        share: maybe(z.number()).describe('a fraction less than at the spot price; null is not known'),
        by: maybe(z.enum(['pool', 'oracle', 'usd'])).describe('who says the spot price'),
      }),
    )
    .describe('of what is exchanged at a price'),
  slippages: z
    .array(
      fields({
        leg: z.int().min(0),
        share: maybe(z.number()).describe('a fraction less than the price, all fees inside'),
        by: z.enum(['own engine', 'service']).describe('whose price that is'),
      }),
    )
    .describe('what may come less than it should, of what is exchanged or bridged'),
  standing: z
    .array(
      fields({
        network: z.string(),
        token: AddressText,
        spender: AddressText,
        name: maybe(z.string()),
        amount: Amount,
        unlimited: z.boolean(),
        need: Whole.describe('what the plan takes of it'),
        revoke: z.string().describe('the line that takes it back'),
      }),
    )
    .describe('what contracts of the plan may take already, where that is more than it needs'),
  simulation: maybe(Simulation),
  fees: maybe(
    fields({
      gas: Whole,
      maxFeePerGas: Whole,
      feeCap: Whole,
      maxCost: amountOn({ usd: maybe(Usd) }),
      dataFee: maybe(amountOn({ usd: maybe(Usd) })).optional(),
    }),
  ),
  laterFees: z
    .array(
      fields({
        leg: z.int().min(1),
        network: z.string(),
        symbol: z.string(),
        gas: maybe(Whole),
        gasPrice: maybe(Whole),
        cost: maybe(amountOn({ usd: maybe(Usd) })),
        held: maybe(Amount).describe('what the wallet has there of the coin'),
      }),
    )
    .describe('what the gas of the legs after the first is expected to cost, where that could be tried'),
  arrivals: z
    .array(
      fields({
        network: z.string(),
        token: AddressText,
        to: AddressText,
        least: amountOn({ usd: maybe(Usd) }),
      }),
    )
    .describe('what swaps bring elsewhere than into this wallet where they begin'),
  serviceFees: z.array(
    fields({
      leg: z.int().min(0),
      network: z.string(),
      token: AddressText,
      amount: amountOn({ usd: maybe(Usd) }),
      of: Amount,
      to: AddressText,
    }),
  ),
  reference: z.enum(['equal', 'different', 'unknown']).describe('what our own engine would build'),
  policy: maybe(Digest),
  assurance: Level,
  expiresAt: maybe(Time),
  queued: Queued.optional(),
  operation: z.record(z.string(), z.unknown()).describe('what action submit goes by'),
  shownHash: Digest.describe('of all that the plan shows; an edited plan is refused'),
})

/** `policy check` */
export const PolicyDocument = fields({
  planHash: Digest,
  policy: Digest,
  assurance: Level,
  rules: z.array(
    fields({
      rule: z.string(),
      wanted: z.string(),
      found: z.string(),
      met: z.boolean(),
      code: z.string(),
      hint: z.string().optional(),
    }),
  ),
})
