import { Command } from 'commander'
import { commandInterruptedError } from '../../cli/classify-failure.ts'
import { cliFor, optionsOf } from '../../cli/command-action.ts'
import type { Cli } from '../../cli/command-run-types.ts'
import { writeText } from '../../cli/output/document-writer.ts'
import type { CommandContext } from '../../cli/program-context-types.ts'
import type { Exit } from '../../domain/error-table.ts'
import { AppError } from '../../domain/errors.ts'
import { sluice } from '../../domain/text/next-step.ts'
import { balanceSheet } from './balance-reconciliation.ts'
import { type Play, steps } from './steps.ts'

/** `demo`: the whole main job on the sandbox, narrated, each step checked against the chain itself. */
export const demo = (program: CommandContext) =>
  new Command('demo')
    .description(
      'Guided tour on the sandbox: list, recommend, deposit, positions, history, swap on one chain and across two, watch, withdraw. Each step is verified on chain over raw JSON-RPC.',
    )
    .addHelpText('after', '\nExample:\n  $ sluice demo')
    .action(async (_options: object, command: Command) =>
      perform(await cliFor(program, { ...(await optionsOf(command, program)), profile: 'sandbox' })),
    )

type ExecutedStep = { title: string; command: string; exit: Exit; result: unknown; verified: string[] }

async function perform(cli: Cli): Promise<void> {
  const began = performance.now()
  const { paint } = cli.io.out
  const tell = (text: string) => {
    if (!cli.globals.json && !cli.globals.quiet) writeText(cli.io, text)
  }
  const executed: ExecutedStep[] = []
  const { accounts } = await cli.program.sandbox.up()
  const me = accounts.find((account) => account.default)!.address
  const play: Play = {
    cli,
    me,
    run: async (title, command, check) => {
      tell(`\n${paint.bold(`${executed.length + 1}. ${title}`)}\n${paint.cyan(`$ sluice ${command}`)}`)
      const { exit, out, values } = await cli.program.run(command.split(' '), { as: 'newcomer' })
      if (out !== '') tell(out.trimEnd())
      if (exit !== 0 && cli.program.interrupt.signal.aborted)
        throw commandInterruptedError({ command: 'demo' })
      if (exit !== 0)
        throw new AppError(
          'DEMO_FAILED',
          `Step ${executed.length + 1} ended with exit code ${exit}: sluice ${command}`,
          // An unfinished action of an earlier demo is resumed or abandoned.
          exit === 10 || exit >= 20 ? { next: sluice('action list', { '--status': 'PENDING' }) } : {},
        )
      const result = values.at(-1)
      const verified: string[] = []
      executed.push({ title, command: `sluice ${command}`, exit, result, verified })
      await check?.(result as never, (claim, holds) => {
        if (!holds)
          throw new AppError('DEMO_FAILED', `The chain does not confirm: ${claim}`, {
            details: { step: executed.length, command: `sluice ${command}` },
          })
        verified.push(claim)
        tell(`${paint.green('✓')} ${paint.dim(`on chain: ${claim}`)}`)
      })
      return result as never
    },
  }
  const sheet = await balanceSheet(cli, me)
  const hashes = await steps(play)
  const balances = await sheet.close(hashes)
  const seconds = (performance.now() - began) / 1000
  if (cli.globals.json) {
    cli.emit(
      { ok: true, seconds: Number(seconds.toFixed(1)), steps: executed, balances: balances.rows },
      () => '',
    )
    return
  }
  tell(`\n${paint.bold('Balances before and after')}\n${balances.table}`)
  tell(
    `${paint.green('✓')} ${paint.dim('on chain: every balance matches the receipts above, including gas')}`,
  )
  tell(
    `
Done in ${seconds.toFixed(1)} s: ${executed.length} commands, ${hashes.length} transactions. Try:
  $ sluice strategies list
  $ sluice deposit aave-v3-usdc-sandbox-one --amount 100`,
  )
}
