import type { Address } from '../../domain/address.ts'
import { parseAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import type { Intent } from '../../domain/intent.ts'
import type { Token } from '../../domain/token.ts'
import type { Vouched } from '../registry.ts'
import { flag, isTyped, operandsOf } from './argv.ts'

const untyped = (what: string): AppError =>
  new AppError('POLICY_TAMPER', `${what}, and that is not what was typed. Nothing was signed.`)

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
  remembered: Address | null,
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
      refuseSwap(argv, intent, command, remembered)
      return
    case 'revoke':
  }
}

function refuseSwap(
  argv: readonly string[],
  { wallet, recipient, tokenIn, tokenOut, amountIn, amountOut }: Extract<Intent, { kind: 'swap' }>,
  command: string | undefined,
  remembered: Address | null,
): void {
  if (recipient !== wallet && recipient !== remembered && !isTyped(argv, recipient))
    throw untyped(`It pays ${recipient}`)
  if (command === 'deposit') {
    if (recipient !== wallet) throw untyped(`It pays ${recipient}`)
    refuseAmount(argv, tokenIn, amountIn, 'exactly')
    return
  }
  refuseToken(argv, '--token-in', tokenIn)
  refuseToken(argv, '--token-out', tokenOut)
  const [typedIn, typedOut] = [flag(argv, '--amount-in'), flag(argv, '--amount-out')]
  if (typedIn !== undefined && parseAmount(typedIn, tokenIn) !== amountIn)
    throw untyped(`It spends ${amountIn} of ${tokenIn.symbol}`)
  if (typedOut !== undefined && parseAmount(typedOut, tokenOut) !== amountOut)
    throw untyped(`It brings ${amountOut} of ${tokenOut.symbol}`)
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
