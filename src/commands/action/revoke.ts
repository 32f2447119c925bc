import type { Command } from 'commander'
import { action } from '../../cli/command-action.ts'
import type { Cli } from '../../cli/command-run-types.ts'
import { withPricedGas } from '../../cli/gas-in-usd.ts'
import type { CommandContext } from '../../cli/program-context-types.ts'
import { requireOperation } from '../../cli/signing-flow/find-operation.ts'
import { settleIfPending } from '../../cli/signing-flow/record-chain-results.ts'
import { reportFor } from '../../cli/signing-flow/report-in-errors.ts'
import { ownerOf, sameSigner } from '../../cli/signing-flow/resume-operation.ts'
import { revokeRequest } from '../../cli/signing-flow/revoke-request.ts'
import { signAndSend } from '../../cli/signing-flow/sign-and-send.ts'
import { operationView } from '../../cli/views/operation-view.ts'
import { unusedAllowances } from '../../diagnosis/remaining-allowances.ts'
import type { OptionsOf } from '../../domain/command-line/flags.ts'
import { AppError } from '../../domain/errors.ts'
import { sluice } from '../../domain/text/next-step.ts'
import { isSignerNamed } from '../../signing/signer.ts'
import { awaitsOnlyDelivery } from '../../transactions/bridge/pending-delivery.ts'
import { abandonWhenIdle } from '../../transactions/operations/abandon-operation.ts'

/** `action revoke`: revokes the unused allowances of an action. */
export const addRevoke = (command: Command, program: CommandContext): Command =>
  command
    .command('revoke')
    .description('Revoke the unused allowances of an action. Its unsigned steps are abandoned first.')
    .addHelpText('after', '\nExample:\n  $ sluice action revoke 0f8fad5b-d9cb-469f-a165-70867728950e')
    .action(action(program, revoke))

const unfinished = ['OPEN', 'EXECUTING', 'PARTIAL', 'ATTENTION']

async function revoke(cli: Cli, id: string, options: OptionsOf<'action revoke'>): Promise<void> {
  const context = await cli.backend.context()
  const known = requireOperation(context, id)
  const identity = await ownerOf(cli, known, options)
  const [first, ...rest] = await unusedAllowances(context, known)
  // A transaction that is pending in the journal may be final.
  const operation = first ? known : await settleIfPending(cli, context, known, options.dryRun === true)
  // A pending transaction may still grant an allowance.
  if (!first && operation.steps.some(({ state }) => state === 'SIGNED' || state === 'BROADCAST'))
    throw new AppError(
      'PENDING',
      `A transaction of ${operation.id} is pending, so its allowances are not known yet`,
      { details: { id: operation.id }, next: sluice('action resume', operation.id) },
    )
  if (!first)
    return cli.emit(
      { ...(await withPricedGas(cli, context, reportFor(context, operation))), allowancesLeft: [] },
      (value, to, line) =>
        [operationView(value, to, line), 'No allowance of this action remains.'].join('\n'),
    )
  // Without its allowance an open order cannot be filled; it stays what it is until it expires.
  const isOpen = unfinished.includes(operation.state) && !awaitsOnlyDelivery(operation)
  if (isOpen && options.dryRun)
    cli.notice(`the unsigned steps of ${operation.id} are dropped before this is signed`)
  const undertaking = await revokeRequest(cli, [first, ...rest], operation.id)
  await signAndSend(
    cli,
    { ...options, ...(!isSignerNamed(options) && sameSigner(identity)) },
    {
      ...undertaking,
      wallet: operation.wallet,
      ...(isOpen && {
        title: `Drop the unsigned steps of ${operation.id}. ${undertaking.title}`,
        replaces: { id: operation.id, close: () => abandonWhenIdle(context, operation) },
      }),
    },
  )
}
