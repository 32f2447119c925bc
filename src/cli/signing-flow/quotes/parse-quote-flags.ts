import type { Quote } from '../../../api/quote.ts'
import type { Address } from '../../../domain/address.ts'
import { formatAmount, parseAmount } from '../../../domain/amount.ts'
import { bitcoinNetwork, isOnBitcoin } from '../../../domain/bitcoin.ts'
import type { OptionsOf } from '../../../domain/command-line/flags.ts'
import { AppError } from '../../../domain/errors.ts'
import { networkNamed } from '../../../domain/networks.ts'
import { defaultSlippage } from '../../../domain/slippage.ts'
import { advice, ownHelp, sameWith, sameWithout } from '../../../domain/text/next-step.ts'
import type { Token } from '../../../domain/token.ts'
import type { Cli } from '../../command-run-types.ts'
import { address, refundAddress, slippage } from '../../options/option-values.ts'
import { recipientOf } from '../../recipient.ts'
import { tokenForService } from '../../token-by-name.ts'
import { walletAddress } from '../../wallet-address.ts'
import { amountOfBalance } from '../amount-of-balance.ts'
import { betterAfterGas, otherProviders } from './choose-after-gas.ts'
import { refuseDrift } from './quote-matches-request.ts'

export type QuoteFlags = Omit<OptionsOf<'swap quote'>, 'compare' | 'raw'>

type Speed = NonNullable<QuoteFlags['speed']>

/** A quote request with its networks, tokens and amounts resolved. `request` identifies it for an idempotency key. */
export type QuoteRequest = {
  exact: 'in' | 'out'
  tokenIn: Token
  tokenOut: Token
  amount: bigint
  slippage: number | null
  speed: Speed | null
  destination: Address | undefined
  request: Record<string, unknown>
  /** Requests the quote, optionally with another slippage than the flags. */
  ask: (cli: Cli, within?: number) => Promise<Quote>
}

/** Refuses flags that do not name both tokens, the network, and exactly one amount. */
function requireQuoteFlags({ from, tokenIn, tokenOut, amountIn, amountOut }: QuoteFlags): void {
  const missing = Object.entries({ '--from': from, '--token-in': tokenIn, '--token-out': tokenOut }).flatMap(
    ([flag, value]) => (value === undefined ? [flag] : []),
  )
  if (missing.length > 0)
    throw new AppError('USAGE', `Missing: ${missing.join(', ')}`, {
      next: ownHelp,
    })
  const isNone = amountIn === undefined && amountOut === undefined
  if (isNone || (amountIn !== undefined && amountOut !== undefined))
    throw new AppError('USAGE', 'Give exactly one of --amount-in and --amount-out', {
      next: isNone
        ? ownHelp
        : advice`For an exact input: ${sameWithout('--amount-out')}. For an exact output: ${sameWithout('--amount-in')}`,
    })
}

/** The networks of a swap. A swap from Bitcoin names both; only a swap between two other networks has speeds. */
async function networksOf(cli: Cli, { from, to, speed }: QuoteFlags) {
  const { networks, bitcoin } = await cli.backend.catalog()
  const origin = networkNamed(bitcoin ? [...networks, bitcoinNetwork] : networks, from!)
  const isBitcoin = isOnBitcoin(origin)
  if (isBitcoin && to === undefined)
    throw new AppError('USAGE', 'A swap from Bitcoin pays out on another network: which one?', {
      next: advice`Name it: ${sameWith({ '--to': 'NETWORK' })}`,
    })
  const target = networkNamed(networks, to ?? from!)
  if (speed !== undefined && (isBitcoin || target.chainId === origin.chainId))
    throw new AppError('USAGE', `A swap ${isBitcoin ? 'from Bitcoin' : 'on one network'} has no speeds`, {
      next: sameWithout('--speed'),
    })
  return { origin, target, isBitcoin }
}

/** Parses the flags of a quote; a missing or wrong one is USAGE. `payer` is the wallet of `--amount-in max`. */
export async function parseQuoteFlags(
  cli: Cli,
  wish: QuoteFlags & { idempotencyKey?: string },
  payer: () => Promise<Address> = () =>
    walletAddress(
      cli,
      wish.wallet,
      advice`Name the wallet: ${sameWith({ '--wallet': 'ADDR' })} To name the amount: ${ownHelp}`,
    ),
): Promise<QuoteRequest> {
  requireQuoteFlags(wish)
  const { origin, target, isBitcoin } = await networksOf(cli, wish)
  const tokenIn = await tokenForService(cli, origin, wish.tokenIn!)
  const tokenOut = await tokenForService(cli, target, wish.tokenOut!)
  const exact = wish.amountIn === undefined ? 'out' : 'in'
  const shared = isBitcoin
    ? undefined
    : await amountOfBalance(cli, wish.amountIn, { token: () => tokenIn, use: 'swap', wallet: payer }, wish)
  const amount =
    exact === 'in'
      ? (shared?.amount ??
        parseAmount(wish.amountIn!, tokenIn, '--amount-in', isBitcoin ? undefined : 'share'))
      : parseAmount(wish.amountOut!, tokenOut, '--amount-out')
  if (isBitcoin && exact === 'out')
    throw new AppError('USAGE', 'A swap from Bitcoin has an exact input', {
      next: advice`Give the amount of BTC to pay: ${ownHelp}`,
    })
  const named =
    wish.destination === undefined
      ? undefined
      : await recipientOf(cli, wish.destination, '--destination', target)
  // Nobody signs on the origin, so the provider must be told who is paid.
  const destination = isBitcoin
    ? (named ??
      (await walletAddress(
        cli,
        wish.wallet,
        advice`Name the recipient: ${sameWith({ '--destination': 'ADDR' })}`,
      )))
    : named
  const slips = wish.slippage === undefined ? null : slippage(wish.slippage)
  const input = {
    chainIdIn: origin.chainId,
    chainIdOut: target.chainId,
    tokenIn: tokenIn.address,
    tokenOut: tokenOut.address,
    ...(exact === 'in' ? { amountIn: amount } : { amountOut: amount }),
    ...(destination && { destinationAddress: destination }),
    ...(wish.refund !== undefined && {
      refundAddress: isBitcoin ? refundAddress(wish.refund) : address(wish.refund, '--refund'),
    }),
    ...(wish.provider !== undefined && { preferredProvider: wish.provider }),
    ...(slips !== null && { slippage: slips }),
    ...(wish.speed !== undefined && { transferSpeed: wish.speed }),
    ...(wish.feeSponsorship && { feeSponsorship: true }),
  }
  const request = Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      name,
      typeof value === 'bigint' ? value.toString() : value,
    ]),
  )
  if (shared) request.amountIn = shared.asked
  return {
    exact,
    tokenIn,
    tokenOut,
    amount,
    slippage: slips,
    speed: wish.speed ?? null,
    destination,
    request,
    ask: async (cli, within) => {
      const service = await cli.service()
      const asking = async (provider: string | undefined) => {
        // The default slippage is sent too, because the quote is checked against it.
        const { quote } = await service.quote({
          slippage: defaultSlippage,
          ...input,
          ...(provider !== undefined && { preferredProvider: provider }),
          ...(within !== undefined && { slippage: within }),
        })
        refuseDrift(quote, { tokenIn, tokenOut, exact, amount, provider }, cli.program.now())
        return quote
      }
      const quote = await afterGas(
        await asking(wish.provider),
        { exact, isNamed: wish.provider !== undefined },
        asking,
      )
      // Without an id it cannot be taken later.
      if (quote.id) {
        const quotes = await cli.program.quotes()
        await quotes.save(
          {
            quote,
            exact,
            slippage: slips,
            destination: destination ?? null,
            speed: wish.speed ?? null,
            isNamed: wish.provider !== undefined,
          },
          { profile: cli.backend.profile, about: aboutOf(quote) },
        )
      }
      return quote
    },
  }
}

/**
 * The quote that leaves most after gas: the given one, or that of another provider which it lists. A service chooses by output alone, so the
 * better provider is asked by name; without its quote, the given one is taken.
 */
async function afterGas(
  quote: Quote,
  { exact, isNamed }: { exact: 'in' | 'out'; isNamed: boolean },
  asking: (provider: string) => Promise<Quote>,
): Promise<Quote> {
  const better = isNamed ? undefined : betterAfterGas(quote, exact)
  if (better === undefined) return quote
  try {
    const chosen = await asking(better)
    const { tokenIn, tokenOut } = quote
    const first = {
      ...quote,
      amountIn: tokenIn.amount,
      amountOut: tokenOut.amount,
      gasCostUSD: quote.gasCostUsd,
      transferSpeed: null,
      savesSeconds: null,
    }
    const others = otherProviders(quote).filter(({ provider }) => provider !== chosen.provider)
    return { ...chosen, alternatives: [...(chosen.alternatives ?? []), first, ...others] }
  } catch (error) {
    if (
      error instanceof AppError &&
      /^(PREFERRED_|INVALID_PREFERRED_|QUOTE_|NO_ROUTE_|PROVIDER_)/.test(error.code)
    )
      return quote
    throw error
  }
}

/** A quote in few words: `100 USDC on base for 99.98 USDC on optimism`. */
const aboutOf = ({ tokenIn, tokenOut, from, to }: Quote): string =>
  `${formatAmount(tokenIn.amount, tokenIn)} on ${from.network} for ${formatAmount(tokenOut.amount, tokenOut)}${to.network === from.network ? '' : ` on ${to.network}`}`
