import { Command } from 'commander'
import { pageOf } from '../../api/page.ts'
import { action } from '../../cli/command-action.ts'
import type { Cli } from '../../cli/command-run-types.ts'
import { wholeNumber } from '../../cli/options/option-values.ts'
import type { CommandContext } from '../../cli/program-context-types.ts'
import { isWithoutList } from '../../cli/read-all-pages.ts'
import { statusOfListed } from '../../cli/swap-status-by-id.ts'
import { quoteJson } from '../../cli/views/json-documents.ts'
import { quoteColumns } from '../../cli/views/list-columns.ts'
import { bitcoinNetwork } from '../../domain/bitcoin.ts'
import type { OptionsOf } from '../../domain/command-line/flags.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/networks.ts'
import { advice, sluice } from '../../domain/text/next-step.ts'
import { execute } from './execute.ts'
import { quote } from './quote.ts'
import { status } from './status.ts'

/** `swap`: quotes and swaps. */
export const swap = (program: CommandContext) => {
  const command = new Command('swap').description(
    'Quote and execute swaps, on one network or across networks.',
  )
  command
    .command('quote')
    .description('Get the best quote for a swap. It is valid for five minutes.')
    .addHelpText(
      'after',
      '\nExample:\n  $ sluice swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-in 100',
    )
    .action(action(program, quote, 'quote'))
  command
    .command('execute')
    .description('Execute a quote by its ID, or get a quote with the flags of quote and execute it.')
    .addHelpText(
      'after',
      '\nExamples:\n  $ sluice swap execute --from sandbox-one --token-in USDC --token-out WETH --amount-in 100\n  $ sluice swap execute --from sandbox-one --to sandbox-two --token-in USDC --token-out USDC --amount-in 100\n  $ sluice swap execute --from bitcoin --token-in BTC --to sandbox-one --token-out USDC --amount-in 0.01 --refund bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
    )
    .action(action(program, execute))
  command
    .command('status')
    .description('Show the status of a swap, with the transaction hashes on both networks.')
    .addHelpText('after', '\nExample:\n  $ sluice swap status 0f8fad5b-d9cb-469f-a165-70867728950e --watch')
    .action(action(program, status, 'swapStatus'))
  command
    .command('list')
    .description('List quotes, newest first.')
    .addHelpText('after', '\nExample:\n  $ sluice swap list --provider uniswap-v3')
    .action(action(program, list, 'listQuotes'))
  return command
}

/** `swap list` */
async function list(cli: Cli, options: OptionsOf<'swap list'>): Promise<void> {
  const [page, limit] = [wholeNumber(options.page, '--page'), wholeNumber(options.limit, '--limit', 100)]
  const { networks: known, bitcoin } = await cli.backend.catalog()
  const networks = bitcoin ? [...known, bitcoinNetwork] : known
  const [from, to] = [options.from, options.to].map((name) =>
    name === undefined ? undefined : networkNamed(networks, name),
  )
  const answer = await (await cli.service())
    .listQuotes({
      page,
      limit,
      ...(from && { originChain: from.name }),
      ...(to && { destinationChain: to.name }),
      ...(options.provider !== undefined && { provider: options.provider }),
    })
    .catch(async (error: unknown) => {
      if (cli.backend.kind !== 'remote' || !(error instanceof AppError) || !isWithoutList(error)) throw error
      cli.notice(
        'This deployment of the service has no list of quotes, so only those that this machine received in the last day are listed.',
      )
      const own = await (await cli.program.quotes()).ofProfile(cli.backend.profile)
      const wanted = own.filter(
        (one) =>
          (from === undefined || one.from.chainId === from.chainId) &&
          (to === undefined || one.to.chainId === to.chainId) &&
          (options.provider === undefined || one.provider === options.provider),
      )
      return pageOf(wanted, { page, limit })
    })
  const items = await Promise.all(
    answer.items.map(async (quote) => ({ ...quote, status: await statusOfListed(cli, quote) })),
  )
  await cli.list(
    { ...answer, items: items.map(quoteJson) },
    {
      columns: quoteColumns,
      empty: advice`No quotes. Get one: ${sluice('swap quote', { '--help': true })}`,
    },
  )
}
