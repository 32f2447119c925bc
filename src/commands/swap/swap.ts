import { Command, Option } from 'commander'
import { action } from '../../cli/cli.ts'
import { checked } from '../../cli/options/checked-values.ts'
import { duration } from '../../cli/options/global-options.ts'
import { address, slippage, withSigning } from '../../cli/options/signing-options.ts'
import { withRaw } from '../../cli/output/raw.ts'
import type { World } from '../../cli/world.ts'
import { execute } from './execute.ts'
import { list, quote, status } from './quote-status-list.ts'

const withQuote = (command: Command): Command =>
  command
    .option('--from <network>', 'origin network')
    .option('--to <network>', 'destination network; the origin by default')
    .option('--token-in <token>', 'symbol or address')
    .option('--token-out <token>', 'symbol or address')
    .option('--amount-in <amount>', 'spend exactly this')
    .option('--amount-out <amount>', 'receive exactly this')
    .option(
      '--destination <address>',
      'who receives; the sender by default',
      checked((text) => address(text, '--destination')),
    )
    .option(
      '--refund <address>',
      'who gets a refund',
      checked((text) => address(text, '--refund')),
    )
    .option('--provider <name>', 'only this provider')
    .option('--slippage <slippage>', 'with its unit: 0.5% or 50bps', checked(slippage))
    .option('--fee-sponsorship', 'ask the bridge to pay the fees, where one does')
    .addOption(
      new Option('--speed <speed>', 'of a bridge; without it, what brings more').choices([
        'fast',
        'standard',
      ]),
    )

/** `swap`: quotes and swaps. */
export const swap = (world: World) => {
  const command = new Command('swap').description('Quote and execute swaps, on one chain and across chains.')
  withRaw(withQuote(command.command('quote')))
    .description('The best quote for a swap. It lives for five minutes.')
    .addHelpText(
      'after',
      '\nExample:\n  $ sluice swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-in 100',
    )
    .action(action(world, quote, 'quote'))
  withSigning(withQuote(command.command('execute')))
    .description('Execute a quote by its id, or ask for one with the flags of quote and execute it.')
    .argument('[quote-id]', 'the id that swap quote gave')
    .addOption(
      new Option(
        '--accept-min-out <amount>',
        'the least that it must bring, in units of the token out',
      ).helpGroup('Safety:'),
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ sluice swap execute --from sandbox-one --token-in USDC --token-out WETH --amount-in 100\n  $ sluice swap execute --from sandbox-one --to sandbox-two --token-in USDC --token-out USDC --amount-in 100',
    )
    .action(action(world, execute))
  withRaw(command.command('status'))
    .description('Where a swap stands, with the hashes of both chains.')
    .argument('<quote-id>', 'the id that swap quote gave, or the id or the idempotency key of its action')
    .option('--btc-tx <hash>', 'the Bitcoin transaction of a deposit, where a route begins there')
    .option('--watch', 'until it is final; the exit code says how it ended')
    .option('--interval <duration>', 'how often --watch looks', checked(duration), '2s')
    .addHelpText('after', '\nExample:\n  $ sluice swap status 0f8fad5b-d9cb-469f-a165-70867728950e --watch')
    .action(action(world, status, 'swapStatus'))
  withRaw(command.command('list'))
    .description('The quotes that were given, newest first.')
    .option('--from <network>', 'origin network')
    .option('--to <network>', 'destination network')
    .option('--provider <name>', 'only this provider')
    .option('--page <n>', 'which page', '1')
    .option('--limit <n>', 'rows a page, at most 100', '10')
    .addHelpText('after', '\nExample:\n  $ sluice swap list --provider uniswap-v3')
    .action(action(world, list, 'listQuotes'))
  return command
}
