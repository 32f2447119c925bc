import { Command } from 'commander'
import { action } from '../../cli/command-action.ts'
import type { Cli } from '../../cli/command-run-types.ts'
import { duration } from '../../cli/options/global-options.ts'
import type { View } from '../../cli/output/view-types.ts'
import type { CommandContext } from '../../cli/program-context-types.ts'
import { confirm } from '../../cli/prompts.ts'
import { recipientOf } from '../../cli/recipient.ts'
import { decimal } from '../../cli/terminal/format.ts'
import { parseAmount, tokenAmount } from '../../domain/amount.ts'
import { btc } from '../../domain/bitcoin.ts'
import type { OptionsOf } from '../../domain/command-line/flags.ts'
import { AppError } from '../../domain/errors.ts'
import type { SandboxStatus } from '../../domain/sandbox-status-type.ts'
import { sluice } from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { symbolMeant } from '../../domain/text/token-symbols.ts'
import { nativeToken } from '../../domain/token.ts'
import { addFault } from './fault.ts'

/** `sandbox`: the embedded chains. */
export const sandbox = (program: CommandContext) => {
  const command = new Command('sandbox').description(
    'Manage the sandbox: two local EVM chains with real protocol contracts.',
  )
  const add = (name: string, description: string, example: string) =>
    command.command(name).description(description).addHelpText('after', `\nExample:\n  $ ${example}`)
  add('up', 'Start the sandbox. Other commands start it automatically.', 'sluice sandbox up').action(
    action(program, async (cli: Cli) => cli.emit(await program.sandbox.up(), statusView)),
  )
  add('down', 'Save the sandbox and stop it.', 'sluice sandbox down').action(
    action(program, async (cli: Cli) => {
      const { running } = await program.sandbox.status()
      cli.emit(await program.sandbox.down(), () =>
        running ? 'The sandbox is saved and stopped.' : 'The sandbox was not running.',
      )
    }),
  )
  add('status', 'Show networks, funded accounts and tokens.', 'sluice sandbox status --json').action(
    action(program, async (cli: Cli) => cli.emit(await program.sandbox.status(), statusView)),
  )
  add(
    'reset',
    'Reset the sandbox to its initial state. Everything done in it is lost.',
    'sluice sandbox reset --yes',
  ).action(
    action(program, async (cli: Cli) => {
      await confirm(cli.io, cli.globals, 'Reset the sandbox? Everything done in it is lost')
      cli.emit(await program.sandbox.reset(), statusView)
    }),
  )
  add(
    'fund',
    'Fund an address with native coins and tokens on both networks.',
    'sluice sandbox fund 0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC --token USDC --amount 500',
  ).action(action(program, fund))
  add('warp', 'Move the clocks of both networks forward.', 'sluice sandbox warp 30d').action(
    action(program, async (cli: Cli, text: string) => {
      const seconds = Math.round(duration(text) / 1000)
      if (seconds < 1 || seconds > 3_153_600_000)
        throw new AppError('USAGE', 'The duration must be from one second to a hundred years')
      cli.emit(await program.sandbox.warp(seconds), statusView)
    }),
  )
  add(
    'pay-bitcoin',
    'Send a payment on the Bitcoin chain of the sandbox, as a wallet would. The payment is in a block after a few seconds.',
    'sluice sandbox pay-bitcoin bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080 0.01',
  ).action(action(program, payBitcoin))
  addFault(command, program)
  return command
}

const statusView: View<SandboxStatus> = (
  { running, pid, chains, accounts, tokens, faults = [] },
  to,
  line,
) => {
  if (!running) return `The sandbox is not running. Start it: ${line(sluice('sandbox up'))}`
  return [
    `${to.paint.green('running')} ${to.paint.dim(`process ${pid}`)}`,
    ...chains.map(({ network, chainId, rpcUrl, blockNumber }) => {
      const here = tokens.filter((token) => token.network === network).map(({ symbol }) => symbol)
      return `  ${network} (${chainId})  ${rpcUrl}  block ${blockNumber}\n    ${to.paint.dim(`tokens ${here.join(', ')}`)}`
    }),
    ...accounts.filter((account) => account.default).map((account) => `  account ${account.address}`),
    ...faults.map(({ text }) => `  ${to.paint.yellow('fault')} ${sanitizeText(text)}`),
  ].join('\n')
}

async function payBitcoin(
  cli: Cli,
  to: string,
  amount: string,
  { memo, replace }: OptionsOf<'sandbox pay-bitcoin'>,
): Promise<void> {
  const satoshi = parseAmount(amount, btc, 'operand')
  const txid = await cli.program.sandbox.payBitcoin({ address: to, amount: satoshi, memo, replaces: replace })
  cli.emit({ txid, address: to, amount: tokenAmount(satoshi, btc) }, ({ txid: hash }) => hash)
}

async function fund(cli: Cli, text: string, options: OptionsOf<'sandbox fund'>): Promise<void> {
  const to = await recipientOf(cli, text, 'A recipient')
  if (options.amount !== undefined && options.token === undefined)
    throw new AppError('USAGE', '--amount needs --token', {
      next: sluice('sandbox fund', to, { '--token': 'USDC', '--amount': options.amount }),
    })
  const grants = await cli.program.sandbox.fund(to, await wanted(cli, options))
  cli.emit(
    {
      to,
      grants: grants.map(({ network, token, amount }) => ({
        network,
        address: token.address,
        ...tokenAmount(amount, token),
      })),
    },
    (value) =>
      value.grants
        .map(({ network, formatted, symbol }) => `${network}  ${decimal(formatted)} ${sanitizeText(symbol)}`)
        .join('\n'),
  )
}

async function wanted(
  cli: Cli,
  { token: symbol, amount }: OptionsOf<'sandbox fund'>,
): Promise<{ symbol: string; amount?: bigint } | undefined> {
  if (symbol === undefined) return undefined
  const { networks, tokens } = await cli.backend.catalog()
  const all = [...networks.map(nativeToken), ...tokens]
  const token = all.find((one) => one.symbol.toLowerCase() === symbol.toLowerCase())
  const symbols = all.map((one) => one.symbol)
  if (!token)
    throw new AppError(
      'UNKNOWN_TOKEN',
      `The sandbox has no token "${sanitizeText(symbol)}"${symbolMeant(symbol, symbols)}`,
      { next: sluice('sandbox status') },
    )
  return {
    symbol: token.symbol,
    ...(amount !== undefined && { amount: parseAmount(amount, token, '--amount') }),
  }
}
