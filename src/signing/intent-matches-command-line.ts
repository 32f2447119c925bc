import { acceptedAmounts, type QuotedAmounts } from '../domain/accepted-amounts.ts'
import { type Address, splitNetworkPrefix } from '../domain/address.ts'
import { maxUint256, parseAmount, shareOfBalance } from '../domain/amount.ts'
import { AppError } from '../domain/errors.ts'
import type { Network } from '../domain/networks.ts'
import { defaultPriceImpact } from '../domain/price-impact-share.ts'
import { defaultSlippage, parseSlippage, subtractSlippage } from '../domain/slippage.ts'
import type { Token } from '../domain/token.ts'
import { isBurnOfMessage } from '../guard/message-of-burn.ts'
import { burnBridgePrice, isWithinTolerance } from '../guard/price-tolerance.ts'
import { refuseHighServiceFee } from '../guard/stated-fee-checks.ts'
import type { Exemptions } from '../guard/user-limits-and-exemptions.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import type { DeliverIntent, Intent } from '../protocols/intent.ts'
import { feesOf, serviceFeeIn, usualServiceFeeBps } from '../protocols/service-fees-of-intent.ts'
import { commandOperands, isOnCommandLine, optionValue } from './argv-reader.ts'
import type { RecordedPlan } from './recorded-plan-check.ts'

/** The error for something that differs from the command line. */
const mismatchError = (what: string): AppError =>
  new AppError('POLICY_TAMPER', `${what}, which does not match the command line. It was not signed.`)

/** Refuses a network other than the typed one (name or chain id). */
function refuseNetworkMismatch(
  argv: readonly string[],
  name: string,
  chainId: number,
  networks: readonly Network[],
): void {
  const typed = optionValue(argv, name)?.toLowerCase()
  const network = networks.find((one) => one.chainId === chainId)
  if (typed === undefined || typed === String(chainId) || typed === network?.name) return
  throw mismatchError(`It is on ${network?.name ?? chainId}`)
}

/** Refuses a token other than the typed one (symbol or address). */
function refuseTokenMismatch(argv: readonly string[], name: string, token: Token): void {
  const typed = optionValue(argv, name)?.toLowerCase()
  if (typed === undefined || [token.symbol.toLowerCase(), token.address.toLowerCase()].includes(typed)) return
  throw mismatchError(`It uses ${token.symbol} ${token.address}`)
}

/**
 * A quote that was requested earlier, with its request: `recipient` is `null` for the signing wallet, `slippage` a fraction or
 * `null`, `speed` that of a bridge.
 */
export type RecordedQuote = QuotedAmounts & {
  exact: 'in' | 'out'
  recipient: Address | null
  slippage: number | null
  speed?: 'fast' | 'standard' | null
  chainIn: number
  chainOut: number
  tokenIn: Address
  tokenOut: Address
}

/** The command line, and the wallets that it may name. */
type Typed = { argv: readonly string[]; walletNamed: (name: string) => Address | undefined }

type Swap = Extract<Intent, { kind: 'swap' }>

/** Compares a swap with the command line, and with its quote if this machine has it. */
function refuseSwapMismatch(
  { argv, walletNamed }: Typed,
  intent: Swap,
  remembered: RecordedQuote | null,
  networks: readonly Network[],
): void {
  const { wallet, recipient, tokenIn, tokenOut, amountIn, amountOut } = intent
  const isByName = optionValue(argv, '--token-in') === undefined
  const destination = optionValue(argv, '--destination')
  const payee =
    (destination && (walletNamed(destination) ?? splitNetworkPrefix(destination).address)) ??
    (isByName ? remembered?.recipient : null) ??
    wallet
  if (recipient.toLowerCase() !== payee.toLowerCase()) throw mismatchError(`It pays ${recipient}`)
  const typedLeast = optionValue(argv, '--accept-min-out')
  const least = typedLeast === undefined ? null : parseAmount(typedLeast, tokenOut)
  if (least !== null && (intent.exact === 'out' || amountOut !== least))
    throw mismatchError(`It returns at least ${amountOut} of ${tokenOut.symbol}`)
  const speed = optionValue(argv, '--speed') ?? remembered?.speed ?? undefined
  if (speed !== undefined && tokenIn.chainId !== tokenOut.chainId && intent.speed !== speed)
    throw mismatchError('It has another bridge speed')
  if (remembered) refuseQuoteMismatch(intent, remembered, typedSlippage(argv) ?? remembered.slippage, least)
  refuseNetworkMismatch(argv, '--from', tokenIn.chainId, networks)
  if (!isByName)
    refuseNetworkMismatch(
      argv,
      optionValue(argv, '--to') === undefined ? '--from' : '--to',
      tokenOut.chainId,
      networks,
    )
  refuseTokenMismatch(argv, '--token-in', tokenIn)
  refuseTokenMismatch(argv, '--token-out', tokenOut)
  const [typedIn, typedOut] = [optionValue(argv, '--amount-in'), optionValue(argv, '--amount-out')]
  // A share of the balance is what the plan shows: this process reads no chain.
  if (
    typedIn !== undefined &&
    shareOfBalance(typedIn) === undefined &&
    parseAmount(typedIn, tokenIn) !== amountIn
  )
    throw mismatchError(`It spends ${amountIn} of ${tokenIn.symbol}`)
  if (typedOut !== undefined && parseAmount(typedOut, tokenOut) !== amountOut)
    throw mismatchError(`It returns ${amountOut} of ${tokenOut.symbol}`)
}

const typedSlippage = (argv: readonly string[]): number | null =>
  parseSlippage(optionValue(argv, '--slippage') ?? '') ?? null

/** Refuses a swap that differs from its quote beyond the accepted slippage. */
function refuseQuoteMismatch(
  { tokenIn, tokenOut, amountIn, amountOut, exact }: Swap,
  quote: RecordedQuote,
  slippage: number | null,
  least: bigint | null,
): void {
  const isSame =
    tokenIn.chainId === quote.chainIn &&
    tokenOut.chainId === quote.chainOut &&
    tokenIn.address === quote.tokenIn &&
    tokenOut.address === quote.tokenOut
  const accepted = acceptedAmounts(quote, { exact: quote.exact, slippage, least })
  if (!isSame || exact !== quote.exact || amountIn > accepted.amountIn || amountOut < accepted.amountOut)
    throw mismatchError(
      `It spends ${amountIn} of ${tokenIn.symbol} for at least ${amountOut} of ${tokenOut.symbol}`,
    )
}

/** The intents that a command may sign. A deposit from another chain begins with a bridge. */
const intentKindsOf: Readonly<Record<string, readonly Intent['kind'][]>> = {
  deposit: ['deposit', 'swap'],
  withdraw: ['withdraw', 'claim'],
  transfer: ['transfer'],
  swap: ['swap'],
  wallet: ['revoke'],
}

/** The subcommands of `action` that make a plan of their own, with the intents that they may sign. */
const actionKinds: Readonly<Record<string, readonly Intent['kind'][]>> = {
  revoke: ['revoke'],
  deliver: ['deliver'],
}

/** Whether a command line names a recorded plan: an operation of the journal, or a plan file. */
export function namesRecordedPlan(argv: readonly string[]): boolean {
  const [command, sub] = commandOperands(argv)
  return command === 'action' && !Object.hasOwn(actionKinds, sub ?? '')
}

/**
 * Compares an intent with the command line, which the signer received before anything else ran: kind, amount, token, receiver,
 * strategy, and exempted contracts. `remembered` is a quote requested earlier, `begun` the operation of the journal that the line names.
 * Recorded plans are checked by `refusePlanMismatch`.
 */
export function refuseIntentMismatch(
  { argv, walletNamed }: Typed,
  intent: Intent,
  { allow, allowTokens }: Exemptions,
  remembered: RecordedQuote | null,
  catalog: Catalog,
  begun?: RecordedPlan,
): void {
  const [command, sub] = commandOperands(argv)
  // The demonstration makes its own command lines, with play money.
  if (command === 'demo') return
  const kinds = command === 'action' ? actionKinds[sub ?? ''] : intentKindsOf[command ?? '']
  if (!kinds?.includes(intent.kind)) throw mismatchError(`It is a ${intent.kind}`)
  refuseUnrequestedFee(argv, intent)
  const isTypedRecipient = (recipient: Address) =>
    isOnCommandLine(argv, recipient) || walletNamed(optionValue(argv, '--to') ?? '') === recipient
  for (const address of [...allow, ...allowTokens])
    if (!isOnCommandLine(argv, address)) throw mismatchError(`It trusts ${address}`)
  switch (intent.kind) {
    case 'transfer':
      if (!isTypedRecipient(intent.recipient)) throw mismatchError(`It pays ${intent.recipient}`)
      refuseTokenMismatch(argv, '--token', intent.token)
      refuseNetworkMismatch(argv, '--network', intent.token.chainId, catalog.networks)
      refuseAmountMismatch(argv, intent.token, intent.amount, 'exactly')
      return
    case 'deposit':
    case 'withdraw': {
      const { slug, id, asset, chainId, network } = intent.strategy
      if (!isOnCommandLine(argv, slug) && !isOnCommandLine(argv, id))
        throw mismatchError(`It uses the strategy ${slug}`)
      if (argv.includes('--claim')) throw mismatchError(`It is a ${intent.kind}`)
      const from = optionValue(argv, '--from')?.toLowerCase()
      const isBridged = from !== undefined && from !== network && from !== String(chainId)
      refuseAmountMismatch(argv, asset, intent.amount, isBridged ? 'less a fee' : 'exactly')
      if (
        intent.amount === maxUint256 &&
        (shareOfBalance(optionValue(argv, '--amount')) ?? 10_000n) < 10_000n
      )
        throw mismatchError('It withdraws everything')
      refuseTooFewPt(argv, intent)
      return
    }
    case 'claim': {
      const { slug, id } = intent.strategy
      if (!isOnCommandLine(argv, slug) && !isOnCommandLine(argv, id))
        throw mismatchError(`It uses the strategy ${slug}`)
      if (!argv.includes('--claim')) throw mismatchError('It is a claim')
      return
    }
    case 'swap':
      if (command === 'deposit') refuseBridgeMismatch(argv, intent, catalog)
      else refuseSwapMismatch({ argv, walletNamed }, intent, remembered, catalog.networks)
      return
    case 'deliver':
      refuseOtherDelivery(argv, intent, begun)
      return
    case 'revoke':
  }
}

/** Refuses the delivery of another burn than one of the named action, or than the named transaction. */
function refuseOtherDelivery(
  argv: readonly string[],
  { burn, message }: DeliverIntent,
  begun: RecordedPlan | undefined,
): void {
  const isNamed = begun
    ? begun.transactions.some((transaction) => isBurnOfMessage(transaction, message))
    : isOnCommandLine(argv, burn)
  if (!isNamed) throw mismatchError(`It delivers the burn ${burn}`)
}

/**
 * Refuses too few PT: a PT is never worth more than its asset, so fewer, beyond the typed or usual slippage, are too few at any
 * price.
 */
function refuseTooFewPt(
  argv: readonly string[],
  intent: Extract<Intent, { kind: 'deposit' | 'withdraw' }>,
): void {
  if (intent.kind !== 'deposit' || intent.strategy.constants.family !== 'pendle-pt') return
  const share = (name: string, usual: number) => parseSlippage(optionValue(argv, name) ?? '') ?? usual
  const fair = subtractSlippage(intent.amount, share('--max-price-impact', defaultPriceImpact))
  if ((intent.least ?? 0n) < subtractSlippage(fair, share('--slippage', defaultSlippage)))
    throw mismatchError(`It returns at least ${intent.least} of ${intent.strategy.receipt.symbol}`)
}

/** Refuses a fee unless the command is a swap or withdrawal, and a fee above the typed or usual limit. */
export function refuseUnrequestedFee(argv: readonly string[], intent: Intent): void {
  if (feesOf(intent).length === 0) return
  if (commandOperands(argv)[0] === 'deposit') throw mismatchError('It pays the service a fee')
  refuseHighServiceFee(
    intent,
    serviceFeeIn(optionValue(argv, '--max-service-fee') ?? '') ?? usualServiceFeeBps,
  )
}

/** Checks that the bridge of a deposit brings the strategy's asset to its chain, for the wallet itself. */
function refuseBridgeMismatch(
  argv: readonly string[],
  { wallet, recipient, tokenIn, tokenOut, amountIn, amountOut }: Extract<Intent, { kind: 'swap' }>,
  { strategies, networks }: Catalog,
): void {
  const strategy = strategies.find(({ slug, id }) => isOnCommandLine(argv, slug) || isOnCommandLine(argv, id))
  const isThere =
    strategy !== undefined &&
    tokenOut.chainId === strategy.chainId &&
    tokenIn.chainId !== tokenOut.chainId &&
    tokenOut.address === strategy.asset.address
  if (!isThere || recipient !== wallet) throw mismatchError(`It pays ${tokenOut.symbol} to ${recipient}`)
  refuseNetworkMismatch(argv, '--from', tokenIn.chainId, networks)
  refuseAmountMismatch(argv, tokenIn, amountIn, 'exactly')
  refuseAmountMismatch(argv, tokenOut, amountOut, 'less a fee')
}

/** Refuses an amount other than the typed one; a bridge brings it less a fair fee. */
function refuseAmountMismatch(
  argv: readonly string[],
  token: Pick<Token, 'symbol' | 'decimals'>,
  amount: bigint,
  how: 'exactly' | 'less a fee',
): void {
  const raw = optionValue(argv, '--amount-raw')
  const text = optionValue(argv, '--amount')
  // Max and a share of the balance are what the plan shows: this process reads no chain.
  if (shareOfBalance(text) !== undefined) return
  const typed = raw !== undefined ? BigInt(raw) : text !== undefined ? parseAmount(text, token) : undefined
  const most = parseSlippage(optionValue(argv, '--slippage') ?? '') ?? burnBridgePrice.most
  const isMeant =
    how === 'exactly'
      ? typed === amount
      : typed !== undefined &&
        amount <= typed &&
        isWithinTolerance({ amountIn: typed, amountOut: amount }, { ...burnBridgePrice, most })
  if (!isMeant) throw mismatchError(`Its amount is ${amount} of ${token.symbol}`)
}
