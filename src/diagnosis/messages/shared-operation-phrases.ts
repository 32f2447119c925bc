import { formatGwei } from 'viem/utils'
import { writtenAmount } from '../../domain/amount.ts'
import { type Flags, type Next, sluice } from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { holdsAllowance } from '../../transactions/steps/needed-allowances.ts'
import { hasRemainingAllowance } from '../facts/operation-conditions.ts'
import { type Facts, hasOtherPending } from '../facts/operation-facts.ts'

/** The remaining allowances as a following sentence. */
export const allowancesText = ({ remainingAllowances }: Facts): string =>
  remainingAllowances
    ?.map(
      ({ spender, amount, network }) =>
        ` The contract ${spender} still has an allowance of ${writtenAmount(amount)} ${sanitizeText(amount.symbol)} on ${network}.`,
    )
    .join('') ?? ' Its remaining allowances are not known: a chain could not be read.'

/** What can be done with an action. */
type Verb =
  | 'abandon'
  | 'cancel'
  | 'deliver'
  | 'explain'
  | 'export'
  | 'replan'
  | 'resume'
  | 'revoke'
  | 'show'
  | 'speed-up'
  | 'watch'

export const commandForOperation = ({ operation }: Facts, verb: Verb, flags: Flags = {}): Next =>
  sluice(`action ${verb}`, operation.id, flags)

/** The command that revokes a remaining allowance; `null` without one. */
export const revokeSteps = (facts: Facts): Next | null =>
  hasRemainingAllowance(facts) ? commandForOperation(facts, 'revoke') : null

/** The following sentence that a repeated request is refused while this operation is open. */
export const duplicateRefusedText = ({ operation }: Facts): string =>
  holdsAllowance(operation) ? ' The same request is refused until this action is resumed or abandoned.' : ''

/** The end of a sentence: another process is using the wallet. */
export const walletBusyText = ({ operation: { wallet } }: Facts): string =>
  `another process is using ${wallet} now and may sign it at any moment`

/** `Step 2 of 3`, or `It` where there is only one. */
export const stepText = ({ operation }: Facts, index: number): string =>
  operation.steps.length === 1 ? 'The transaction' : `Step ${index + 1} of ${operation.steps.length}`

/** The following sentence that another signed step is not settled. */
export const otherPendingText = (facts: Facts): string =>
  hasOtherPending(facts) ? ' Another of its steps is signed and can still be mined.' : ''

/** A gas price in gwei. */
export const gweiText = (wei: bigint): string => `${formatGwei(wei)} gwei`

/** Why the operation cannot continue now, and the ways out, as following sentences. */
export function blockerText(facts: Facts): string {
  const { blocker } = facts
  if (!blocker) return ''
  const giveUp = 'abandon it, which leaves the funds where they are'
  const ways = {
    poor: `Send the missing amount there and resume it; or ${giveUp}`,
    refused: `Resume it once that has changed; or ${giveUp}`,
    forever: `That will not change: ${giveUp}`,
  }
  return ` It cannot be resumed now: ${blocker.reason}. ${ways[blocker.is]}.`
}

/** Why the last run stopped, as a following sentence; empty if a current blocker is reported. */
export const lastRunText = ({ lastRunReason, blocker }: Facts): string =>
  lastRunReason === undefined || blocker
    ? ''
    : ` The last run stopped there: ${sanitizeText(lastRunReason).replace(/\.$/, '')}.`

/** The command for the unsigned rest. */
export const unsignedNextSteps = (facts: Facts): Next =>
  commandForOperation(facts, facts.blocker?.is === 'forever' ? 'abandon' : 'resume')
