import { acceptedAmounts, type QuotedAmounts } from '../domain/accepted-amounts.ts'
import { type Address, splitNetworkPrefix } from '../domain/address.ts'
import { maxUint256, parseAmount, parseRawAmount, shareOfBalance } from '../domain/amount.ts'
import { type FlagName, takesSigner } from '../domain/command-line/flags.ts'
import { type CommandLine, flagValue, hasFlag } from '../domain/command-line/read-command-line.ts'
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
import type { DeliverIntent, Intent, IntentOf } from '../protocols/intent.ts'
import { feesOf, serviceFeeIn, usualServiceFeeBps } from '../protocols/service-fees-of-intent.ts'
import type { RecordedPlan } from './recorded-plan-check.ts'
import { isAddressOf, untypedExemption } from './typed-addresses.ts'

/** The error for something that differs from the command line. */
const mismatchError = (what: string): AppError =>
  new AppError('POLICY_TAMPER', `${what}, which does not match the command line. It was not signed.`)

/** Refuses a network other than the typed one (name or chain id). */
function refuseNetworkMismatch(
  line: CommandLine,
  name: FlagName,
  chainId: number,
  networks: readonly Network[],
): void {
  const typed = flagValue(line, name)?.toLowerCase()
  const network = networks.find((one) => one.chainId === chainId)
  if (typed === undefined || typed === String(chainId) || typed === network?.name) return
  throw mismatchError(`It is on ${network?.name ?? chainId}`)
}

/** Refuses a token other than the typed one (symbol or address). */
function refuseTokenMismatch(line: CommandLine, name: FlagName, token: Token): void {
  const typed = flagValue(line, name)?.toLowerCase()
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
type Typed = { line: CommandLine; walletNamed: (name: string) => Address | undefined }

type Swap = IntentOf<'swap'>

/** Compares a swap with the command line, and with its quote if this machine has it. */
function refuseSwapMismatch(
  { line, walletNamed }: Typed,
  intent: Swap,
  remembered: RecordedQuote | null,
  networks: readonly Network[],
): void {
  const { wallet, recipient, tokenIn, tokenOut, amountIn, amountOut } = intent
  const isByName = flagValue(line, '--token-in') === undefined
  const destination = flagValue(line, '--destination')
  const payee =
    (destination && (walletNamed(destination) ?? splitNetworkPrefix(destination).address)) ??
    (isByName ? remembered?.recipient : null) ??
    wallet
  if (recipient.toLowerCase() !== payee.toLowerCase()) throw mismatchError(`It pays ${recipient}`)
  const typedLeast = flagValue(line, '--accept-min-out')
  const least = typedLeast === undefined ? null : parseAmount(typedLeast, tokenOut)
  if (least !== null && (intent.exact === 'out' || amountOut !== least))
    throw mismatchError(`It returns at least ${amountOut} of ${tokenOut.symbol}`)
  const speed = flagValue(line, '--speed') ?? remembered?.speed ?? undefined
  if (speed !== undefined && tokenIn.chainId !== tokenOut.chainId && intent.speed !== speed)
    throw mismatchError('It has another bridge speed')
  if (remembered) refuseQuoteMismatch(intent, remembered, typedSlippage(line) ?? remembered.slippage, least)
  refuseNetworkMismatch(line, '--from', tokenIn.chainId, networks)
  if (!isByName)
    refuseNetworkMismatch(
      line,
      flagValue(line, '--to') === undefined ? '--from' : '--to',
      tokenOut.chainId,
      networks,
    )
  refuseTokenMismatch(line, '--token-in', tokenIn)
  refuseTokenMismatch(line, '--token-out', tokenOut)
  const [typedIn, typedOut] = [flagValue(line, '--amount-in'), flagValue(line, '--amount-out')]
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

const typedSlippage = (line: CommandLine): number | null =>
  parseSlippage(flagValue(line, '--slippage') ?? '') ?? null

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

/** The intents that a command may sign, for those that make a plan. A deposit from another chain begins with a bridge. */
const intentKindsOf: Readonly<Record<string, readonly Intent['kind'][]>> = {
  deposit: ['deposit', 'swap'],
  withdraw: ['withdraw', 'claim'],
  transfer: ['transfer'],
  'swap execute': ['swap'],
  'wallet approvals revoke': ['revoke'],
  'action revoke': ['revoke'],
  'action deliver': ['deliver'],
}

/** Whether a command line names a recorded plan: an operation of the journal, or a plan file. */
export const namesRecordedPlan = ({ command }: CommandLine): boolean =>
  takesSigner(command) && !Object.hasOwn(intentKindsOf, command)

/** Whether the first operand of a line is one of these names. */
const namesOperand = ({ operands: [first] }: CommandLine, ...names: string[]): boolean =>
  names.some((one) => one.toLowerCase() === first?.toLowerCase())

/** Whether the recipient of a transfer was typed: its address, or the name of a wallet. */
const isTypedRecipient = ({ line, walletNamed }: Typed, recipient: Address): boolean =>
  isAddressOf(line, '--to', recipient) || walletNamed(flagValue(line, '--to') ?? '') === recipient

/**
 * Compares an intent with the command line, which the signer received before anything else ran: kind, amount, token, receiver,
 * strategy, and exempted contracts. `remembered` is a quote requested earlier, `begun` the operation of the journal that the line names.
 * Recorded plans are checked by `refusePlanMismatch`.
 */
export function refuseIntentMismatch(
  { line, walletNamed }: Typed,
  intent: Intent,
  exemptions: Exemptions,
  remembered: RecordedQuote | null,
  catalog: Catalog,
  begun?: RecordedPlan,
): void {
  const { command } = line
  // The demonstration makes its own command lines, with play money.
  if (command === 'demo') return
  if (!intentKindsOf[command]?.includes(intent.kind)) throw mismatchError(`It is a ${intent.kind}`)
  refuseUnrequestedFee(line, intent)
  const stranger = untypedExemption(line, exemptions)
  if (stranger !== undefined) throw mismatchError(`It trusts ${stranger}`)
  switch (intent.kind) {
    case 'transfer':
      if (!isTypedRecipient({ line, walletNamed }, intent.recipient))
        throw mismatchError(`It pays ${intent.recipient}`)
      refuseTokenMismatch(line, '--token', intent.token)
      refuseNetworkMismatch(line, '--network', intent.token.chainId, catalog.networks)
      refuseAmountMismatch(line, intent.token, intent.amount, 'exactly')
      return
    case 'deposit':
    case 'withdraw': {
      const { slug, id, asset, chainId, network } = intent.strategy
      if (!namesOperand(line, slug, id)) throw mismatchError(`It uses the strategy ${slug}`)
      if (hasFlag(line, '--claim')) throw mismatchError(`It is a ${intent.kind}`)
      const from = flagValue(line, '--from')?.toLowerCase()
      const isBridged = from !== undefined && from !== network && from !== String(chainId)
      refuseAmountMismatch(line, asset, intent.amount, isBridged ? 'less a fee' : 'exactly')
      if (intent.amount === maxUint256 && (shareOfBalance(flagValue(line, '--amount')) ?? 10_000n) < 10_000n)
        throw mismatchError('It withdraws everything')
      refuseTooFewPt(line, intent)
      return
    }
    case 'claim': {
      const { slug, id } = intent.strategy
      if (!namesOperand(line, slug, id)) throw mismatchError(`It uses the strategy ${slug}`)
      if (!hasFlag(line, '--claim')) throw mismatchError('It is a claim')
      return
    }
    case 'swap':
      if (command === 'deposit') refuseBridgeMismatch(line, intent, catalog)
      else refuseSwapMismatch({ line, walletNamed }, intent, remembered, catalog.networks)
      return
    case 'deliver':
      refuseOtherDelivery(line, intent, begun)
      return
    case 'revoke':
  }
}

/** Refuses the delivery of another burn than one of the named action, or than the named transaction. */
function refuseOtherDelivery(
  line: CommandLine,
  { burn, message }: DeliverIntent,
  begun: RecordedPlan | undefined,
): void {
  const isNamed = begun
    ? begun.transactions.some((transaction) => isBurnOfMessage(transaction, message))
    : namesOperand(line, burn)
  if (!isNamed) throw mismatchError(`It delivers the burn ${burn}`)
}

/**
 * Refuses too few PT: a PT is never worth more than its asset, so fewer, beyond the typed or usual slippage, are too few at any
 * price.
 */
function refuseTooFewPt(line: CommandLine, intent: IntentOf<'deposit' | 'withdraw'>): void {
  if (intent.kind !== 'deposit' || intent.strategy.constants.family !== 'pendle-pt') return
  const share = (name: FlagName, usual: number) => parseSlippage(flagValue(line, name) ?? '') ?? usual
  const fair = subtractSlippage(intent.amount, share('--max-price-impact', defaultPriceImpact))
  if ((intent.least ?? 0n) < subtractSlippage(fair, share('--slippage', defaultSlippage)))
    throw mismatchError(`It returns at least ${intent.least} of ${intent.strategy.receipt.symbol}`)
}

/** Refuses a fee unless the command is a swap or withdrawal, and a fee above the typed or usual limit. */
export function refuseUnrequestedFee(line: CommandLine, intent: Intent): void {
  if (feesOf(intent).length === 0) return
  if (line.command === 'deposit') throw mismatchError('It pays the service a fee')
  refuseHighServiceFee(intent, serviceFeeIn(flagValue(line, '--max-service-fee') ?? '') ?? usualServiceFeeBps)
}

/** Checks that the bridge of a deposit brings the strategy's asset to its chain, for the wallet itself. */
function refuseBridgeMismatch(
  line: CommandLine,
  { wallet, recipient, tokenIn, tokenOut, amountIn, amountOut }: IntentOf<'swap'>,
  { strategies, networks }: Catalog,
): void {
  const strategy = strategies.find(({ slug, id }) => namesOperand(line, slug, id))
  const isThere =
    strategy !== undefined &&
    tokenOut.chainId === strategy.chainId &&
    tokenIn.chainId !== tokenOut.chainId &&
    tokenOut.address === strategy.asset.address
  if (!isThere || recipient !== wallet) throw mismatchError(`It pays ${tokenOut.symbol} to ${recipient}`)
  refuseNetworkMismatch(line, '--from', tokenIn.chainId, networks)
  refuseAmountMismatch(line, tokenIn, amountIn, 'exactly')
  refuseAmountMismatch(line, tokenOut, amountOut, 'less a fee')
}

/** Refuses an amount other than the typed one; a bridge brings it less a fair fee. */
function refuseAmountMismatch(
  line: CommandLine,
  token: Pick<Token, 'symbol' | 'decimals'>,
  amount: bigint,
  how: 'exactly' | 'less a fee',
): void {
  const raw = flagValue(line, '--amount-raw')
  const text = flagValue(line, '--amount')
  // Max and a share of the balance are what the plan shows: this process reads no chain.
  if (shareOfBalance(text) !== undefined) return
  const typed =
    raw !== undefined ? parseRawAmount(raw) : text !== undefined ? parseAmount(text, token) : undefined
  const most = parseSlippage(flagValue(line, '--slippage') ?? '') ?? burnBridgePrice.most
  const isMeant =
    how === 'exactly'
      ? typed === amount
      : typed !== undefined &&
        amount <= typed &&
        isWithinTolerance({ amountIn: typed, amountOut: amount }, { ...burnBridgePrice, most })
  if (!isMeant) throw mismatchError(`Its amount is ${amount} of ${token.symbol}`)
}
