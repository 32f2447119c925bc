import type { Service } from '../../api/service-type.ts'
import type { SwapStatus } from '../../api/swap-status.ts'
import { openChain } from '../../chain/network-client.ts'
import type { DepositChecker, DepositToKeep } from '../../cli/backend-types.ts'
import type { Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/networks.ts'
import { statedByService, wordOf } from '../../domain/swap-outcome.ts'
import { advice, sluice } from '../../domain/text/next-step.ts'
import type { Token } from '../../domain/token.ts'
import type { DepositChecks, DepositSwap, PaymentBook } from '../../engine/quotes/bitcoin-status.ts'
import type { StoredPlan } from '../../guard/stored-plan.ts'
import type { ExecutionContext } from '../../planning/execution-context-types.ts'
import type { QuotePayment } from '../../store/engine/quote-payments.ts'
import type { DepositProgress } from '../../swaps/deposit-provider.ts'

/** A swap from Bitcoin as its operation keeps it; amounts are decimal text. */
type KeptSwap = Omit<DepositSwap, 'amountIn' | 'minAmountOut'> & { amountIn: string; minAmountOut: string }

/** The terms that the operation of a quote keeps of its deposit. */
const keptOf = ({ journal }: Pick<ExecutionContext, 'journal'>, quoteId: string): KeptSwap | undefined =>
  (journal.find(quoteId)?.plan as StoredPlan | undefined)?.deposit?.swap as KeptSwap | undefined

/**
 * Checks swaps from Bitcoin that a remote service serves, on this machine: the engine's own checks, with Esplora, the nodes, the
 * journal and the provider that are set here. The operation of the swap keeps the terms of its deposit before it is shown, and the journal
 * the payments that ended a swap. The provider itself is asked which payment belongs to a swap. If it does not answer, what the service says is a claim for
 * these checks, and no more than `reported`; so is what it says of a swap that this machine did not show.
 */
export function ownDepositChecks(
  context: () => Promise<ExecutionContext>,
  now: () => number,
): DepositChecker & { checked: (service: Service) => Service['swapStatus'] } {
  const statusOf = async (
    { journal, catalog, rpc, services }: ExecutionContext,
    kept: KeptSwap,
    told: SwapStatus | undefined,
    btcTxHash?: string,
  ): Promise<SwapStatus> => {
    const [{ depositStatus }, { esplora }, { serviceAccess }, { openDepositProviders }] = await Promise.all([
      import('../../engine/quotes/bitcoin-status.ts'),
      import('../../swaps/esplora.ts'),
      import('../../swaps/service-access.ts'),
      import('../../swaps/deposit-provider-registry.ts'),
    ])
    const { exchangeJson } = services ?? serviceAccess()
    const provider = openDepositProviders(catalog.bitcoin, { exchangeJson, now }).find(
      ({ name }) => name === kept.provider,
    )
    let isAnswered = false
    const report: DepositChecks['report'] = async (paidBy) => {
      try {
        const said = await provider?.status(kept.deposit, paidBy, kept)
        isAnswered = said !== undefined
        return said ?? claimOf(told)
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        return claimOf(told)
      }
    }
    const swap = { ...kept, amountIn: BigInt(kept.amountIn), minAmountOut: BigInt(kept.minAmountOut) }
    const checks = {
      bitcoin: esplora(catalog.bitcoin!.esplora, exchangeJson),
      chain: (chainId: number) => {
        // Without an RPC the network is not in the catalogue either.
        const client = rpc(chainId)
        return openChain(networkNamed(catalog.networks, chainId), client)
      },
      now,
      payments: paymentsOf(journal, swap.id),
      report,
    }
    const status = await depositStatus(checks, swap, btcTxHash)
    // The deadline is known here; who was paid for this swap is known only to its provider.
    return isAnswered || status.status === 'expired' ? status : statedByService(status)
  }
  const found = async (quoteId: string) => {
    const there = await context().catch((error: unknown) => {
      // Without settings or a journal nothing can be checked here.
      if (error instanceof AppError) return undefined
      throw error
    })
    const kept = there && keptOf(there, quoteId)
    return there && kept && { there, kept }
  }
  return {
    termsOf: async (shown) => termsToKeep(await context(), shown, now),
    statusOf: async (kept) => statusOf(await context(), kept as KeptSwap, undefined),
    checked: (service) => async (input, options) => {
      const own = await found(input.id)
      const told = await service.swapStatus(input, options).catch((error: unknown) => {
        if (own && error instanceof AppError) return error
        throw error
      })
      if (!own) return statedByService(told as SwapStatus)
      const isAnswer = !(told instanceof AppError)
      const status = await statusOf(own.there, own.kept, isAnswer ? told : undefined, input.btcTxHash)
      // A service that does not know the swap does not make a payment unseen.
      if (isAnswer || status.originTxHash !== null || status.deposit?.isLookedUp === false) return status
      throw told
    },
  }
}

/** The terms of a deposit; POLICY_QUOTE_DRIFT if the quote had others before, or its address was paid before. */
async function termsToKeep(
  context: ExecutionContext,
  shown: DepositToKeep,
  now: () => number,
): Promise<KeptSwap> {
  const kept = keptOf(context, shown.quote.id)
  if (!kept) return newTerms(context, shown, now)
  const { instructionsOf } = await import('../../engine/quotes/bitcoin-deposit-instructions.ts')
  const { terms, recipient } = shown
  const same = ({ deposit, recipient: to, minAmountOut }: KeptSwap) =>
    JSON.stringify([deposit.address, deposit.memo, deposit.amount, to.toLowerCase(), minAmountOut])
  const anew = { deposit: instructionsOf(terms), recipient, minAmountOut: String(terms.minAmountOut) }
  if (same(kept) === same({ ...kept, ...anew })) return kept
  throw new AppError(
    'POLICY_QUOTE_DRIFT',
    'The service returns another deposit for the quote than before: do not pay it',
    { next: advice`Request a new quote: ${sluice('swap quote', { '--help': true })}` },
  )
}

async function newTerms(
  { catalog }: ExecutionContext,
  { quote, terms, tokenOut, recipient }: DepositToKeep,
  now: () => number,
): Promise<KeptSwap> {
  const [
    { earlierPayments, isBefore, usedBefore },
    { instructionsOf },
    { esplora },
    { serviceExchange },
    { openDepositProviders },
  ] = await Promise.all([
    import('../../engine/quotes/bitcoin-deposit-payments.ts'),
    import('../../engine/quotes/bitcoin-deposit-instructions.ts'),
    import('../../swaps/esplora.ts'),
    import('../../swaps/service-access.ts'),
    import('../../swaps/deposit-provider-registry.ts'),
  ])
  const bitcoin = catalog.bitcoin!
  const reader = esplora(bitcoin.esplora, serviceExchange)
  const provider = openDepositProviders(bitcoin, { exchangeJson: serviceExchange, now }).find(
    ({ name }) => name === quote.provider,
  )
  const { chainId, address, decimals, symbol, name } = tokenOut
  const kept: KeptSwap = {
    ...{ id: quote.id, provider: quote.provider, createdAt: now(), expiresAt: terms.until },
    deposit: instructionsOf(terms),
    earlier: await earlierPayments(reader, terms, now()),
    amountIn: String(terms.amount),
    minAmountOut: String(terms.minAmountOut),
    tokenOut: { chainId, address, decimals, symbol, name } satisfies Token,
    recipient,
    refundAddress: quote.refundAddress,
    refundsSender: provider?.needsRefund !== true,
    seconds: terms.seconds,
  }
  const used = await usedBefore(reader, terms, (one) => isBefore(one, now()))
  if (used === undefined) return kept
  throw new AppError(
    'POLICY_QUOTE_DRIFT',
    `The deposit address of the quote was paid before, by ${used}: do not pay it again`,
    { next: advice`Request a new quote: ${sluice('swap quote', { '--help': true })}` },
  )
}

/** The word of a service as a claim for the checks. A failed swap with a payout may have paid less than agreed. */
function claimOf(told: SwapStatus | undefined): DepositProgress {
  if (!told) return { status: 'waiting' }
  const word = wordOf(told)
  const destination = told.destinationTxHash === null ? {} : { destination: told.destinationTxHash }
  if (word === 'fulfilled' || (word === 'failed' && told.destinationTxHash !== null))
    return { status: 'fulfilled', ...destination }
  if (word === 'failed' || word === 'refunded') return { status: word, ...destination }
  return { status: word === 'pending' || word === 'expired' ? 'waiting' : 'processing' }
}

type Payment = Pick<QuotePayment, 'chainId' | 'hash' | 'idx'>

/** The payments of swaps that the journal keeps, and its deliveries of actions, as one swap sees them. */
function paymentsOf(journal: ExecutionContext['journal'], quoteId: string): PaymentBook {
  const orderOf = ({ chainId, hash, idx }: Payment) => `payment ${chainId} ${hash.toLowerCase()} ${idx}`
  const takenBy = (payment: Payment) => {
    const owner = journal.ownerOfOrder(orderOf(payment))
    return owner === quoteId ? undefined : owner
  }
  return {
    ownDeposit: undefined,
    takenBy,
    isOtherDelivery: async (hash: Hex) => (journal.operationOfHash(hash) ?? quoteId) !== quoteId,
    take: async (payments) => {
      const taken = payments.flatMap((payment) => takenBy(payment) ?? [])
      if (taken[0] !== undefined) return taken[0]
      for (const payment of payments) journal.takeOrder(orderOf(payment), quoteId)
      return null
    },
  }
}
