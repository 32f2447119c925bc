import { Argument, Command } from 'commander'
import { action } from '../../cli/command-action.ts'
import type { CommandContext } from '../../cli/program-context-types.ts'
import { eventTypes } from '../../domain/events/event-table.ts'
import { deliveries, replay, resend } from './deliveries.ts'
import { add, enable, list, remove, rotate, show, trigger } from './endpoints.ts'
import { listen } from './listen.ts'

/** `webhooks`: the endpoints that get events, their deliveries, and a listener on this machine. */
export const webhooks = (program: CommandContext) => {
  const command = new Command('webhooks').description(
    'Send events of actions, swaps, quotes and strategies to endpoints, or receive them on this machine. A remote profile uses its service, others the database of sluice serve.',
  )
  const sub = (name: string, description: string, examples: readonly string[]) =>
    command
      .command(name)
      .description(description)
      .addHelpText(
        'after',
        `\n${examples.length > 1 ? 'Examples' : 'Example'}:\n${examples.map((one) => `  $ ${one}`).join('\n')}`,
      )
  sub('add', 'Add an endpoint. Its signing secret is shown only once.', [
    'sluice webhooks add https://example.com/hook --types action.succeeded,action.failed',
    'sluice webhooks add https://example.com/hook --apy-line 3% --liquidity-line 100000',
  ]).action(action(program, add))
  sub('list', 'List endpoints, newest first.', ['sluice webhooks list']).action(action(program, list))
  sub('show', 'Show an endpoint.', ['sluice webhooks show ID']).action(action(program, show))
  sub('remove', 'Remove an endpoint with its deliveries.', ['sluice webhooks remove ID --yes']).action(
    action(program, remove),
  )
  sub(
    'rotate',
    'Give an endpoint a new secret, which is shown only once. The old one signs beside it for 24 hours.',
    ['sluice webhooks rotate ID --yes'],
  ).action(action(program, rotate))
  sub(
    'enable',
    'Let an endpoint that was disabled get events again, from now on. What it missed is sent by replay.',
    ['sluice webhooks enable ID'],
  ).action(action(program, enable))
  sub('deliveries', 'List the deliveries of an endpoint, newest first.', [
    'sluice webhooks deliveries ID --state dead',
  ]).action(action(program, deliveries))
  sub('resend', 'Send a delivery again, with the same webhook-id.', [
    'sluice webhooks resend ID DELIVERY',
  ]).action(action(program, resend))
  sub('replay', 'Send all events since a time to an endpoint again, in their order.', [
    'sluice webhooks replay ID --since 2h',
    'sluice webhooks replay ID --since 2026-11-29T12:00:00Z',
  ]).action(action(program, replay))
  sub(
    'listen',
    'Receive events on this machine, print them, and forward them signed. It polls, so it needs no public URL.',
    ['sluice webhooks listen --forward-to http://localhost:3000/hook'],
  ).action(action(program, listen))
  sub('trigger', 'Make a test event with sample data. All endpoints and listeners of the customer get it.', [
    'sluice webhooks trigger action.succeeded',
  ])
    .addArgument(new Argument('<event>').choices(eventTypes))
    .action(action(program, trigger))
  return command
}
