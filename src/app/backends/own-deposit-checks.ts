import type { Service } from '../../api/service-type.ts'
import type { SwapStatus } from '../../api/swap-status.ts'
import { openChain } from '../../chain/network-client.ts'
import type { DepositKeeper, DepositToKeep } from '../../cli/backend-types.ts'
import type { Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/networks.ts'
import { statedByService, wordOf } from '../../domain/swap-outcome.ts'
import { advice, sluice } from '../../domain/text/next-step.ts'
import type { Token } from '../../domain/token.ts'
import type { DepositChecks, DepositSwap, PaymentBook } from '../../engine/quotes/deposit-swap-types.ts'
import type { ExecutionContext } from '../../planning/execution-context-types.ts'
import type { DepositProgress } from '../../swaps/deposit-provider.ts'

/** A swap from Bitcoin as the journal keeps it; amounts are decimal text. */
type KeptSwap = Omit<DepositSwap, 'amountIn' | 'minAmountOut'> & { amountIn: string; minAmountOut: string }

/** No idempotency key of a person has a space, so these keys are free. */
const keys = {
  deposit: (quoteId: string) => `deposit of ${quoteId}`,
  address: (address: string) => `address ${address}`,
  payment: ({ chainId, hash, idx }: { chainId: number; hash: string; idx: number }) =>
    `payment ${chainId} ${hash.toLowerCase()} ${idx}`,
}

/**
 * Checks swaps from Bitcoin that a remote service serves, on this machine: the engine's own checks, with Esplora, the nodes, the
 * journal and the provider that are set here. The journal keeps the terms of each deposit before it is shown, and the payments that
 * ended a swap. The provider itself is asked which payment belongs to a swap. If it does not answer, what the service says is a claim for
 * these checks, and no more than `reported`; so is what it says of a swap that this machine did not show.
 */
export function ownDepositChecks(
  context: () => Promise<ExecutionContext>,
  now: () => number,
): DepositKeeper & { checked: (service: Service) => Service['swapStatus'] } {
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
    const kept = there?.journal.quoteOfKey(keys.deposit(quoteId)) as KeptSwap | undefined
    return there && kept && { there, kept }
  }
  return {
    keep: async (shown) => {
      const there = await context()
      const kept = await keepTerms(there, shown, now)
      return statusOf(there, kept, undefined)
    },
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

/** Keeps the terms of a deposit; POLICY_QUOTE_DRIFT if the quote had others before, or another quote had the address. */
async function keepTerms(
  { journal, catalog }: ExecutionContext,
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
  const { id } = quote
  const reader = esplora(catalog.bitcoin!.esplora, serviceExchange)
  const earlier = journal.quoteOfKey(keys.deposit(id)) as KeptSwap | undefined
  const bitcoin = catalog.bitcoin!
  const provider = openDepositProviders(bitcoin, { exchangeJson: serviceExchange, now }).find(
    ({ name }) => name === quote.provider,
  )
  const { chainId, address, decimals, symbol, name } = tokenOut
  const kept: KeptSwap = earlier ?? {
    ...{ id, provider: quote.provider, createdAt: now(), expiresAt: terms.until },
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
  const used = earlier ? undefined : await usedBefore(reader, terms, (one) => isBefore(one, now()))
  if (used !== undefined)
    throw new AppError(
      'POLICY_QUOTE_DRIFT',
      `The deposit address of the quote was paid before, by ${used}: do not pay it again`,
      { next: advice`Request a new quote: ${sluice('swap quote', { '--help': true })}` },
    )
  // An address without a memo is of one swap only.
  const owner =
    terms.memo === null
      ? journal.keepQuote(keys.address(terms.address), {}, { quoteId: id })
      : { quoteId: id }
  const first = journal.keepQuote(keys.deposit(id), {}, kept) as KeptSwap
  const same = ({ deposit, recipient: to, minAmountOut }: KeptSwap) =>
    JSON.stringify([deposit.address, deposit.memo, deposit.amount, to.toLowerCase(), minAmountOut])
  const isSame =
    same(first) ===
    same({
      ...first,
      deposit: instructionsOf(terms),
      recipient,
      minAmountOut: String(terms.minAmountOut),
    })
  if (isSame && (owner as { quoteId: string }).quoteId === id) return first
  throw new AppError(
    'POLICY_QUOTE_DRIFT',
    isSame
      ? `The deposit address belongs to the quote ${(owner as { quoteId: string }).quoteId}: do not pay it for this one`
      : 'The service returns another deposit for the quote than before: do not pay it',
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

/** The payments of swaps that the journal keeps, and its deliveries of actions, as one swap sees them. */
function paymentsOf(journal: ExecutionContext['journal'], quoteId: string): PaymentBook {
  const ownerOf = (key: string) => (journal.quoteOfKey(key) as { quoteId: string } | undefined)?.quoteId
  const other = (owner: string | undefined) => (owner === quoteId ? undefined : owner)
  return {
    ownDeposit: undefined,
    takenBy: (payment) => other(ownerOf(keys.payment(payment))),
    isOtherDelivery: async (hash: Hex) => journal.operationOfHash(hash) !== undefined,
    take: async (payments) => {
      const taken = payments.flatMap((payment) => other(ownerOf(keys.payment(payment))) ?? [])
      if (taken[0] !== undefined) return taken[0]
      for (const payment of payments) journal.keepQuote(keys.payment(payment), {}, { quoteId })
      return null
    },
  }
}
