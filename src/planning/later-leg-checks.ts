import type { ChainClient } from '../chain/chain-client.ts'
import { currentFees } from '../chain/gas-fees.ts'
import { type Head, readHead } from '../chain/head.ts'
import { refuseExcessiveGas } from '../chain/refuse-excessive-gas.ts'
import { readDataFee } from '../chain/rollup-data-fee.ts'
import { quantity } from '../chain/rpc/quantities.ts'
import { requestAtBlock } from '../chain/rpc/request-at-block.ts'
import { retryingClient } from '../chain/rpc/retry-unknown-block.ts'
import type { Address } from '../domain/address.ts'
import { formatAmount, tokenAmount } from '../domain/amount.ts'
import { AppError } from '../domain/errors.ts'
import { type Network, networkNamed } from '../domain/networks.ts'
import { nativeToken } from '../domain/token.ts'
import { refuseDust, refuseRoundingLoss } from '../guard/simulation/deposit-loss-check.ts'
import { type LaterLegSimulation, simulateLater } from '../guard/simulation/simulate-as-if-delivered.ts'
import { feeCapOf, type Terms } from '../guard/user-limits-and-exemptions.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import { calldataRulesOf } from '../protocols/registry.ts'
import { cctpV2Contracts } from '../swaps/cctp-v2/constants-schema.ts'
import { contractsOn } from '../swaps/swap-contracts.ts'
import { expectedShares } from './deposit-withdraw-previews.ts'
import type { ExecutionContext } from './execution-context-types.ts'
import type { ProposedLeg } from './proposal.ts'
import { pricedAmount, type TokenUsdPrice } from './usd-value.ts'

/** The least gas of any transaction. */
const leastGas = 21_000n

/**
 * The expected cost of a later leg: its gas (`null` if the node cannot simulate it), the gas price in wei, the data fee of a rollup
 * if known, and the wallet's coin balance there. `at` is its index among the legs checked.
 */
export type LaterLegCost = { at: number; gas: bigint | null; price: bigint; data: bigint; held: bigint }

/**
 * Checks the legs behind a bridge against their chains before the transfer is sent: the wallet needs the native coin there (else
 * INSUFFICIENT_FUNDS), and the delivered amount must work (else INVALID_AMOUNT or SIMULATION_REVERTED). A bridge transfer cannot be
 * undone. Returns the expected cost of each.
 */
export async function checkLaterLegs(
  context: Pick<ExecutionContext, 'rpc' | 'catalog'>,
  legs: readonly ProposedLeg[],
  terms: Pick<Terms, 'maxFeePerGas' | 'policy'>,
): Promise<LaterLegCost[]> {
  const costs: LaterLegCost[] = []
  for (const [at, leg] of legs.entries()) {
    const cost = leg.transactions.length > 0 ? await checkLaterLeg(context, leg, terms) : undefined
    if (cost) costs.push({ at, ...cost })
  }
  return costs
}

async function checkLaterLeg(
  { rpc: rpcOf, catalog }: Pick<ExecutionContext, 'rpc' | 'catalog'>,
  leg: ProposedLeg,
  terms: Pick<Terms, 'maxFeePerGas' | 'policy'>,
): Promise<Omit<LaterLegCost, 'at'> | undefined> {
  const { chainId, intent, arrival, transactions } = leg
  if (intent?.kind !== 'deposit' || !arrival) return undefined
  const rpc = retryingClient(rpcOf(chainId))
  const network = networkNamed(catalog.networks, chainId)
  const { wallet } = intent
  const { receipt } = intent.strategy
  const head = await readHead(rpc, chainId)
  const bridge = contractsOn(catalog, cctpV2Contracts, chainId)
  const { token, minimum: amount } = arrival
  const question = { rpc, head, network: network.name, wallet, transactions, token, amount, receipt }
  const tried = bridge && (await simulateLater({ ...question, messenger: bridge.tokenMessenger }))
  if (tried) {
    const shares = await expectedShares(rpc, intent)
    refuseDust(intent, shares, [{ token: receipt, before: tried.before, delta: tried.after - tried.before }])
    if ('read' in calldataRulesOf(intent.strategy).cost(intent.amount)) refuseRoundingLoss(intent, shares)
  }
  return refuseUnfundedGas({
    rpc,
    head,
    network,
    wallet,
    leg,
    tried,
    cap: feeCapOf(terms),
    typed: terms.maxFeePerGas,
  })
}

/**
 * Refuses an operation that the wallet could not pay to finish. Fees move while a bridge is under way: a quarter above current fees
 * is required.
 */
async function refuseUnfundedGas(ask: {
  rpc: ChainClient
  head: Head
  network: Network
  wallet: Address
  leg: ProposedLeg
  tried: LaterLegSimulation | undefined
  cap: bigint | null
  typed: bigint | null
}): Promise<Omit<LaterLegCost, 'at'>> {
  const { rpc, head, network, wallet, leg, tried, cap, typed } = ask
  const [coin, fees] = await Promise.all([
    requestAtBlock(rpc, head, (at) => rpc.request('eth_getBalance', [wallet, at])),
    currentFees(rpc, head),
  ])
  const held = quantity(coin, 'the balance')
  const price = cap !== null && cap < fees.maxFeePerGas ? cap : fees.maxFeePerGas
  const limits = tried?.gas ?? leg.transactions.map(() => leastGas)
  for (const limit of limits) refuseExcessiveGas({ gas: limit, maxFeePerGas: price }, typed)
  const gas = limits.reduce((sum, limit) => sum + limit, 0n)
  const value = leg.transactions.reduce((sum, transaction) => sum + transaction.value, 0n)
  const data =
    (await readDataFee(rpc, network.chainId, leg.transactions, { nonce: 0, gas: limits, fees })) ?? 0n
  const needed = value + ((gas * price + data) * 5n) / 4n
  if (held >= needed) return { gas: tried ? gas : null, price, data, held }
  const { native, name } = network
  const shown = (sum: bigint) => formatAmount(sum, native)
  throw new AppError(
    'INSUFFICIENT_FUNDS',
    `${wallet} has ${shown(held)} on ${name} and needs${tried ? '' : ' at least'} ${shown(needed)} there, for the gas of the steps after the bridge`,
    {
      details: { network: name, symbol: native.symbol, held: held.toString(), needed: needed.toString() },
      next: `Send ${shown(needed - held)} to ${wallet} on ${name} first, then run the same command again.`,
    },
  )
}

/**
 * The expected gas cost of the legs after the first, on their networks, as a plan prints it: the gas price in wei, the data fee of
 * a rollup, and the wallet's coin balance. `null` where it was not simulated or read.
 */
export const laterLegFees = (
  legs: readonly ProposedLeg[],
  later: readonly LaterLegCost[],
  { networks }: Catalog,
  prices: readonly TokenUsdPrice[],
) =>
  legs.flatMap(({ chainId, transactions }, leg) => {
    if (leg === 0 || transactions.length === 0) return []
    const network = networkNamed(networks, chainId)
    const coin = nativeToken(network)
    const { gas = null, price, data = 0n, held } = later.find(({ at }) => at === leg - 1) ?? {}
    return [
      {
        leg,
        network: network.name,
        symbol: coin.symbol,
        gas: gas?.toString() ?? null,
        gasPrice: price?.toString() ?? null,
        cost: gas === null || price === undefined ? null : pricedAmount(gas * price + data, coin, prices),
        held: held === undefined ? null : tokenAmount(held, coin),
      },
    ]
  })
