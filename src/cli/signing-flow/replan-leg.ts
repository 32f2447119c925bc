import { maxUint256 } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import type { CheckedPlan } from '../../planning/check-proposal.ts'
import type { ExecutionContext, JournalOperation } from '../../planning/execution-context-types.ts'
import { refuseUnquotedOrders } from '../../planning/order-checks.ts'
import type { ProposedLeg, ReplannableLeg } from '../../planning/proposal.ts'
import { checkReplannedLeg, findReplannableLeg, refuseWorseTerms } from '../../planning/replan.ts'
import { revokeLegs } from '../../planning/revoke-legs.ts'
import type { Intent, IntentOf } from '../../protocols/intent.ts'
import { feePayments } from '../../protocols/service-fees-of-intent.ts'
import { deliveryAgain } from '../../transactions/bridge/deliverable-burn.ts'
import type { Cli } from '../command-run-types.ts'
import { claimProposal, depositProposal, withdrawProposal } from './deposit-withdraw-claim-legs.ts'
import { refuseDrift } from './quotes/quote-matches-request.ts'
import { swapProposal } from './swap-proposal.ts'

/** A leg as the service builds it now, and the quote that it is of. */
type Reproposal = { leg: ProposedLeg; quoteId: string | null; expiresAt: string | null }

/**
 * Plans the unsigned leg of an operation again; `undefined` without one. `lifted` are limits raised
 * beyond its terms. Nothing is recorded yet.
 */
export async function replanLeg(
  cli: Cli,
  context: ExecutionContext,
  operation: JournalOperation,
  least: bigint | null,
  lifted: Parameters<typeof checkReplannedLeg>[3] = {},
): Promise<{ open: ReplannableLeg; checked: CheckedPlan } | undefined> {
  const open = findReplannableLeg(context, operation)
  if (!open) return undefined
  const again = await reproposeLeg(cli, operation, open.intent)
  if (!again.leg.intent) throw new AppError('BUG', 'A leg was planned again without an intent')
  refuseWorseTerms(open.intent, again.leg.intent, least, operation.id)
  if (cli.backend.kind === 'remote') await refuseUnquotedOrders(context, operation.id, [again.leg])
  return { open, checked: await checkReplannedLeg(context, operation, again, lifted) }
}

/** Requests the same leg again: same tokens, amounts, receiver and contract. */
async function reproposeLeg(cli: Cli, operation: JournalOperation, intent: Intent): Promise<Reproposal> {
  const service = await cli.service()
  const { wallet } = intent
  const plain = (leg: ProposedLeg): Reproposal => ({ leg, quoteId: null, expiresAt: null })
  switch (intent.kind) {
    case 'deposit':
    case 'withdraw': {
      const { strategy, amount } = intent
      const action = intent.kind === 'deposit' ? 'lend' : 'withdraw'
      const slippage = requestedSlippage(operation)
      const made = await service.strategyBytecode({
        id: strategy.slug,
        action,
        amount,
        wallet,
        ...(slippage !== null && { slippage }),
      })
      const build = intent.kind === 'deposit' ? depositProposal : withdrawProposal
      const { legs, expiresAt } = await build(cli, strategy, amount, wallet, made, { slippage })
      return { leg: legs[0]!, quoteId: null, expiresAt }
    }
    case 'claim': {
      const ask = { id: intent.strategy.slug, action: 'claim' as const, amount: maxUint256, wallet }
      const made = await service.strategyBytecode(ask)
      return plain((await claimProposal(cli, intent.strategy, wallet, made)).legs[0]!)
    }
    case 'transfer': {
      const transactions: Transaction[] = []
      for (const { token, recipient, amount } of [intent, ...feePayments(intent)]) {
        const { address, chainId } = token
        const ends = { originAddress: wallet, destinationAddress: recipient }
        const made = await service.transferBytecode({ ...ends, token: address, chainId, amount })
        transactions.push(...made.bytecode)
      }
      return plain({ chainId: intent.token.chainId, intent, transactions })
    }
    case 'revoke':
      return plain(revokeLegs(wallet, [intent])[0]!)
    case 'deliver':
      return plain(await deliveryAgain(await cli.backend.context(), intent, operation.id))
    case 'swap':
      return reproposeSwap(cli, operation, intent)
  }
}

/** The slippage that the request of an operation named; `null` where it named none. */
function requestedSlippage({ request }: JournalOperation): number | null {
  const { slippage } = (request ?? {}) as { slippage?: unknown }
  return typeof slippage === 'number' ? slippage : null
}

async function reproposeSwap(
  cli: Cli,
  operation: JournalOperation,
  intent: IntentOf<'swap'>,
): Promise<Reproposal> {
  const { wallet, recipient, tokenIn, tokenOut, exact, provider } = intent
  const slippage = requestedSlippage(operation)
  const service = await cli.service()
  const amount = exact === 'in' ? intent.amountIn : intent.amountOut
  const { quote } = await service.quote({
    chainIdIn: tokenIn.chainId,
    chainIdOut: tokenOut.chainId,
    tokenIn: tokenIn.address,
    tokenOut: tokenOut.address,
    ...(exact === 'in' ? { amountIn: amount } : { amountOut: amount }),
    preferredProvider: provider,
    ...(recipient !== wallet && { destinationAddress: recipient }),
    ...(slippage !== null && { slippage }),
    ...(intent.speed && { transferSpeed: intent.speed }),
  })
  refuseDrift(quote, { tokenIn, tokenOut, exact, amount }, cli.program.now())
  const made = service.swapBytecode({
    quote: quote.raw as never,
    walletAddress: wallet,
    ...(recipient !== wallet && { destinationAddress: recipient }),
  })
  const proposed = await swapProposal(
    cli,
    quote,
    { wallet, recipient, exact, slippage, least: null, speed: intent.speed },
    made.then(({ approvals, transactions }) => [...approvals, ...transactions]),
  )
  return { leg: proposed.legs[0]!, quoteId: quote.id, expiresAt: quote.deadline }
}
