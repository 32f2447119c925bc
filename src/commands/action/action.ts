import { Command } from 'commander'
import { action } from '../../cli/command-action.ts'
import type { Cli } from '../../cli/command-run-types.ts'
import type { CommandContext } from '../../cli/program-context-types.ts'
import { type ResumeOptions, resumeOperation } from '../../cli/signing-flow/resume-operation.ts'
import { abandonAction } from './abandon.ts'
import { addDeliver } from './deliver.ts'
import { addExplain } from './explain.ts'
import { addEvidence } from './export-and-verify.ts'
import { listActions } from './list.ts'
import { addReplan } from './replan.ts'
import { addRevoke } from './revoke.ts'
import { showAction } from './show.ts'
import { addReplacements } from './speed-up-cancel.ts'
import { addSubmit } from './submit.ts'
import { watch } from './watch.ts'

/** `action`: lists, shows and continues the actions of this machine. */
export const actionCommand = (program: CommandContext) => {
  const command = new Command('action').description('Show, watch and resume actions.')
  command
    .command('list')
    .description("List the actions in this machine's journal, newest first.")
    .addHelpText('after', '\nExample:\n  $ sluice action list --status PENDING')
    .action(action(program, listActions))
  command
    .command('show')
    .description('Show an action: its transactions, receipts and revert reasons.')
    .addHelpText('after', '\nExample:\n  $ sluice action show 0f8fad5b-d9cb-469f-a165-70867728950e')
    .action(action(program, showAction, 'getAction'))
  command
    .command('watch')
    .description(
      'Follow actions until they finish; the exit code gives the outcome. Signs nothing. With --json, each change is a line (NDJSON).',
    )
    .addHelpText(
      'after',
      '\nExample:\n  $ sluice action watch 0f8fad5b-d9cb-469f-a165-70867728950e --timeout 10m',
    )
    .action(action(program, watch))
  command
    .command('resume')
    .description('Resume an action after a crash, a timeout or Ctrl-C. Never pays a step twice.')
    .addHelpText('after', '\nExample:\n  $ sluice action resume 0f8fad5b-d9cb-469f-a165-70867728950e')
    .action(
      action(program, (cli: Cli, id: string, options: ResumeOptions) =>
        resumeOperation(cli, id, options, undefined),
      ),
    )
  addReplacements(command, program)
  command
    .command('abandon')
    .description(
      'Close an action and drop its unsigned steps. Refused while a signed transaction is pending.',
    )
    .addHelpText('after', '\nExample:\n  $ sluice action abandon 0f8fad5b-d9cb-469f-a165-70867728950e')
    .action(action(program, abandonAction))
  addSubmit(command, program)
  addReplan(command, program)
  addRevoke(command, program)
  addDeliver(command, program)
  addEvidence(command, program)
  addExplain(command, program)
  return command
}
