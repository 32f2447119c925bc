import type { RemainingAllowance } from '../../diagnosis/facts/operation-facts-types.ts'
import { printedAllowances, unusedAllowances } from '../../diagnosis/remaining-allowances.ts'
import { AppError } from '../../domain/errors.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { checkProposal } from '../../planning/check-proposal.ts'
import type { ExecutionContext, JournalOperation } from '../../planning/execution-context-types.ts'
import type { SignerIdentity } from '../../signing/signer.ts'
import { abandonOperation } from '../../transactions/operations/abandon-operation.ts'
import { recordOperation } from '../../transactions/operations/record-operation.ts'
import { withoutAllowanceText } from '../../transactions/outcome/left-allowance.ts'
import { outcomeOf } from '../../transactions/outcome/outcome.ts'
import { isFinished } from '../../transactions/run-state.ts'
import type { Cli } from '../command-run-types.ts'
import type { SigningOptions } from '../options/signer-and-safety-options.ts'
import { withReport } from './report-in-errors.ts'
import { revokeRequest } from './revoke-request.ts'
import type { Execute, ResumeChoices } from './signing-flow-types.ts'
import { termsOf } from './user-terms-from-flags.ts'

/** The outcomes after which an unused allowance may remain. A replan approves again what it needs. */
const failures: readonly string[] = ['PARTIAL', 'REVERTED', 'CANCELLED', 'SUPERSEDED']

/**
 * Implements `--revoke-on-failure`: revokes the allowances of a failed operation at once, by a new
 * operation. The error code stays; message and hint describe the new state.
 */
export async function revokeOnFailure(
  cli: Cli,
  context: ExecutionContext,
  operation: JournalOperation,
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
    const report = { ...details, revoked, ...(!isLeft && { allowance: null }) }
    throw withReport(new AppError(code, message, { cause, details: report, hint }), context, operation)
  }
}

type Revoked = { operation: string; status: 'revoked' | 'failed'; why: string | null }

/** The message and hint of a failure after the revocation. */
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
      // An unfinished operation can also be resumed; the person chooses.
      hint: isFinished(now) || isBegun ? again : (hint ?? again),
      isLeft: true,
    }
  }
  const ends = isFinished(now) ? hintOf(now) : (hint ?? `sluice action explain ${id}`)
  const base = withoutAllowanceText(message)
  if (revoked === null) return { message: base, hint: ends, isLeft: false }
  const back = was.map(
    ({ network, spender, amount }) =>
      `${amount.formatted} ${sanitizeText(amount.symbol)} on ${network} from ${spender}`,
  )
  return {
    message: `${base}. Revoked: ${back.join(', ')}. No allowance of the action remains`,
    hint: ends,
    isLeft: false,
  }
}

/** The hint of the outcome of a finished operation. */
function hintOf(operation: JournalOperation): string {
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
  { lock, ...options }: SigningOptions & ResumeChoices,
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
    // Do not abandon the operation if its allowances cannot be revoked.
    if (operation.state === 'PARTIAL') await abandonOperation(context, operation)
    const planned = recordOperation(context, checked, proposal.id)
    await follow(cli, context, planned, identity, { lock })
    return { revoked: { operation: made, status: 'revoked', why: null }, was }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { revoked: { operation: made ?? id, status: 'failed', why: error.message }, was }
  }
}
