import { Command } from 'commander'
import { action } from '../../cli/command-action.ts'
import { factsHelp } from '../../cli/conditions/parse-conditions.ts'
import type { CommandContext } from '../../cli/program-context-types.ts'
import { addApprovals } from './approvals.ts'
import { balances } from './balances.ts'
import { exportKeystore, importKey, listWallets, newWallet, removeWallet, useWallet } from './keystores.ts'
import { forgetWallet, rememberWallet } from './remember-password.ts'
import { show } from './show.ts'
import { walletFacts, watch } from './watch.ts'

/** `wallet`: positions, and the encrypted keystores. */
export const wallet = (program: CommandContext) => {
  const command = new Command('wallet').description(
    'Show positions and balances of a wallet; manage encrypted keystores.',
  )
  command
    .command('show')
    .description(
      'Show the positions of a wallet with principal, profit and USD value (default: your own wallet).',
    )
    .addHelpText('after', '\nExample:\n  $ sluice wallet show')
    .action(action(program, show, 'getWallet'))
  command
    .command('balances')
    .description(
      'Show the coins and tokens that a wallet holds on all networks, with USD value (default: your own wallet).',
    )
    .addHelpText('after', '\nExample:\n  $ sluice wallet balances')
    .action(action(program, balances))
  command
    .command('watch')
    .description(
      'Watch conditions of a wallet, and print a line when one begins or ceases to be met. Each change is printed once, also across runs.',
    )
    .addHelpText(
      'after',
      `\nConditions:\n${factsHelp(walletFacts)}\n\nExample:\n  $ sluice wallet watch --when 'health<1.2' --no-wait`,
    )
    .action(action(program, watch))
  command
    .command('list')
    .description('List the keystores on this machine.')
    .addHelpText('after', '\nExample:\n  $ sluice wallet list')
    .action(action(program, listWallets))
  command
    .command('new')
    .description('Create a new key in an encrypted keystore.')
    .addHelpText('after', '\nExample:\n  $ sluice wallet new main')
    .action(action(program, newWallet))
  command
    .command('import')
    .description(
      'Import an existing key into an encrypted keystore: a raw key, or the keystore of another wallet, from a file or a prompt.',
    )
    .addHelpText('after', '\nExample:\n  $ sluice wallet import main --key-file ./key')
    .action(action(program, importKey))
  command
    .command('export')
    .description('Print the encrypted keystore. cast and geth can read it.')
    .addHelpText('after', '\nExample:\n  $ sluice wallet export main > main.json')
    .action(action(program, exportKeystore))
  command
    .command('remove')
    .description('Remove a keystore permanently.')
    .addHelpText('after', '\nExample:\n  $ sluice wallet remove old')
    .action(action(program, removeWallet))
  command
    .command('use')
    .description('Set the default signing keystore; without a name, clear it.')
    .addHelpText('after', '\nExample:\n  $ sluice wallet use main')
    .action(action(program, useWallet))
  command
    .command('remember')
    .description(
      'Save the password of a keystore in the desktop keychain, to sign without a password prompt.',
    )
    .addHelpText('after', '\nExample:\n  $ sluice wallet remember main')
    .action(action(program, rememberWallet))
  command
    .command('forget')
    .description('Delete the saved password of a keystore from the keychain; the keystore stays.')
    .addHelpText('after', '\nExample:\n  $ sluice wallet forget main')
    .action(action(program, forgetWallet))
  addApprovals(command, program)
  return command
}
