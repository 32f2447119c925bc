import type { Address } from '../../domain/address.ts'
import { parseAmount } from '../../domain/amount.ts'
import type { Catalog } from '../../domain/catalog.ts'
import { AppError } from '../../domain/errors.ts'
import type { Intent } from '../../domain/intent.ts'
import type { Network } from '../../domain/network.ts'
import type { Token } from '../../domain/token.ts'
import type { Vouched } from '../registry.ts'
import { flag, isTyped, operandsOf } from './argv.ts'

const untyped = (what: string): AppError =>
  new AppError('POLICY_TAMPER', `${what}, and that is not what was typed. Nothing was signed.`)

/** What a quote promised that was asked for earlier: `null` is the wallet that signs. Amounts are the most in and the least out. */
export type Remembered = {
  recipient: Address | null
  chainIn: number
  chainOut: number
  tokenIn: Address
  tokenOut: Address
  mostIn: bigint
  leastOut: bigint
}

/** What a command can be about. A deposit from another chain begins with a bridge. */
const kindsOf: Readonly<Record<string, readonly Intent['kind'][]>> = {
  deposit: ['deposit', 'swap'],
  withdraw: ['withdraw'],
  transfer: ['transfer'],
  swap: ['swap'],
  wallet: ['revoke'],
}

/** Whether a command line names what was written before: an operation of the journal, or a plan in a file. */
export function namesWritten(argv: readonly string[]): boolean {
  const [command, sub] = operandsOf(argv)
  return command === 'action' && sub !== 'revoke'
}

/**
 * Holds what is to be signed to the words of the command line, which the signer was given before anything else ran:
 * kind, amount, token, receiver, strategy, and the contracts that are vouched for. `remembered` is whom a quote that was
 * asked for earlier pays. What was written before is held to what is written (`refuseUnwritten`).
 */
export function refuseUntyped(
  argv: readonly string[],
  intent: Intent,
  { allow, allowTokens }: Vouched,
  remembered: Remembered | null,
  catalog: Catalog,
): void {
  const [command, sub] = operandsOf(argv)
  // The demonstration types its own lines, and they are play money.
  if (command === 'demo') return
  const kinds = command === 'action' && sub === 'revoke' ? (['revoke'] as const) : kindsOf[command ?? '']
  const isEnd = intent.kind === 'revoke' && argv.includes('--revoke-on-failure')
  if (!kinds?.includes(intent.kind) && !isEnd) throw untyped(`It is a ${intent.kind}`)
  for (const address of [...allow, ...allowTokens])
    if (!isTyped(argv, address)) throw untyped(`Somebody vouches for ${address}`)
  switch (intent.kind) {
    case 'transfer':
      if (!isTyped(argv, intent.recipient)) throw untyped(`It pays ${intent.recipient}`)
      refuseToken(argv, '--token', intent.token)
      refuseNetwork(argv, '--network', intent.token.chainId, catalog.networks)
      refuseAmount(argv, intent.token, intent.amount, 'exactly')
      return
    case 'deposit':
    case 'withdraw': {
      const { slug, id, asset } = intent.strategy
      if (!isTyped(argv, slug) && !isTyped(argv, id)) throw untyped(`It is about ${slug}`)
      // What a bridge brings at least is less than what was typed.
      refuseAmount(argv, asset, intent.amount, intent.kind === 'deposit' ? 'at most' : 'exactly')
      return
    }
    case 'swap':
      if (command === 'deposit') refuseBridge(argv, intent, catalog)
      else refuseSwap(argv, intent, remembered, catalog.networks)
      return
    case 'revoke':
  }
}

/** The bridge before a deposit brings the strategy's own asset to its chain, for the wallet itself. */
function refuseBridge(
  argv: readonly string[],
  { wallet, recipient, tokenIn, tokenOut, amountIn }: Extract<Intent, { kind: 'swap' }>,
  { strategies, networks }: Catalog,
): void {
  const strategy = strategies.find(({ slug, id }) => isTyped(argv, slug) || isTyped(argv, id))
  const isThere =
    strategy !== undefined &&
    tokenOut.chainId === strategy.chainId &&
    tokenIn.chainId !== tokenOut.chainId &&
    tokenOut.address === strategy.asset.address
  if (!isThere || recipient !== wallet) throw untyped(`It brings ${tokenOut.symbol} to ${recipient}`)
  refuseNetwork(argv, '--from', tokenIn.chainId, networks)
  refuseAmount(argv, tokenIn, amountIn, 'exactly')
}

function refuseSwap(
  argv: readonly string[],
  intent: Extract<Intent, { kind: 'swap' }>,
  remembered: Remembered | null,
  networks: readonly Network[],
): void {
  const { wallet, recipient, tokenIn, tokenOut, amountIn, amountOut } = intent
  const typedTo = flag(argv, '--destination')
  const payee = typedTo ?? remembered?.recipient ?? wallet
  if (recipient.toLowerCase() !== payee.toLowerCase()) throw untyped(`It pays ${recipient}`)
  const isByName = flag(argv, '--token-in') === undefined
  if (isByName && remembered) refuseOther(intent, remembered)
  refuseNetwork(argv, '--from', tokenIn.chainId, networks)
  if (!isByName)
    refuseNetwork(argv, flag(argv, '--to') === undefined ? '--from' : '--to', tokenOut.chainId, networks)
  refuseToken(argv, '--token-in', tokenIn)
  refuseToken(argv, '--token-out', tokenOut)
  const [typedIn, typedOut] = [flag(argv, '--amount-in'), flag(argv, '--amount-out')]
  if (typedIn !== undefined && parseAmount(typedIn, tokenIn) !== amountIn)
    throw untyped(`It spends ${amountIn} of ${tokenIn.symbol}`)
  if (typedOut !== undefined && parseAmount(typedOut, tokenOut) !== amountOut)
    throw untyped(`It brings ${amountOut} of ${tokenOut.symbol}`)
}

/** A swap by the name of a quote is what that quote promised. */
function refuseOther(
  { tokenIn, tokenOut, amountIn, amountOut }: Extract<Intent, { kind: 'swap' }>,
  quote: Remembered,
): void {
  const isSame =
    tokenIn.chainId === quote.chainIn &&
    tokenOut.chainId === quote.chainOut &&
    tokenIn.address === quote.tokenIn &&
    tokenOut.address === quote.tokenOut
  if (!isSame || amountIn > quote.mostIn || amountOut < quote.leastOut)
    throw untyped(
      `It spends ${amountIn} of ${tokenIn.symbol} for at least ${amountOut} of ${tokenOut.symbol}`,
    )
}

/** A network that was typed, by name or chain id, is the one that is meant. */
function refuseNetwork(
  argv: readonly string[],
  name: string,
  chainId: number,
  networks: readonly Network[],
): void {
  const typed = flag(argv, name)?.toLowerCase()
  const network = networks.find((one) => one.chainId === chainId)
  if (typed === undefined || typed === String(chainId) || typed === network?.name) return
  throw untyped(`It is on ${network?.name ?? chainId}`)
}

/** A token that was typed, by symbol or address, is the one that is meant. */
function refuseToken(argv: readonly string[], name: string, token: Token): void {
  const typed = flag(argv, name)?.toLowerCase()
  if (typed === undefined || [token.symbol.toLowerCase(), token.address.toLowerCase()].includes(typed)) return
  throw untyped(`It is about ${token.symbol} ${token.address}`)
}

function refuseAmount(
  argv: readonly string[],
  token: Pick<Token, 'symbol' | 'decimals'>,
  amount: bigint,
  how: 'exactly' | 'at most',
): void {
  const raw = flag(argv, '--amount-raw')
  const text = flag(argv, '--amount')
  if (text?.toLowerCase() === 'max') return
  const typed = raw !== undefined ? BigInt(raw) : text !== undefined ? parseAmount(text, token) : undefined
  if (typed === undefined || (how === 'exactly' ? typed !== amount : amount > typed))
    throw untyped(`It is about ${amount} of ${token.symbol}`)
}
