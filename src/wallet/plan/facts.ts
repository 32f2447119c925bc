import { networkNamed } from '../../domain/network-named.ts'
import { actionAmong } from '../../domain/service-fee.ts'
import { nativeToken } from '../../domain/token.ts'
import type { Ground } from '../ground.ts'
import type { PolicyFacts } from '../policy/policy-facts.ts'
import type { Contract } from './code.ts'
import type { Impact } from './impact.ts'
import type { Slip } from './opinion.ts'
import { activeLegs, type Proposal } from './proposal.ts'

type Seen = {
  proposal: Proposal
  impacts: readonly Impact[]
  slips: readonly Slip[]
  contracts: readonly Contract[]
} & Pick<PolicyFacts, 'simulation' | 'assurance' | 'standing'>

/** What a policy is compared with, of a plan that was checked. */
export function factsOf({ catalog, journal, now }: Ground, checked: Seen): PolicyFacts {
  const { proposal, simulation, assurance, impacts, slips, contracts } = checked
  const at = now()
  return {
    legs: activeLegs(proposal).map(({ intent, transactions, at: leg }) => ({
      intent,
      action: actionAmong(intent, transactions).to,
      slippage: slips.find((one) => one.leg === leg)?.share,
      ...impacts.filter((one) => one.leg === leg).map(({ share }) => ({ impact: share }))[0],
    })),
    standing: checked.standing,
    networks: catalog.networks,
    simulation,
    coin: nativeToken(networkNamed(catalog.networks, proposal.legs[0]!.chainId)),
    assurance,
    untried: contracts.find(({ state }) => state === 'new')?.address,
    at,
    quoteAgeMs: quoteAge(proposal.expiresAt, at),
    held: (asset, since) => journal.held(proposal.wallet, asset, since, proposal.id),
  }
}

/** How long a quote lives at most, in ms: one that has less left than that is at least so old. */
const quoteLife = 300_000

const quoteAge = (expiresAt: string | null, at: number): number | null =>
  expiresAt === null ? null : Math.max(0, quoteLife - (Date.parse(expiresAt) - at))
