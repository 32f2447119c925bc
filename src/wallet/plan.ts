import { createHash } from 'node:crypto'

import type { Address } from '../domain/address.ts'
import type { Intent } from '../domain/intent.ts'
import { type Network, networkNamed } from '../domain/network.ts'
import type { Token } from '../domain/token.ts'
import type { Transaction } from '../domain/transaction.ts'
import type { Arrival } from '../store/operation.ts'
import { checkEffect } from './effect.ts'
import type { Ground } from './ground.ts'
import { checkLeg, type DecodedStep } from './guard.ts'
import type { About } from './intent-json.ts'
import { tokensOf } from './registry.ts'
import { type Simulation, simulateLeg } from './simulate.ts'

/** The transactions of one chain and what they are for. A leg without an intent has no transactions: it only waits for what an earlier one sends. */
export type ProposedLeg = {
  chainId: number
  intent: Intent | null
  transactions: readonly Transaction[]
  arrival?: Omit<Arrival, 'hash'>
}

/** What a service proposes for a request. `request` is what the idempotency key stands for. */
export type Proposal = {
  id: string
  kind: string
  request: unknown
  wallet: Address
  legs: readonly ProposedLeg[]
  about: About
  quoteId: string | null
  /** ISO time after which the proposal is worth nothing; `null` is never. */
  expiresAt: string | null
}

/** A proposal that was found to do what was asked and nothing else. */
export type Checked = {
  proposal: Proposal
  allow: readonly Address[]
  steps: (DecodedStep & { leg: number })[]
  simulation: Simulation | null
  hash: string
  assurance: string
}

/** Guards every leg and simulates the first; what does not hold throws, and nothing has been signed. */
export async function checkProposal(
  { rpc, catalog }: Ground,
  proposal: Proposal,
  allow: readonly Address[],
): Promise<Checked> {
  const steps = proposal.legs.flatMap((leg, at) =>
    leg.intent
      ? checkLeg({
          intent: leg.intent,
          chainId: leg.chainId,
          transactions: leg.transactions,
          catalog,
          allow,
        }).map((step) => ({ ...step, leg: at }))
      : [],
  )
  const first = proposal.legs[0]!
  const network = networkNamed(catalog.networks, first.chainId)
  const simulation = first.intent
    ? await simulateIntent(rpc(first.chainId), network, first.intent, first.transactions)
    : null
  return { proposal, allow, steps, simulation, hash: hashOf(proposal), assurance: 'L2' }
}

/** Tries one leg on top of the newest block: what it takes must be there, and what it does must be what was asked. */
export async function simulateIntent(
  rpc: ReturnType<Ground['rpc']>,
  network: Network,
  intent: Intent,
  transactions: readonly Transaction[],
): Promise<Simulation> {
  const tokens = watched(intent).filter((token) => token.chainId === network.chainId)
  const { wallet } = intent
  const { chainId, native } = network
  const simulation = await simulateLeg({
    rpc,
    chainId,
    native,
    wallet,
    transactions,
    tokens,
    needs: needsOf(intent),
  })
  checkEffect(intent, simulation)
  return simulation
}

/** The tokens whose balances show what an intent does. */
const watched = (intent: Intent): Token[] =>
  'strategy' in intent ? [intent.strategy.asset, intent.strategy.receipt] : tokensOf(intent)

/** What an intent takes out of the wallet. */
export function needsOf(intent: Intent): { token: Token; amount: bigint }[] {
  switch (intent.kind) {
    case 'deposit':
      return [{ token: intent.strategy.asset, amount: intent.amount }]
    case 'swap':
      return [{ token: intent.tokenIn, amount: intent.amountIn }]
    case 'transfer':
      return intent.token.address === '0x0000000000000000000000000000000000000000'
        ? []
        : [{ token: intent.token, amount: intent.amount }]
    case 'withdraw':
      return []
  }
}

/** What a person or a device can compare: the hash of wallet and transactions, in order. */
const hashOf = ({ wallet, legs }: Proposal): string =>
  createHash('sha256')
    .update(
      JSON.stringify([
        wallet,
        ...legs.flatMap(({ transactions }) =>
          transactions.map(({ to, data, value, chainId }) => [
            chainId,
            to,
            value.toString(),
            data.toLowerCase(),
          ]),
        ),
      ]),
    )
    .digest('hex')
