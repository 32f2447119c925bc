import { z } from 'zod'
import { assuranceLevels } from '../../guard/assurance.ts'
import { AddressText, Amount, amountOn, Digest, fields, maybe, Queued, Time, Usd, Whole } from './common.ts'

/** The assurance level that the checks reached. */
export const Level = z.enum(assuranceLevels).describe('assurance level reached by the checks')

const Step = fields({
  index: z.int().min(0),
  leg: z.int().min(0),
  role: z.enum(['approve-reset', 'approve', 'action', 'fee']),
  network: z.string(),
  chainId: z.int(),
  nonce: maybe(z.int().min(0)),
  to: AddressText,
  contract: maybe(z.string()).describe('name of the contract in the catalogue'),
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
    'an endpoint without the newest block; the simulation uses the newest block that it has',
  ),
  silent: z.array(z.string()).describe('endpoints that did not answer'),
  endpoints: z.int().min(1).describe('number of endpoints that agree'),
  changes: z
    .array(amountOn({ network: z.string(), token: AddressText, usd: maybe(Usd) }))
    .describe(
      'balance changes on the first network; the native coin is included, with gas, if it changes by more than gas',
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

/** The output of `--dry-run`. `action submit` signs it, on this machine or another. */
export const PlanDocument = fields({
  planHash: Digest,
  wallet: AddressText,
  signer: fields({
    kind: z.string().describe('where the key is kept'),
    name: maybe(z.string()).describe('name of the keystore'),
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
        share: maybe(z.number()).describe('fraction below the spot price; null if unknown'),
        by: maybe(z.enum(['pool', 'oracle', 'usd', 'same-asset'])).describe('source of the spot price'),
      }),
    )
    .describe('price impact of each exchange'),
  slippages: z
    .array(
      fields({
        leg: z.int().min(0),
        share: maybe(z.number()).describe('fraction below the price, including all fees'),
        by: z.enum(['own engine', 'service']).describe('source of the price'),
      }),
    )
    .describe('maximum slippage of each exchange or bridge transfer'),
  standing: z
    .array(
      fields({
        network: z.string(),
        token: AddressText,
        spender: AddressText,
        name: maybe(z.string()),
        amount: Amount,
        unlimited: z.boolean(),
        need: Whole.describe('amount the plan uses'),
        revoke: z.string().describe('command that revokes it'),
      }),
    )
    .describe('existing allowances of contracts in the plan that exceed what it needs'),
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
        held: maybe(Amount).describe('native balance of the wallet on that network'),
      }),
    )
    .describe('expected gas cost on the networks after the first, if it could be estimated'),
  arrivals: z
    .array(
      fields({
        network: z.string(),
        token: AddressText,
        to: AddressText,
        least: amountOn({ usd: maybe(Usd) }),
      }),
    )
    .describe('swap outputs that go to another network or another address'),
  serviceFees: z.array(
    fields({
      leg: z.int().min(0),
      network: z.string(),
      token: AddressText,
      amount: amountOn({ usd: maybe(Usd) }),
      of: Amount,
      to: AddressText,
      paidBy: z.enum(['action', 'step']).describe('the action itself, or a step of its own after it'),
    }),
  ),
  proof: z
    .array(fields({ leg: z.int(), term: z.string(), by: z.enum(['calldata', 'simulation', 'none']) }))
    .describe('proof of each term of a swap before signing; empty without a swap'),
  reference: z
    .enum(['equal', 'different', 'unknown'])
    .describe('comparison with the transactions of the local engine'),
  policy: maybe(Digest),
  assurance: Level,
  expiresAt: maybe(Time),
  queued: Queued.optional(),
  operation: z.record(z.string(), z.unknown()).describe('input of action submit'),
  shownHash: Digest.describe('hash of everything the plan shows; an edited plan is refused'),
})
