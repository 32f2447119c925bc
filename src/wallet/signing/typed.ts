import { parseAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import type { Intent } from '../../domain/intent.ts'
import type { Token } from '../../domain/token.ts'
import type { Vouched } from '../registry.ts'

/** What stands on a command line for a flag, the last time that it stands there. */
function flag(argv: readonly string[], name: string): string | undefined {
  const at = argv.findLastIndex((word) => word === name || word.startsWith(`${name}=`))
  if (at < 0) return undefined
  return argv[at] === name ? argv[at + 1] : argv[at]!.slice(name.length + 1)
}

const untyped = (what: string): AppError =>
  new AppError('POLICY_TAMPER', `${what}, and that is not what was typed. Nothing was signed.`)

const takesValue = ['--profile', '--fields', '--timeout']

/** The first word that is neither a flag nor its value. */
const commandOf = (argv: readonly string[]): string | undefined =>
  argv.find((word, at) => !word.startsWith('-') && !takesValue.includes(argv[at - 1] ?? ''))

/**
 * Holds what is to be signed to the words of the command line, which the signer was given before anything else ran:
 * amount, token, receiver, strategy, and the contracts that are vouched for. An operation of the journal and a plan in a
 * file were typed another time, and stand for themselves.
 */
export function refuseUntyped(
  argv: readonly string[],
  intent: Intent,
  { allow, allowTokens }: Vouched,
  isFirst: boolean,
): void {
  const words = argv.map((word) => word.toLowerCase())
  const command = commandOf(argv)
  const isTyped = (text: string) =>
    words.some((word) => word === text.toLowerCase() || word.endsWith(`=${text.toLowerCase()}`))
  if (command === undefined || command === 'action' || command === 'demo') return
  for (const address of [...allow, ...allowTokens])
    if (!isTyped(address)) throw untyped(`Somebody vouches for ${address}`)
  switch (intent.kind) {
    case 'transfer':
      if (!isTyped(intent.recipient)) throw untyped(`It pays ${intent.recipient}`)
      refuseAmount(argv, intent.token, intent.amount)
      return
    case 'deposit':
    case 'withdraw': {
      const { slug, id, asset } = intent.strategy
      if (!isTyped(slug) && !isTyped(id)) throw untyped(`It is about ${slug}`)
      // What a bridge brings at least is less than what was typed: that leg is held to the one before it.
      if (isFirst) refuseAmount(argv, asset, intent.amount)
      return
    }
    case 'swap': {
      const { wallet, recipient, tokenIn, tokenOut, amountIn, amountOut } = intent
      if (flag(argv, '--token-in') === undefined && command === 'swap') return
      if (recipient !== wallet && !isTyped(recipient)) throw untyped(`It pays ${recipient}`)
      if (command === 'deposit') {
        refuseAmount(argv, tokenIn, amountIn)
        return
      }
      const [typedIn, typedOut] = [flag(argv, '--amount-in'), flag(argv, '--amount-out')]
      if (typedIn !== undefined && parseAmount(typedIn, tokenIn) !== amountIn)
        throw untyped(`It spends ${amountIn} of ${tokenIn.symbol}`)
      if (typedOut !== undefined && parseAmount(typedOut, tokenOut) !== amountOut)
        throw untyped(`It brings ${amountOut} of ${tokenOut.symbol}`)
      return
    }
    case 'revoke':
      return
  }
}

function refuseAmount(
  argv: readonly string[],
  token: Pick<Token, 'symbol' | 'decimals'>,
  amount: bigint,
): void {
  const raw = flag(argv, '--amount-raw')
  const text = flag(argv, '--amount')
  if (text?.toLowerCase() === 'max') return
  const typed = raw !== undefined ? BigInt(raw) : text !== undefined ? parseAmount(text, token) : undefined
  if (typed !== amount) throw untyped(`It is about ${amount} of ${token.symbol}`)
}
