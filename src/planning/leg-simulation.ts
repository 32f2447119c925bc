import { ask } from '../chain/ask.ts'
import type { ChainClient } from '../chain/chain-client.ts'
import type { ChainSnapshot } from '../chain/consistent-head.ts'
import { isFreshSnapshot } from '../chain/head-fees-nonces-snapshot.ts'
import { nativeAddress } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { networkNamed } from '../domain/networks.ts'
import { nativeToken, type Token, tokenAt } from '../domain/token.ts'
import type { Transaction } from '../domain/transaction-types.ts'
import type { CheckedLeg } from '../guard/calldata-against-intent.ts'
import { checkAssertions } from '../guard/policy/user-assertions.ts'
import { checkEffect } from '../guard/simulation/check-effects.ts'
import { refuseDust, refuseRoundingLoss } from '../guard/simulation/deposit-loss-check.ts'
import { type Simulation, simulateLeg } from '../guard/simulation/simulate.ts'
import { balanceRead } from '../guard/simulation/wallet-state-before-simulation.ts'
import { intentSpending, requiredAllowance, type Spend } from '../guard/spending.ts'
import { feeCapOf, type Terms } from '../guard/user-limits-and-exemptions.ts'
import { queueTicket } from '../guard/withdrawal-queue-reads.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import { type Intent, intentTokens } from '../protocols/intent.ts'
import { calldataRulesOf } from '../protocols/registry.ts'
import { actionAmong } from '../protocols/service-fees-of-intent.ts'
import { allowanceSpender } from '../swaps/swap-provider-registry.ts'
import { expectedPayout, expectedShares } from './deposit-withdraw-previews.ts'
import type { ExecutionContext } from './execution-context-types.ts'
import type { CheckedTarget } from './onchain-target-check.ts'
import { trackedTokens } from './tracked-tokens.ts'

/**
 * What was read of the chain to check the rest of a leg, and when (monotonic, in ms): the check before a signature uses it again
 * while it is fresh.
 */
export type LegReads = {
  at: number
  transactions: readonly Transaction[]
  target: CheckedTarget | undefined
  simulation: Simulation
  /** What was read of the chain and the wallet before it, if it still was fresh. */
  snapshot?: ChainSnapshot | undefined
}

/** How old the check of a leg may be when it is signed: this many ms, and this many blocks. */
export const maxCheckAge = { ms: 30_000, blocks: 2 }

/**
 * Whether a check still holds for these transactions: it is fresh, its simulation was a full one, and the wallet has sent nothing
 * since, so that the same would be found again.
 */
export const isCheckFresh = (
  { at, transactions, simulation }: LegReads,
  left: readonly Transaction[],
  now: { block: number; nonce: number },
): boolean =>
  simulation.how === 'eth_simulateV1' &&
  simulation.nonce === now.nonce &&
  performance.now() - at <= maxCheckAge.ms &&
  now.block - Number(simulation.blockNumber) <= maxCheckAge.blocks &&
  left.length === transactions.length &&
  left.every(({ to, data, value }, i) => {
    const other = transactions[i]!
    return to === other.to && data === other.data && value === other.value
  })

/**
 * G11: simulates a leg on the newest block, a swap also at its deadline. The wallet must hold what it spends, its effects must be
 * what was asked, and the person's assertions must hold. `chains` are those of the whole operation; `snapshot` is what was just read
 * of this one.
 */
export async function simulatePlannedLeg(
  { rpc: rpcOf, catalog }: Pick<ExecutionContext, 'rpc' | 'catalog'>,
  { chainId, intent, transactions, until, recorded }: CheckedLeg,
  terms: Terms,
  chains: readonly number[] = [chainId],
  snapshot?: ChainSnapshot,
): Promise<Simulation> {
  const rpc = rpcOf(chainId)
  const network = networkNamed(catalog.networks, chainId)
  const spend = requiredAllowance(intent)
  const question = (tokens: readonly Token[]) => ({
    rpc,
    chainId,
    network: network.name,
    native: network.native,
    wallet: intent.wallet,
    transactions,
    tokens,
    needs: requiredBalances(intent),
    ...(spend && {
      allowances: [
        { token: spend.token.address, spender: allowanceSpender(catalog, actionAmong(intent, transactions)) },
      ],
    }),
    ...(until !== undefined && { until }),
    recorded,
    maxFeePerGas: feeCapOf(terms),
    typedFee: terms.maxFeePerGas,
    ...(isFreshSnapshot(snapshot, chainId) && { snapshot }),
  })
  const watched = watchedTokens(catalog, chainId, intent)
  // What the market says of itself is asked beside the simulation, and told after it.
  const expecting = Promise.all([expectedShares(rpc, intent), expectedPayout(rpc, intent)])
  expecting.catch(() => undefined)
  const simulation = await simulateLeg(question(watched)).catch(async (error: unknown) => {
    const readable = await withoutBrokenTokens(rpc, watched, intent, error)
    if (!readable) throw error
    return simulateLeg(question(readable))
  })
  refuseUnsimulated(intent, simulation, terms)
  if (simulation.how === 'unavailable') return simulation
  const [shares, pays] = await expecting
  if (intent.kind === 'deposit') refuseDust(intent, shares, simulation.changes)
  checkEffect(intent, simulation, shares, pays.amount)
  if (intent.kind === 'deposit' && 'read' in calldataRulesOf(intent.strategy).cost(intent.amount))
    refuseRoundingLoss(intent, shares)
  checkAssertions(
    terms.asserts,
    chainId,
    [...simulation.changes, { token: nativeToken(network), delta: simulation.coin }],
    { networks: catalog.networks, tokens: namedOn(catalog, chains, intent) },
  )
  return { ...simulation, ...(pays.unsaid !== undefined && { unsaid: pays.unsaid }) }
}

/**
 * Drops tokens that return no balance, if they made a simulation fail: a broken contract in the catalogue must not block others.
 */
async function withoutBrokenTokens(
  rpc: ChainClient,
  watched: readonly Token[],
  intent: Intent,
  error: unknown,
): Promise<Token[] | undefined> {
  if (!(error instanceof AppError && (error.code === 'RPC_ERROR' || error.code === 'RPC_INCONSISTENT')))
    return undefined
  const held = await ask(
    rpc,
    watched.map((token) => balanceRead(token, intent.wallet)),
  )
  const readable = watched.filter((_, at) => held[at] !== undefined)
  const isUsed = intentPositionTokens(intent).every(
    (token) =>
      token.chainId !== watched[0]?.chainId ||
      readable.some((one) => one.address === token.address) ||
      token.address === nativeAddress,
  )
  return isUsed && readable.length < watched.length ? readable : undefined
}

/** The tokens of an intent, including those of its position. */
const intentPositionTokens = (intent: Intent): Token[] => [
  ...intentTokens(intent),
  ...('strategy' in intent ? [intent.strategy.receipt] : []),
  ...(intent.kind === 'withdraw' || intent.kind === 'claim'
    ? [queueTicket(intent.strategy) ?? []].flat()
    : []),
]

/**
 * Refuses to sign without a simulation if nobody can be asked, the policy requires one, or the person made assertions. Revoking is
 * still allowed: that call is decoded completely, and there may be no other node.
 */
function refuseUnsimulated({ kind }: Intent, { how }: Simulation, { policy, canAsk, asserts }: Terms): void {
  if (how !== 'unavailable') return
  const rule = policy?.policy.simulation
  const isAllowed = kind === 'revoke' || (rule === undefined ? canAsk : rule === 'optional')
  if (asserts.length === 0 && isAllowed) return
  throw new AppError(
    'POLICY_SIMULATION',
    'The node cannot simulate, so the effect of the transactions is not known',
    {
      next: 'Use a node with eth_simulateV1, or allow this in the policy: "simulation": "optional"',
    },
  )
}

/**
 * What the wallet must hold before a leg, beside the native coin. For a rebasing position a part must be there: otherwise some
 * markets lend the rest against collateral (Compound v3).
 */
function requiredBalances(intent: Intent): Spend[] {
  if (intent.kind === 'withdraw' && intent.shares === undefined) {
    const cost = calldataRulesOf(intent.strategy).cost(intent.amount)
    return 'units' in cost ? [{ token: intent.strategy.receipt, amount: cost.units }] : []
  }
  const spend = intentSpending(intent)
  return spend && spend.token.address !== nativeAddress ? [spend] : []
}

/** The tokens whose balances show the effects of an intent on a chain: all known ones, and those it names. */
function watchedTokens(catalog: Catalog, chainId: number, intent: Intent): Token[] {
  // Revoking must work even if a contract of the catalogue does not.
  const tracked = intent.kind === 'revoke' ? [] : trackedTokens(catalog, chainId)
  const named = intentPositionTokens(intent).filter(
    (token) => token.chainId === chainId && token.address !== nativeAddress,
  )
  return [...tracked, ...named.filter((token) => !tokenAt(tracked, chainId, token.address))]
}

const namedOn = (catalog: Catalog, chains: readonly number[], intent: Intent): Token[] =>
  [...new Set(chains)].flatMap((chainId) => [
    nativeToken(networkNamed(catalog.networks, chainId)),
    ...watchedTokens(catalog, chainId, intent),
  ])
