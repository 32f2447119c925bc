import { Command } from 'commander'
import { action } from '../cli/command-action.ts'
import type { Cli } from '../cli/command-run-types.ts'
import type { CommandContext } from '../cli/program-context-types.ts'
import { dollars, percent } from '../cli/terminal/format.ts'
import { fieldTable } from '../cli/terminal/table.ts'
import { strategyJson } from '../cli/views/json-documents.ts'
import { walletAddress } from '../cli/wallet-address.ts'
import { parseAmount, tokenAmount } from '../domain/amount.ts'
import type { ApyBasis } from '../domain/apy-basis.ts'
import type { OptionsOf } from '../domain/command-line/flags.ts'
import { AppError } from '../domain/errors.ts'
import { networkNamed } from '../domain/networks.ts'
import { type Next, sluice } from '../domain/text/next-step.ts'
import { sanitizeText } from '../domain/text/terminal-sanitizing.ts'
import type { Unit } from '../domain/token.ts'

type Options = OptionsOf<'yield recommend'>

/** `yield recommend`: the best strategy for an asset or a category. */
export const yieldCommand = (program: CommandContext) => {
  const command = new Command('yield').description('Recommend the best strategy.')
  command
    .command('recommend')
    .description(
      'Recommend the open strategy with the highest APY for an asset or a category; with --wallet and --amount, also the transactions.',
    )
    .addHelpText('after', '\nExample:\n  $ sluice yield recommend USDC')
    .action(action(program, recommend, 'recommend'))
  return command
}

async function recommend(cli: Cli, identifier: string, options: Options): Promise<void> {
  if ((options.wallet === undefined) !== (options.amount === undefined))
    throw new AppError('USAGE', '--wallet and --amount must be given together', {
      next: sluice('yield recommend', identifier, {
        '--wallet': options.wallet ?? 'ADDR',
        '--amount': options.amount ?? 'AMOUNT',
      }),
    })
  const { networks } = await cli.backend.catalog()
  const between = {
    ...(options.from !== undefined && { from: networkNamed(networks, options.from).name }),
    ...(options.to !== undefined && { to: networkNamed(networks, options.to).name }),
  }
  const service = await cli.service()
  const best = await service.recommend({ identifier, action: options.action, ...between })
  // The amount is in units of the recommended strategy's asset, so the request is repeated with it.
  const full =
    options.wallet === undefined || options.amount === undefined
      ? best
      : await service.recommend({
          identifier,
          action: options.action,
          ...between,
          wallet: await walletAddress(cli, options.wallet),
          amount: parseAmount(options.amount, best.strategy.asset, '--amount'),
        })
  const { recommendedStrategyId, destinationChain, strategy, spotPosition, transactions, compared } = full
  cli.emit(
    {
      recommendedStrategyId,
      destinationChain,
      strategy: strategyJson(strategy),
      spotPosition: spotJson(spotPosition, strategy.asset),
      transactions,
      compared,
    },
    (value, to) =>
      [
        fieldTable(
          [
            ['recommended', to.paint.bold(sanitizeText(value.strategy.slug))],
            ['network', sanitizeText(value.destinationChain)],
            ['apy', `${to.paint.green(percent(value.strategy.apy))}${basisOf(value.strategy.apyBasis)}`],
            ...comparedLines(value.compared ?? [], value.strategy),
            ['tvl', dollars(value.strategy.tvlUsd)],
            value.transactions && ['transactions', String(value.transactions.length)],
          ],
          to,
        ),
        to.paint.dim(`next  ${cli.line(nextAfter(value.strategy, options, between.from))}`),
      ].join('\n'),
  )
}

const words: Record<ApyBasis, string> = { current: 'paid now', 'trailing-7d': 'growth over the last 7 days' }
const ranked: Record<ApyBasis, string> = {
  current: 'their current rate',
  'trailing-7d': words['trailing-7d'],
}
const basisOf = (basis: ApyBasis | null): string => (basis === null ? '' : `, ${words[basis]}`)

/** Rates of different kinds are not compared; the best of the other kind is also shown. */
function comparedLines(
  compared: readonly { apyBasis: ApyBasis; count: number; best: string; apy: number }[],
  { slug, apyBasis }: { slug: string; apyBasis: ApyBasis | null },
): (readonly [string, string])[] {
  if (compared.length === 0) return []
  const counted = compared.map((one) => `${one.count} by ${ranked[one.apyBasis]}`).join(', ')
  const other = compared.find((one) => one.apyBasis !== apyBasis && one.best !== slug)
  return [
    ['compared', counted],
    ...(other
      ? ([[`best ${other.apyBasis}`, `${percent(other.apy)} ${sanitizeText(other.best)}`]] as const)
      : []),
  ]
}

/** The next command for the recommendation. An amount that nobody named stays open. */
function nextAfter(
  { slug, network }: { slug: string; network: string },
  { action: what, amount }: Options,
  from: string | undefined,
): Next {
  if (what !== 'lend') return sluice('withdraw', slug, { '--amount': amount ?? 'max' })
  const isElsewhere = from !== undefined && from !== network
  return sluice('deposit', slug, {
    '--amount': amount ?? 'AMOUNT',
    '--from': isElsewhere ? from : undefined,
  })
}

/** The current market state, with its liquidity as an amount. */
function spotJson(spot: Record<string, unknown> | null, unit: Unit): Record<string, unknown> | null {
  const liquidity = spot?.liquidity
  return typeof liquidity === 'string' && /^[0-9]+$/.test(liquidity)
    ? { ...spot, liquidity: tokenAmount(BigInt(liquidity), unit) }
    : spot
}
