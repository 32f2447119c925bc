import { ungrouped } from '../domain/amount.ts'
import { AppError } from '../domain/errors.ts'
import { canonicalJson } from '../domain/text/canonical-json.ts'
import { reducedApprovalNote } from '../guard/approvals.ts'
import { shownPlanHash } from '../guard/plan-hash.ts'
import { strictTerms } from '../guard/user-limits-and-exemptions.ts'
import { checkCalldata } from './check-proposal.ts'
import { isUnknownPayoutNote } from './deposit-withdraw-previews.ts'
import type { ExecutionContext } from './execution-context-types.ts'
import { decodePlan, type ParsedPlan } from './plan-format.ts'
import { planJson } from './plan-json.ts'
import type { Proposal } from './proposal.ts'

// biome-ignore lint/suspicious/noExplicitAny: a file is what somebody wrote; whatever is not there is another text than ours.
type Shown = any

/**
 * Reads a plan file and refuses one that displays something other than it is: everything derived from its transactions is derived
 * again and compared. The rest (simulation, fees, assurance) is covered by its own hash and made again before signing.
 * POLICY_TAMPER.
 */
export function readPlanFile(context: Pick<ExecutionContext, 'catalog'>, text: string): ParsedPlan {
  const read = decodePlan(text, context.catalog)
  const file = JSON.parse(text) as Shown
  if (file.shownHash !== shownPlanHash(file))
    throw edited('its content does not match its hash', file.shownHash === undefined)
  const made = derivedTexts(context, read.proposal)
  if (!made) return read
  const { proposal } = read
  for (const [name, pick] of Object.entries(derivedFields))
    if (!isSame(pick(file), pick(made))) throw edited(`its ${name} do not match its transactions`)
  for (const [at, step] of made.steps.entries())
    if (!isStepText(file.steps[at]?.text, step.text, proposal.legs[step.leg]?.intent ?? null))
      throw edited(`the description of step ${at + 1} does not match its transaction`)
  return read
}

const edited = (why: string, isOlder = false): AppError =>
  new AppError(
    'POLICY_TAMPER',
    isOlder
      ? 'The plan has no hash of its content: it was made by another version of sluice, or changed'
      : `The plan was changed after it was made: ${why}`,
  )

/** What is derived from the transactions and intents of a plan, as fields of its file; without USD and chain reads. */
const derivedFields: Readonly<Record<string, (document: Shown) => unknown>> = {
  steps: ({ steps }) => (steps as Shown[]).map(({ text: _, ...rest }) => rest),
  arrivals: ({ arrivals }) =>
    (arrivals as Shown[]).map(({ least: { usd: _, ...least }, ...rest }) => ({ ...rest, least })),
  'service fees': ({ serviceFees }) =>
    (serviceFees as Shown[]).map(({ amount: { usd: _, ...amount }, ...rest }) => ({ ...rest, amount })),
  'words about a queue': ({ queued }) => queued,
}

const isSame = (a: unknown, b: unknown): boolean => canonicalJson(a) === canonicalJson(b)

/** Whether a step's text is the one of its calldata, possibly followed by the note on a reduced approval or an unquoted payout. */
function isStepText(given: unknown, derived: string, intent: Proposal['legs'][number]['intent']): boolean {
  if (typeof given !== 'string') return false
  const [text, made] = [ungrouped(given), ungrouped(derived)]
  if (!text.startsWith(made)) return false
  const more = text.slice(made.length)
  return more === '' || more === reducedApprovalNote || isUnknownPayoutNote(more, intent)
}

/**
 * The texts of a proposal's calldata, with everything exempted, which allows nothing. `undefined` if the guard refuses it, as it
 * will later.
 */
function derivedTexts(context: Pick<ExecutionContext, 'catalog'>, proposal: Proposal): Shown {
  const all = proposal.legs.flatMap(({ transactions, intent }) => [
    ...transactions.map(({ to }) => to),
    ...(intent?.kind === 'swap' ? [intent.tokenIn.address, intent.tokenOut.address] : []),
    ...(intent && 'token' in intent ? [intent.token.address] : []),
  ])
  const terms = { ...strictTerms, allow: all, allowTokens: all, maxServiceFeeBps: 10_000 }
  try {
    const checked = checkCalldata(context, proposal, terms)
    return JSON.parse(JSON.stringify(planJson(checked, context, { label: '', source: 'address' }, () => '')))
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}
