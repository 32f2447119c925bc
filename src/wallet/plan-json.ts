import type { Address } from '../domain/address.ts'
import { tokenAmount } from '../domain/amount.ts'
import type { Catalog } from '../domain/catalog.ts'
import { networkNamed } from '../domain/network.ts'
import { tokenAt } from '../domain/token.ts'
import type { Ground } from './ground.ts'
import { type Checked, needsOf, type ProposedLeg } from './plan.ts'

/** A checked proposal as `--dry-run --json` prints it. Fees are the most that the first leg can cost, in wei. */
export function planJson(
  { proposal, steps, simulation, hash, assurance }: Checked,
  { catalog }: Ground,
  nonce: number | null,
) {
  const { wallet, legs, expiresAt } = proposal
  return {
    planHash: hash,
    wallet,
    nonce,
    steps: steps.map(({ leg, role, transaction, call, text }, at) => ({
      index: at,
      role,
      network: networkNamed(catalog.networks, transaction.chainId).name,
      chainId: transaction.chainId,
      nonce: leg === 0 && nonce !== null ? nonce + at : null,
      to: transaction.to,
      value: transaction.value.toString(),
      data: transaction.data,
      call,
      text,
      needs: role === 'action' ? allowanceNeeded(legs[leg]!, transaction.to) : null,
      arrival: arrivalOf(legs[leg]!, catalog),
      simulated: leg === 0 ? 'now' : 'later',
    })),
    simulation: simulation && {
      blockNumber: Number(simulation.blockNumber),
      changes: simulation.changes.map(({ token, delta }) => ({
        network: networkNamed(catalog.networks, token.chainId).name,
        token: token.address,
        ...tokenAmount(delta, token),
      })),
      allowances: simulation.allowances.map(({ token, spender, before, after }) => ({
        token,
        spender,
        before: before.toString(),
        after: after.toString(),
      })),
    },
    fees: simulation && {
      gas: simulation.gas.reduce((sum, gas) => sum + gas, 0n).toString(),
      maxFeePerGas: simulation.fees.maxFeePerGas.toString(),
      maxCost: tokenAmount(
        simulation.gas.reduce((sum, gas) => sum + gas, 0n) * simulation.fees.maxFeePerGas,
        networkNamed(catalog.networks, legs[0]!.chainId).native,
      ),
    },
    assurance,
    expiresAt,
  }
}

/** The allowance that an action lives on: its token, who takes it, how much. */
function allowanceNeeded({ intent }: ProposedLeg, spender: Address) {
  const [need] = intent && intent.kind !== 'transfer' ? needsOf(intent) : []
  return need ? { token: need.token.address, spender, amount: tokenAmount(need.amount, need.token) } : null
}

/** What must have come from an earlier leg before this one starts. */
function arrivalOf({ arrival, chainId }: ProposedLeg, { tokens }: Catalog) {
  if (!arrival) return null
  const token = tokenAt(tokens, chainId, arrival.token)
  return {
    token: arrival.token,
    minimum: token ? tokenAmount(arrival.minimum, token) : arrival.minimum.toString(),
  }
}
