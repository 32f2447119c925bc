import type { Command } from 'commander'
import { action } from '../../cli/command-action.ts'
import type { Cli } from '../../cli/command-run-types.ts'
import { textOf } from '../../cli/options/file-arguments.ts'
import type { CommandContext } from '../../cli/program-context-types.ts'
import { referenceForPlan } from '../../cli/signing-flow/quotes/reference-quote.ts'
import { signAndSend } from '../../cli/signing-flow/sign-and-send.ts'
import { tellIfSigned } from '../../cli/signing-flow/tell-service.ts'
import type { OptionsOf } from '../../domain/command-line/flags.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/networks.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { readPlanFile } from '../../planning/read-plan-file.ts'

/** `action submit`: signs and sends a plan that was made before, on this or another machine. */
export const addSubmit = (command: Command, program: CommandContext): Command =>
  command
    .command('submit')
    .description(
      'Sign and send a plan made by --dry-run --json, on this machine or another. The plan is checked and simulated again. Its nonce is pinned, so it is sent at most once.',
    )
    .addHelpText(
      'after',
      '\nExample:\n  $ sluice deposit aave-v3-usdc-sandbox-one --amount 100 --dry-run --json > plan.json\n  $ sluice action submit plan.json',
    )
    .action(action(program, submit))

async function submit(cli: Cli, file: string, options: OptionsOf<'action submit'>): Promise<void> {
  const text = await textOf(file, cli.program)
  const catalog = await cli.backend.catalog()
  const { proposal, hash } = readPlanFile({ catalog }, text)
  const { wallet, nonce, request, ...proposed } = proposal
  cli.program.noteOperation(proposed.id)
  const { name } = networkNamed(catalog.networks, proposed.legs[0]!.chainId)
  const { wallet: _, ...asked } = request as Record<string, unknown>
  await signAndSend(
    cli,
    {
      ...options,
      ...(nonce !== null && { nonce: [String(nonce)] }),
      // A plan is executed once: its id is the idempotency key.
      idempotencyKey: options.idempotencyKey ?? proposed.id,
    },
    {
      title: `${sanitizeText(proposed.kind)} on ${name}, plan ${hash.slice(0, 12)}`,
      request: asked,
      wallet,
      chainId: proposed.legs[0]?.chainId ?? null,
      propose: async () => proposed,
      reference: () => referenceForPlan(cli, proposed),
    },
  )
    .catch((error: unknown) => {
      throw error instanceof AppError ? ofPlan(error) : error
    })
    .finally(async () => tellIfSigned(cli, await cli.backend.context(), proposed.id))
}

/** Adapts an error about a nonce that is too high: it is part of the plan. */
function ofPlan(error: AppError): AppError {
  if (error.code !== 'NONCE_GAP') return error
  return error.with({
    next: 'Submit the plans before it first, or make a new plan with the original command.',
  })
}
