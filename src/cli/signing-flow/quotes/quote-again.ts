import { formatUnits } from 'viem/utils'
import { isOnBitcoin } from '../../../domain/bitcoin.ts'
import { AppError } from '../../../domain/errors.ts'
import { advice, isNext, type Next, sluice, withFlags } from '../../../domain/text/next-step.ts'
import { nativeToken, tokenAt } from '../../../domain/token.ts'
import type { AskedQuote } from '../../asked-quote-types.ts'
import type { Cli } from '../../command-run-types.ts'

/** The command that requests a quote again: the same networks, tokens, exact amount and terms. */
export async function quoteCommand(
  cli: Cli,
  { quote, exact, slippage, destination, speed, isNamed }: AskedQuote,
): Promise<Next> {
  const { networks, tokens } = await cli.backend.catalog()
  const { from, to, tokenIn, tokenOut, refundAddress } = quote
  const named = (token: typeof tokenIn): string => {
    const network = networks.find(({ chainId }) => chainId === token.chainId)
    if (!network) return token.address
    const here = [nativeToken(network), ...tokens.filter(({ chainId }) => chainId === network.chainId)]
    const symbol = tokenAt(here, network.chainId, token.address)?.symbol
    const isOnly = here.filter((one) => one.symbol.toLowerCase() === symbol?.toLowerCase()).length === 1
    return symbol !== undefined && isOnly ? symbol : token.address
  }
  const terms: Record<string, string | null | undefined> = {
    from: from.network,
    to: to.chainId === from.chainId ? null : to.network,
    'token-in': isOnBitcoin(from) ? tokenIn.symbol : named(tokenIn),
    'token-out': named(tokenOut),
    'amount-in': exact === 'in' ? formatUnits(tokenIn.amount, tokenIn.decimals) : null,
    'amount-out': exact === 'out' ? formatUnits(tokenOut.amount, tokenOut.decimals) : null,
    destination,
    refund: refundAddress,
    provider: isNamed ? quote.provider : null,
    slippage: slippage === null ? null : `${Number((slippage * 10_000).toFixed(6))}bps`,
    speed,
  }
  const flags = Object.fromEntries(
    Object.entries(terms).flatMap(([flag, value]) => (value ? [[`--${flag}`, value]] : [])),
  )
  return sluice('swap quote', flags)
}

/** Replaces the hint of an expired quote, or of one whose slippage the policy refuses, by the command that requests it again. */
export async function withQuoteAgain(cli: Cli, error: unknown, asked: AskedQuote): Promise<unknown> {
  if (!(error instanceof AppError)) return error
  if (error.code === 'QUOTE_EXPIRED')
    return error.with({ next: advice`Get a new quote: ${await quoteCommand(cli, asked)}` })
  if (error.details?.rule !== 'maxSlippage') return error
  const most = error.next?.find(isNext)?.flags['--slippage']
  if (most === undefined) return error
  const command = withFlags(await quoteCommand(cli, asked), { '--slippage': most })
  return error.with({ next: advice`Get a quote within the policy: ${command}` })
}
