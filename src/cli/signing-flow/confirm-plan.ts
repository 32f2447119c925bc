import type { Advice } from '../../domain/text/next-step.ts'
import type { Cli } from '../command-run-types.ts'
import { sanitizedFor } from '../output/document-writer.ts'
import { confirm } from '../prompts.ts'
import type { Plan } from '../views/call-view.ts'
import { planQuestion, planView } from '../views/plan-view.ts'

/**
 * Shows a checked plan and asks whether to sign it, for every command that signs a new plan. With `--yes` nobody reads the plan. `instead` is
 * the next step where there is no terminal.
 */
export async function confirmPlan(
  { io, globals }: Pick<Cli, 'io' | 'globals'>,
  plan: () => Plan,
  title: string,
  instead?: Advice,
): Promise<void> {
  if (globals.yes) return
  const shown = plan()
  if (!globals.quiet) io.err.write(`${sanitizedFor(planView(shown, title, io.err), io.err)}\n\n`)
  await confirm(io, globals, planQuestion(shown, title), instead)
}
