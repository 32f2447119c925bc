import { burnPrice, isFair } from '../../domain/accepted.ts'
import { parseAmount } from '../../domain/amount.ts'
import type { Catalog } from '../../domain/catalog.ts'
import type { Intent } from '../../domain/intent.ts'
import { usualImpact } from '../../domain/price-impact.ts'
import { feesOf, serviceFeeIn, usualServiceFeeBps } from '../../domain/service-fee.ts'
import { less, slippageIn, usualSlippage } from '../../domain/slippage.ts'
import type { Token } from '../../domain/token.ts'
import { refuseDearFee } from '../guard/guard-fee.ts'
import type { Vouched } from '../guard/registry.ts'
import { flag, isTyped, operandsOf } from './argv.ts'
import { type Remembered, refuseSwap } from './typed-swap.ts'
import { refuseNetwork, refuseToken, untyped } from './untyped.ts'

/** What a command can be about. A deposit from another chain begins with a bridge. */
const kindsOf: Readonly<Record<string, readonly Intent['kind'][]>> = {
  deposit: ['deposit', 'swap'],
  withdraw: ['withdraw', 'claim'],
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
 * kind, amount, token, receiver, strategy, and the contracts that are vouched for. `remembered` is a quote that was
 * asked for earlier. What was written before is held to what is written (`refuseUnwritten`).
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
  refuseUntypedFee(argv, intent)
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
      const { slug, id, asset, chainId, network } = intent.strategy
      if (!isTyped(argv, slug) && !isTyped(argv, id)) throw untyped(`It is about ${slug}`)
      if (argv.includes('--claim')) throw untyped(`It is a ${intent.kind}`)
      const from = flag(argv, '--from')?.toLowerCase()
      const isBridged = from !== undefined && from !== network && from !== String(chainId)
      refuseAmount(argv, asset, intent.amount, isBridged ? 'less a fee' : 'exactly')
      refuseFew(argv, intent)
      return
    }
    case 'claim': {
      const { slug, id } = intent.strategy
      if (!isTyped(argv, slug) && !isTyped(argv, id)) throw untyped(`It is about ${slug}`)
      if (!argv.includes('--claim')) throw untyped('It is a claim')
      return
    }
    case 'swap':
      if (command === 'deposit') refuseBridge(argv, intent, catalog)
      else refuseSwap(argv, intent, remembered, catalog.networks)
      return
    case 'revoke':
  }
}

/** A PT is never worth more than its asset: fewer of them, by more than was typed or is usual, are too few at any price. */
function refuseFew(argv: readonly string[], intent: Extract<Intent, { kind: 'deposit' | 'withdraw' }>): void {
  if (intent.kind !== 'deposit' || intent.strategy.constants.family !== 'pendle-pt') return
  const share = (name: string, usual: number) => slippageIn(flag(argv, name) ?? '') ?? usual
  const fair = less(intent.amount, share('--max-price-impact', usualImpact))
  if ((intent.least ?? 0n) < less(fair, share('--slippage', usualSlippage)))
    throw untyped(`It brings at least ${intent.least} of ${intent.strategy.receipt.symbol}`)
}

/** A fee is of what swaps or withdraws by its own command, and no more of it than was typed, or than is usual. */
export function refuseUntypedFee(argv: readonly string[], intent: Intent): void {
  if (feesOf(intent).length === 0) return
  if (operandsOf(argv)[0] === 'deposit') throw untyped('It pays the service a fee')
  refuseDearFee(intent, serviceFeeIn(flag(argv, '--max-service-fee') ?? '') ?? usualServiceFeeBps)
}

/** The bridge before a deposit brings the strategy's own asset to its chain, for the wallet itself. */
function refuseBridge(
  argv: readonly string[],
  { wallet, recipient, tokenIn, tokenOut, amountIn, amountOut }: Extract<Intent, { kind: 'swap' }>,
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
  refuseAmount(argv, tokenOut, amountOut, 'less a fee')
}

/** An amount that was typed is the one that is meant; what a bridge brings of it is less by its fee, and not unfairly so. */
function refuseAmount(
  argv: readonly string[],
  token: Pick<Token, 'symbol' | 'decimals'>,
  amount: bigint,
  how: 'exactly' | 'less a fee',
): void {
  const raw = flag(argv, '--amount-raw')
  const text = flag(argv, '--amount')
  if (text?.toLowerCase() === 'max') return
  const typed = raw !== undefined ? BigInt(raw) : text !== undefined ? parseAmount(text, token) : undefined
  const most = slippageIn(flag(argv, '--slippage') ?? '') ?? burnPrice.most
  const isMeant =
    how === 'exactly'
      ? typed === amount
      : typed !== undefined &&
        amount <= typed &&
        isFair({ amountIn: typed, amountOut: amount }, { ...burnPrice, most })
  if (!isMeant) throw untyped(`It is about ${amount} of ${token.symbol}`)
}
