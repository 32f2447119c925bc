import { revokeCommand } from '../chain/standing-allowance.ts'
import { type Address, sameAddress } from '../domain/address.ts'
import { tokenAmount, unlimitedThreshold } from '../domain/amount.ts'
import { networkNamed } from '../domain/networks.ts'
import type { Next } from '../domain/text/next-step.ts'
import { nativeToken, type Token, tokenAt } from '../domain/token.ts'
import { contractName } from '../guard/contract-names.ts'
import { shownPlanHash } from '../guard/plan-hash.ts'
import type { Simulation } from '../guard/simulation/simulate.ts'
import { requiredAllowance } from '../guard/spending.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import { intentTokens } from '../protocols/intent.ts'
import { feePayments, feesOf } from '../protocols/service-fees-of-intent.ts'
import type { SignerIdentity } from '../signing/signer.ts'
import { isLaterPayoutProvider, swapProofOf } from '../swaps/swap-provider-registry.ts'
import type { CheckedPlan } from './check-proposal.ts'
import type { ExecutionContext } from './execution-context-types.ts'
import { laterLegFees } from './later-leg-checks.ts'
import { operationJson } from './plan-format.ts'
import type { ProposedLeg } from './proposal.ts'
import { isMinimumUnproven } from './swap-payout-guarantees.ts'
import { pricedAmount, type TokenUsdPrice } from './usd-value.ts'

/**
 * A checked proposal as `--dry-run --json` prints it. For the first leg: `maxFeePerGas` is the current gas price in wei; `feeCap`
 * and `maxCost` are the most that is signed, a unit and in total; `dataFee` is the current data fee of a rollup.
 */
export function planJson(
  {
    proposal,
    terms,
    steps,
    contracts,
    impacts,
    slips,
    standing,
    simulation,
    later,
    bounds,
    reference,
    hash,
    assurance,
  }: CheckedPlan,
  { catalog }: Pick<ExecutionContext, 'catalog'>,
  { label, source }: Pick<SignerIdentity, 'label' | 'source'>,
  line: (next: Next) => string,
  prices: readonly TokenUsdPrice[] = [],
) {
  const { wallet, nonce, legs, expiresAt } = proposal
  const coin = nativeToken(networkNamed(catalog.networks, legs[0]!.chainId))
  const nameOf = (chainId: number) => networkNamed(catalog.networks, chainId).name
  const shown = {
    planHash: hash,
    wallet,
    signer: { kind: source, name: source === 'keystore' ? label : null },
    nonce,
    steps: steps.map(({ leg, role, transaction, call, text }, at) => ({
      index: at,
      leg,
      role,
      network: nameOf(transaction.chainId),
      chainId: transaction.chainId,
      nonce: leg === 0 && nonce !== null ? nonce + at : null,
      to: transaction.to,
      contract: contractName(catalog, transaction.chainId, transaction.to),
      value: transaction.value.toString(),
      data: transaction.data,
      call,
      text,
      needs: role === 'action' ? allowanceNeeded(legs[leg]!, transaction.to) : null,
      arrival: arrivalOf(legs[leg]!, catalog),
      simulated: leg === 0 ? 'now' : 'later',
    })),
    contracts: contracts.map(({ chainId, state: _, ...contract }) => ({
      network: nameOf(chainId),
      name: contractName(catalog, chainId, contract.address),
      ...contract,
    })),
    priceImpacts: impacts,
    slippages: slips.map(({ leg, share, by }) => ({ leg, share: share ?? null, by })),
    standing: standing.map(({ token, spender, amount, need }) => ({
      network: nameOf(token.chainId),
      token: token.address,
      spender,
      name: contractName(catalog, token.chainId, spender),
      amount: tokenAmount(amount, token),
      unlimited: amount >= unlimitedThreshold,
      need: need.toString(),
      revoke: line(revokeCommand(nameOf(token.chainId), token.address, spender)),
    })),
    simulation: simulation && {
      how: simulation.how,
      blockNumber: Number(simulation.blockNumber),
      behind: simulation.behind,
      silent: simulation.silent,
      endpoints: simulation.endpoints,
      changes: [
        ...coinChange(simulation, proposal, catalog),
        ...simulation.changes.filter(({ token, delta }) => delta !== 0n || isNamed(proposal, token)),
      ].map(({ token, delta }) => ({
        network: nameOf(token.chainId),
        token: token.address,
        ...pricedAmount(delta, token, prices),
      })),
      allowances: simulation.allowances.map(({ token, spender, before, after }) => ({
        token,
        symbol: tokenAt(catalog.tokens, legs[0]!.chainId, token)?.symbol ?? null,
        decimals: tokenAt(catalog.tokens, legs[0]!.chainId, token)?.decimals ?? null,
        spender,
        before: before.toString(),
        after: after.toString(),
      })),
    },
    fees:
      simulation && simulation.gas.length > 0
        ? {
            gas: simulation.gas.reduce((sum, gas) => sum + gas, 0n).toString(),
            maxFeePerGas: simulation.fees.maxFeePerGas.toString(),
            feeCap: bounds[0]!.feeCap.toString(),
            maxCost: pricedAmount(bounds[0]!.maxCost!, coin, prices),
            ...(simulation.dataFee !== undefined && {
              dataFee: simulation.dataFee === null ? null : pricedAmount(simulation.dataFee, coin, prices),
            }),
          }
        : null,
    laterFees: laterLegFees(legs, later, catalog, prices),
    arrivals: arrivalsOf(legs, catalog, prices),
    serviceFees: serviceFeesOf(legs, catalog, prices),
    reference,
    proof: legs.flatMap(({ intent }, leg) =>
      intent?.kind === 'swap'
        ? Object.entries(swapProofOf(intent.provider) ?? {}).map(([term, by]) => ({ leg, term, by }))
        : [],
    ),
    policy: terms.policy?.sha256 ?? null,
    assurance,
    expiresAt,
    ...(proposal.about.queued && { queued: proposal.about.queued }),
    operation: operationJson(proposal),
  }
  return { ...shown, shownHash: shownPlanHash(shown) }
}

/** Amounts that swaps deliver later, or elsewhere than to this wallet on its own chain: the minimum, token, place and recipient. */
const arrivalsOf = (legs: readonly ProposedLeg[], { networks }: Catalog, prices: readonly TokenUsdPrice[]) =>
  legs.flatMap(({ chainId, intent }) => {
    if (intent?.kind !== 'swap') return []
    const { wallet, tokenOut, amountOut, recipient } = intent
    const isHere = tokenOut.chainId === chainId && !isLaterPayoutProvider(intent.provider)
    if (isHere && sameAddress(recipient, wallet)) return []
    const { name: network } = networkNamed(networks, tokenOut.chainId)
    return [
      { network, token: tokenOut.address, to: recipient, least: pricedAmount(amountOut, tokenOut, prices) },
    ]
  })

/** The service's fees: token, amount, recipient, the amount they are charged on, and whether the action pays them itself or a step of their own. */
const serviceFeesOf = (
  legs: readonly ProposedLeg[],
  { networks }: Catalog,
  prices: readonly TokenUsdPrice[],
) =>
  legs.flatMap(({ intent }, leg) => {
    if (!intent) return []
    const fees = feesOf(intent)
    return feePayments(intent).map(({ token, amount, recipient }, at) => ({
      leg,
      network: networkNamed(networks, token.chainId).name,
      token: token.address,
      amount: pricedAmount(amount, token, prices),
      of: tokenAmount(fees[at]!.of, token),
      to: recipient,
      paidBy: fees[at]!.isInside ? 'action' : 'step',
    }))
  })

/** The change of the native coin, gas included, if more than gas is paid or anything is received. */
function coinChange(
  { how, coin }: Simulation,
  { legs }: CheckedPlan['proposal'],
  { networks }: Catalog,
): { token: Token; delta: bigint }[] {
  const { chainId, transactions } = legs[0]!
  if (how === 'unavailable' || (coin <= 0n && transactions.every(({ value }) => value === 0n))) return []
  return [{ token: nativeToken(networkNamed(networks, chainId)), delta: coin }]
}

/** Whether a proposal names a token: its change is printed even if zero. */
const isNamed = ({ legs }: CheckedPlan['proposal'], token: Token): boolean =>
  legs.some(({ intent }) =>
    intent
      ? [...intentTokens(intent), ...('strategy' in intent ? [intent.strategy.receipt] : [])].some(
          (named) => named.chainId === token.chainId && sameAddress(named.address, token.address),
        )
      : false,
  )

/** The allowance that an action needs: token, spender, amount. */
function allowanceNeeded({ intent }: ProposedLeg, spender: Address) {
  const need = intent && !isMinimumUnproven(intent) ? requiredAllowance(intent) : undefined
  return need ? { token: need.token.address, spender, amount: tokenAmount(need.amount, need.token) } : null
}

/** The delivery that a leg needs before it starts. */
function arrivalOf({ arrival, chainId }: ProposedLeg, { tokens }: Catalog) {
  if (!arrival) return null
  const token = tokenAt(tokens, chainId, arrival.token)
  return {
    token: arrival.token,
    minimum: token ? tokenAmount(arrival.minimum, token) : arrival.minimum.toString(),
  }
}
