import type { Command } from 'commander'
import { action } from '../../cli/command-action.ts'
import type { Cli } from '../../cli/command-run-types.ts'
import { unknownHash } from '../../cli/lookup/unknown-hash.ts'
import type { CommandContext } from '../../cli/program-context-types.ts'
import { findOperation, requireOperation } from '../../cli/signing-flow/find-operation.ts'
import { ownerOf, sameSigner } from '../../cli/signing-flow/resume-operation.ts'
import { signAndSend } from '../../cli/signing-flow/sign-and-send.ts'
import { lookUpTransaction } from '../../diagnosis/lookup/transaction-lookup.ts'
import type { Hex } from '../../domain/address.ts'
import { formatAmount, tokenAmount } from '../../domain/amount.ts'
import type { OptionsOf } from '../../domain/command-line/flags.ts'
import { AppError } from '../../domain/errors.ts'
import { advice, sluice } from '../../domain/text/next-step.ts'
import type { ExecutionContext } from '../../planning/execution-context-types.ts'
import { isTransactionHash } from '../../planning/named-operation.ts'
import { isSignerNamed } from '../../signing/signer.ts'
import {
  type BurnTransaction,
  burnOfOperation,
  readDeliveryState,
} from '../../transactions/bridge/deliverable-burn.ts'

/** `action deliver`: delivers a transfer of CCTP that the bridge attested and nobody has delivered. */
export const addDeliver = (command: Command, program: CommandContext): Command =>
  command
    .command('deliver')
    .description(
      'Deliver a transfer of CCTP that waits at the bridge, to the recipient that its burn names. Any wallet can do so; it pays only the gas.',
    )
    .addHelpText('after', '\nExample:\n  $ sluice action deliver 0f8fad5b-d9cb-469f-a165-70867728950e')
    .action(action(program, deliver))

async function deliver(cli: Cli, id: string, options: OptionsOf<'action deliver'>): Promise<void> {
  const context = await cli.backend.context()
  const own = findOperation(context, id)
  const burn = own
    ? await burnOfOperation(context, own)
    : isTransactionHash(id)
      ? await burnOfStranger(context, id)
      : await burnOfOperation(context, requireOperation(context, id))
  const state = await readDeliveryState(context, burn)
  if (state.is === 'delivered') {
    const { network, transaction = null } = state
    return cli.emit(
      { isDelivered: true as const, burn: burn.hash, network: network.name, transaction },
      ({ network, transaction }) =>
        [
          `Already delivered on ${network}${transaction ? ` in ${transaction}` : ''}. Nothing was signed.`,
          ...(own ? [`To finish the action: ${cli.line(sluice('action resume', own.id))}`] : []),
        ].join('\n'),
    )
  }
  const { network, leg, others, token, amount, recipient } = state
  if (others > 0)
    cli.notice(
      `The transaction burned for ${others + 1} transfers that are not delivered; this delivers one of them.`,
    )
  // Any wallet may deliver; without a named one it is that of the action.
  const signer = own && !isSignerNamed(options) ? sameSigner(await ownerOf(cli, own, options)) : {}
  await signAndSend(
    cli,
    { ...options, ...signer },
    {
      title: `Deliver ${formatAmount(amount, token)} to ${recipient} on ${network.name}, as its burn fixed it`,
      request: { command: 'deliver', chainFrom: burn.chainId, burn: burn.hash },
      chainId: network.chainId,
      propose: async (wallet) => ({
        id: cli.program.newId(),
        kind: 'deliver',
        quoteId: null,
        expiresAt: null,
        about: {
          type: 'DELIVER',
          strategyId: null,
          strategySlug: null,
          receiver: recipient,
          amounts: { in: null, out: tokenAmount(amount, token) },
        },
        legs: [leg(wallet)],
      }),
    },
  )
  if (own && !options.dryRun)
    cli.notice(
      advice`The transfer of ${own.id} is delivered. To finish that action: ${sluice('action resume', own.id)}`,
    )
}

/** The transaction of a burn that another machine sent. */
async function burnOfStranger(context: ExecutionContext, hash: Hex): Promise<BurnTransaction> {
  const { found, silent } = await lookUpTransaction(context, hash, undefined)
  if (!found) throw unknownHash(hash, silent, { again: sluice('action deliver', hash), asked: null })
  const { network, block } = found
  if (!block)
    throw new AppError('OPERATION_UNFINISHED', `The transaction is not mined on ${network.name} yet`, {
      next: sluice('action explain', hash),
    })
  const { number: blockNumber, mined } = block
  return { chainId: network.chainId, hash, blockNumber, logs: mined.logs, named: hash }
}
