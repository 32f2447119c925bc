import { Command, Option } from 'commander'
import { pageOf } from '../../api/page.ts'
import { action } from '../../cli/command-action.ts'
import type { Cli } from '../../cli/command-run-types.ts'
import { duration } from '../../cli/options/global-options.ts'
import { refundAddress, slippage, validatedBy, wholeNumber } from '../../cli/options/option-values.ts'
import { withSigning } from '../../cli/options/signer-and-safety-options.ts'
import { withRaw } from '../../cli/output/raw-answers.ts'
import type { CommandContext } from '../../cli/program-context-types.ts'
import { isWithoutList } from '../../cli/read-all-pages.ts'
import { recipientForm } from '../../cli/recipient.ts'
import { statusOfListed } from '../../cli/swap-status-by-id.ts'
import { quoteJson } from '../../cli/views/json-documents.ts'
import { quoteColumns } from '../../cli/views/list-columns.ts'
import { bitcoinNetwork } from '../../domain/bitcoin.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/networks.ts'
import { advice, adviceText, sluice } from '../../domain/text/next-step.ts'
import { execute } from './execute.ts'
import { quote } from './quote.ts'
import { status } from './status.ts'

const withQuote = (command: Command): Command =>
  command
    .option('--from <network>', 'origin network, or bitcoin')
    .option('--to <network>', 'destination network (default: the origin)')
    .option('--token-in <token>', 'symbol or address')
    .option('--token-out <token>', 'symbol or address')
    .option('--amount-in <amount|max>', 'amount to spend, exactly; max or 50% of the balance')
    .option('--amount-out <amount>', 'amount to receive, exactly')
    .option(
      '--destination <address>',
      'recipient: an address, or the name of a wallet of this machine (default: the sender)',
      validatedBy((text) => recipientForm(text, '--destination')),
    )
    .option(
      '--refund <address>',
      'recipient of a refund; a Bitcoin address for swaps from bitcoin',
      validatedBy((text) => refundAddress(text)),
    )
    .option('--provider <name>', 'only this provider')
    .option('--slippage <slippage>', 'maximum slippage, with its unit: 0.5% or 50bps', validatedBy(slippage))
    .option('--fee-sponsorship', 'ask the bridge to sponsor the fees, if it can')
    .addOption(
      new Option('--speed <speed>', 'bridge speed (default: the one with the higher output)').choices([
        'fast',
        'standard',
      ]),
    )

/** `swap`: quotes and swaps. */
export const swap = (program: CommandContext) => {
  const command = new Command('swap').description(
    'Quote and execute swaps, on one network or across networks.',
  )
  withRaw(withQuote(command.command('quote')))
    .description('Get the best quote for a swap. It is valid for five minutes.')
    .option('--wallet <name>', 'keystore or address of the payer, whose balance is compared with the quote')
    .option(
      '--compare [names]',
      'list the quotes of all providers, or of those named (separated by commas), the best first',
    )
    .addHelpText(
      'after',
      '\nExample:\n  $ sluice swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-in 100',
    )
    .action(action(program, quote, 'quote'))
  withSigning(withQuote(command.command('execute')), 'exchange')
    .description('Execute a quote by its ID, or get a quote with the flags of quote and execute it.')
    .argument('[quote-id]', 'quote ID, as printed by swap quote, or its beginning')
    .option(
      '--compare [names]',
      'choose among the quotes of all providers, or of those named (separated by commas)',
    )
    .addOption(
      new Option('--accept-min-out <amount>', 'minimum output, in units of the output token').helpGroup(
        'Safety:',
      ),
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ sluice swap execute --from sandbox-one --token-in USDC --token-out WETH --amount-in 100\n  $ sluice swap execute --from sandbox-one --to sandbox-two --token-in USDC --token-out USDC --amount-in 100\n  $ sluice swap execute --from bitcoin --token-in BTC --to sandbox-one --token-out USDC --amount-in 0.01 --refund bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
    )
    .action(action(program, execute))
  withRaw(command.command('status'))
    .description('Show the status of a swap, with the transaction hashes on both networks.')
    .argument('<quote-id>', 'quote ID or action ID, its beginning, idempotency key or transaction hash')
    .option('--btc-tx <hash>', 'hash of the Bitcoin deposit, for routes from Bitcoin')
    .option(
      '--watch',
      'wait until final; the exit code gives the outcome; with --json, each change is a line',
    )
    .option(
      '--interval <duration>',
      'polling interval of --watch; a remote service that announces changes is read when it does, and every minute',
      validatedBy(duration),
      '2s',
    )
    .addHelpText('after', '\nExample:\n  $ sluice swap status 0f8fad5b-d9cb-469f-a165-70867728950e --watch')
    .action(action(program, status, 'swapStatus'))
  withRaw(command.command('list'))
    .description('List quotes, newest first.')
    .option('--from <network>', 'origin network')
    .option('--to <network>', 'destination network')
    .option('--provider <name>', 'only this provider')
    .option('--page <n>', 'page number', '1')
    .option('--limit <n>', 'rows per page, at most 100', '10')
    .addHelpText('after', '\nExample:\n  $ sluice swap list --provider uniswap-v3')
    .action(action(program, list, 'listQuotes'))
  return command
}

/** `swap list` */
async function list(
  cli: Cli,
  options: { from?: string; to?: string; provider?: string; page: string; limit: string },
): Promise<void> {
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
      empty: adviceText(advice`No quotes. Get one: ${sluice('swap quote', { '--help': true })}`),
    },
  )
}
