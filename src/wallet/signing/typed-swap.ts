import { acceptedOf, type Shown } from '../../domain/accepted.ts'
import type { Address } from '../../domain/address.ts'
import { parseAmount } from '../../domain/amount.ts'
import type { Intent } from '../../domain/intent.ts'
import type { Network } from '../../domain/network.ts'
import { slippageIn } from '../../domain/slippage.ts'
import { flag } from './argv.ts'
import { refuseNetwork, refuseToken, untyped } from './untyped.ts'

/** What a quote said that was asked for earlier, and what was asked: `recipient` is `null` for the wallet that signs, `slippage` a fraction or `null`, `speed` that of a bridge. */
export type Remembered = Shown & {
  exact: 'in' | 'out'
  recipient: Address | null
  slippage: number | null
  speed?: 'fast' | 'standard' | null
  chainIn: number
  chainOut: number
  tokenIn: Address
  tokenOut: Address
}

type Swap = Extract<Intent, { kind: 'swap' }>

/** Holds a swap to the words that were typed, and to the quote that it takes, as far as this machine was given that. */
export function refuseSwap(
  argv: readonly string[],
  intent: Swap,
  remembered: Remembered | null,
  networks: readonly Network[],
): void {
  const { wallet, recipient, tokenIn, tokenOut, amountIn, amountOut } = intent
  const isByName = flag(argv, '--token-in') === undefined
  const payee = flag(argv, '--destination') ?? (isByName ? remembered?.recipient : null) ?? wallet
  if (recipient.toLowerCase() !== payee.toLowerCase()) throw untyped(`It pays ${recipient}`)
  const typedLeast = flag(argv, '--accept-min-out')
  const least = typedLeast === undefined ? null : parseAmount(typedLeast, tokenOut)
  if (least !== null && (intent.exact === 'out' || amountOut !== least))
    throw untyped(`It brings at least ${amountOut} of ${tokenOut.symbol}`)
  const speed = flag(argv, '--speed') ?? remembered?.speed ?? undefined
  if (speed !== undefined && tokenIn.chainId !== tokenOut.chainId && intent.speed !== speed)
    throw untyped('It is not as fast or as slow')
  if (remembered) refuseOther(intent, remembered, typedSlippage(argv) ?? remembered.slippage, least)
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

const typedSlippage = (argv: readonly string[]): number | null =>
  slippageIn(flag(argv, '--slippage') ?? '') ?? null

/** A swap of a quote is what that quote said, within what is accepted for it. */
function refuseOther(
  { tokenIn, tokenOut, amountIn, amountOut, exact }: Swap,
  quote: Remembered,
  slippage: number | null,
  least: bigint | null,
): void {
  const isSame =
    tokenIn.chainId === quote.chainIn &&
    tokenOut.chainId === quote.chainOut &&
    tokenIn.address === quote.tokenIn &&
    tokenOut.address === quote.tokenOut
  const accepted = acceptedOf(quote, { exact: quote.exact, slippage, least })
  if (!isSame || exact !== quote.exact || amountIn > accepted.amountIn || amountOut < accepted.amountOut)
    throw untyped(
      `It spends ${amountIn} of ${tokenIn.symbol} for at least ${amountOut} of ${tokenOut.symbol}`,
    )
}
