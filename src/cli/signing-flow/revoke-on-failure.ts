import { printedAllowances, unusedAllowances } from '../../diagnosis/approvals.ts'
import type { RemainingAllowance } from '../../diagnosis/facts/facts.ts'
import { AppError } from '../../domain/errors.ts'
import { plain } from '../../domain/text.ts'
import type { ExecutionContext, PlannedOperation } from '../../planning/context.ts'
import { checkProposal } from '../../planning/plan.ts'
import type { SignerIdentity } from '../../signing/signer.ts'
import { startOperation } from '../../transactions/operations/start.ts'
import { abandonOperation } from '../../transactions/operations/unfinished.ts'
import { outcomeOf, withoutAllowanceText } from '../../transactions/outcome/outcome.ts'
import { isFinished } from '../../transactions/run.ts'
import type { SigningOptions } from '../options/signing-options.ts'
import type { Cli } from '../world.ts'
import { withReport } from './operation-report.ts'
import { revokeRequest } from './revoke-request.ts'
import type { Execute, ResumeChoices } from './signing-request.ts'
import { termsOf } from './terms.ts'

/** The ends after which an allowance may be left that nothing will use. A new plan after a lost nonce allows anew what it needs. */
const failures: readonly string[] = ['PARTIAL', 'REVERTED', 'CANCELLED', 'SUPERSEDED']

/**
 * With `--revoke-on-failure`: when an operation ends badly, the allowances that it gave are taken back at once, by an
 * operation of its own. The code stays what it was; the words and the next step are those of what is left then.
 */
export async function revokeOnFailure(
  cli: Cli,
  context: ExecutionContext,
  operation: PlannedOperation,
  identity: SignerIdentity,
  options: SigningOptions & ResumeChoices,
  { work, follow }: { work: () => Promise<void>; follow: Execute },
): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!options.revokeOnFailure || !(error instanceof AppError) || !failures.includes(error.code))
      throw error
    const { revoked, was } = await revokeLeft(cli, context, operation.id, identity, options, follow)
    const { message, hint, isLeft } = failureMessage(context, operation.id, error, revoked, was)
    const { code, cause, details } = error
    const told = { ...details, revoked, ...(!isLeft && { allowance: null }) }
    throw withReport(new AppError(code, message, { cause, details: told, hint }), context, operation)
  }
}

type Revoked = { operation: string; status: 'revoked' | 'failed'; why: string | null }

/** What is said of a failure once it is known what became of the allowances. */
function failureMessage(
  { journal }: ExecutionContext,
  id: string,
  { message, hint }: AppError,
  revoked: Revoked | null,
  was: readonly RemainingAllowance[],
): { message: string; hint: string; isLeft: boolean } {
  const now = journal.find(id)!
  if (revoked?.status === 'failed') {
    const made = journal.find(revoked.operation)
    const isBegun = made !== undefined && made.id !== id && !isFinished(made)
    const again = isBegun ? `sluice action resume ${made.id}` : `sluice action revoke ${id} --yes`
    return {
      message: `${message}. Its allowances were not revoked: ${revoked.why}`,
      // What is not over can go on as well: that is for the person to choose.
      hint: isFinished(now) || isBegun ? again : (hint ?? again),
      isLeft: true,
    }
  }
  const ends = isFinished(now) ? hintOf(now) : (hint ?? `sluice action explain ${id}`)
  const base = withoutAllowanceText(message)
  if (revoked === null) return { message: base, hint: ends, isLeft: false }
  const back = was.map(
    ({ network, spender, amount }) =>
      `${amount.formatted} ${plain(amount.symbol)} on ${network} from ${spender}`,
  )
  return {
    message: `${base}. Revoked: ${back.join(', ')}. No allowance of the action remains`,
    hint: ends,
    isLeft: false,
  }
}

/** The next step after an operation that is over, as it is told whenever that is asked. */
function hintOf(operation: PlannedOperation): string {
  try {
    outcomeOf(operation)
  } catch (error) {
    if (error instanceof AppError && error.hint) return error.hint.replace(/\bID$/, operation.id)
    throw error
  }
  return `sluice action show ${operation.id}`
}

async function revokeLeft(
  cli: Cli,
  context: ExecutionContext,
  id: string,
  identity: SignerIdentity,
  { lock: turn, ...options }: SigningOptions & ResumeChoices,
  follow: Execute,
): Promise<{ revoked: Revoked | null; was: RemainingAllowance[] }> {
  const { journal } = context
  let made: string | null = null
  let was: RemainingAllowance[] = []
  try {
    const operation = journal.find(id)!
    const unused = await unusedAllowances(context, operation)
    was = printedAllowances(context, unused)
    const [first, ...rest] = unused
    if (!first) return { revoked: null, was }
    const { request, propose } = await revokeRequest(cli, [first, ...rest], id)
    const { address } = identity
    const proposal = {
      ...(await propose(address)),
      request: { ...request, wallet: address },
      wallet: address,
      nonce: null,
    }
    made = proposal.id
    const checked = await checkProposal(context, proposal, termsOf(cli, options))
    // What cannot be taken back is not given up for it.
    if (operation.state === 'PARTIAL') await abandonOperation(context, operation)
    const planned = startOperation(context, checked, proposal.id)
    await follow(cli, context, planned, identity, { lock: turn })
    return { revoked: { operation: made, status: 'revoked', why: null }, was }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { revoked: { operation: made ?? id, status: 'failed', why: error.message }, was }
  }
}
