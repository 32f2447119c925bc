import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/network-named.ts'
import { tokenAt } from '../../domain/token.ts'
import { begin, type Planned } from '../../wallet/execution/carry-out.ts'
import { giveUp } from '../../wallet/execution/unfinished.ts'
import type { Ground } from '../../wallet/ground.ts'
import type { Who } from '../../wallet/keys/who.ts'
import { checkProposal } from '../../wallet/plan/plan.ts'
import { allowancesLeft } from '../../wallet/record/allowances-left.ts'
import type { Cli } from '../cli.ts'
import type { SigningOptions } from '../options.ts'
import { follow, type Going } from './finish.ts'
import { revoking } from './revoking.ts'
import { termsOf } from './terms.ts'

/** The ends after which an allowance may be left that nothing will use. */
const failures: readonly string[] = ['PARTIAL', 'REVERTED', 'CANCELLED']

/**
 * With `--revoke-on-failure`: when an operation ends badly, the allowances that it gave are taken back at once, by an
 * operation of its own. The error stays what it was, and says what became of the allowances.
 */
export async function orRevoke(
  cli: Cli,
  ground: Ground,
  { id }: Planned,
  who: Who,
  options: SigningOptions & Going,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!options.revokeOnFailure || !(error instanceof AppError) || !failures.includes(error.code))
      throw error
    throw new AppError(error.code, error.message, {
      cause: error.cause,
      details: { ...error.details, revoked: await revokeLeft(cli, ground, id, who, options) },
      ...(error.hint !== undefined && { hint: error.hint }),
    })
  }
}

type Revoked = { operation: string; status: 'revoked' | 'failed'; why: string | null }

async function revokeLeft(
  cli: Cli,
  ground: Ground,
  id: string,
  who: Who,
  { turn, ...options }: SigningOptions & Going,
): Promise<Revoked | null> {
  const { journal, catalog } = ground
  let made: string | null = null
  try {
    const operation = journal.find(id)!
    const left = (await allowancesLeft(ground, operation)).flatMap(({ network, token: at, spender }) => {
      const token = tokenAt(catalog.tokens, networkNamed(catalog.networks, network).chainId, at)
      return token ? [{ token, spender }] : []
    })
    const [first, ...rest] = left
    if (!first) return null
    const { request, propose } = await revoking(cli, [first, ...rest], id)
    const { address } = who
    const proposal = {
      ...(await propose(address)),
      request: { ...request, wallet: address },
      wallet: address,
      nonce: null,
    }
    made = proposal.id
    const checked = await checkProposal(ground, proposal, termsOf(cli, options))
    // What cannot be taken back is not given up for it.
    if (operation.state === 'PARTIAL') await giveUp(ground, operation)
    const planned = begin(ground, checked, proposal.id)
    await follow(cli, ground, planned, who, { turn })
    return { operation: made, status: 'revoked', why: null }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { operation: made ?? id, status: 'failed', why: error.message }
  }
}
