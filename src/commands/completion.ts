import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Argument, Command } from 'commander'
import { localAction } from '../cli/command-action.ts'
import type { LocalCli } from '../cli/command-run-types.ts'
import type { CommandContext } from '../cli/program-context-types.ts'

/** The shells that there are completions for, with the file of each in `completions`. */
const shells = { bash: 'sluice.bash', zsh: '_sluice', fish: 'sluice.fish', powershell: 'sluice.ps1' } as const

/** `completion`: prints the completion script of a shell. */
export const completion = (program: CommandContext) =>
  new Command('completion')
    .addArgument(new Argument('<shell>').choices(Object.keys(shells)))
    .description(
      'Print the completion script of a shell. The script completes strategies, IDs, profiles and wallets from this machine and never uses the network.',
    )
    .addHelpText('after', '\nExample:\n  $ sluice completion bash >> ~/.bashrc')
    .action(localAction(program, print))

async function print(cli: LocalCli, shell: keyof typeof shells): Promise<void> {
  const path = join(import.meta.dirname, '..', '..', 'completions', shells[shell])
  cli.emit({ shell, script: readFileSync(path, 'utf8') }, ({ script }) => script.trimEnd())
}
