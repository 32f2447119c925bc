import { Argument, Command, Option } from 'commander'
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
      .option('--database <url>', 'database of sluice serve (default: in the data directory)')
      .option('--customer <name>', 'customer (default: the only one with an API key)')
      .addHelpText(
        'after',
        `\n${examples.length > 1 ? 'Examples' : 'Example'}:\n${examples.map((one) => `  $ ${one}`).join('\n')}`,
      )
  sub('add', 'Add an endpoint. Its signing secret is shown only once.', [
    'sluice webhooks add https://example.com/hook --types action.succeeded,action.failed',
    'sluice webhooks add https://example.com/hook --apy-line 3% --liquidity-line 100000',
  ])
    .argument('<url>', 'URL that events are posted to; https://')
    .option('--types <types>', 'events to send, separated by commas (default: all)')
    .option('--thin', 'send events without their data')
    .option('--apy-line <rate>', 'tell when the APY of a strategy crosses this line: 3%')
    .option('--liquidity-line <usd>', 'tell when the value locked in a strategy crosses this line, in USD')
    .option('--allow-http', 'allow a URL on this machine; the server needs the same option')
    .action(action(program, add))
  sub('list', 'List endpoints, newest first.', ['sluice webhooks list'])
    .option('--page <n>', 'page number', '1')
    .option('--limit <n>', 'rows per page, at most 100', '50')
    .action(action(program, list))
  sub('show', 'Show an endpoint.', ['sluice webhooks show ID'])
    .argument('<id>', 'endpoint ID, as shown by webhooks list')
    .action(action(program, show))
  sub('remove', 'Remove an endpoint with its deliveries.', ['sluice webhooks remove ID --yes'])
    .argument('<id>', 'endpoint ID, as shown by webhooks list')
    .action(action(program, remove))
  sub(
    'rotate',
    'Give an endpoint a new secret, which is shown only once. The old one signs beside it for 24 hours.',
    ['sluice webhooks rotate ID --yes'],
  )
    .argument('<id>', 'endpoint ID, as shown by webhooks list')
    .action(action(program, rotate))
  sub(
    'enable',
    'Let an endpoint that was disabled get events again, from now on. What it missed is sent by replay.',
    ['sluice webhooks enable ID'],
  )
    .argument('<id>', 'endpoint ID, as shown by webhooks list')
    .action(action(program, enable))
  sub('deliveries', 'List the deliveries of an endpoint, newest first.', [
    'sluice webhooks deliveries ID --state dead',
  ])
    .argument('<id>', 'endpoint ID, as shown by webhooks list')
    .addOption(
      new Option('--state <state>', 'only deliveries in this state; dead ones were given up').choices([
        'pending',
        'delivered',
        'dead',
      ]),
    )
    .option('--page <n>', 'page number', '1')
    .option('--limit <n>', 'rows per page, at most 100', '50')
    .action(action(program, deliveries))
  sub('resend', 'Send a delivery again, with the same webhook-id.', ['sluice webhooks resend ID DELIVERY'])
    .argument('<id>', 'endpoint ID, as shown by webhooks list')
    .argument('<delivery>', 'delivery ID, as shown by webhooks deliveries')
    .action(action(program, resend))
  sub('replay', 'Send all events since a time to an endpoint again, in their order.', [
    'sluice webhooks replay ID --since 2h',
    'sluice webhooks replay ID --since 2026-11-29T12:00:00Z',
  ])
    .argument('<id>', 'endpoint ID, as shown by webhooks list')
    .requiredOption('--since <time>', 'time in ISO 8601, or how long ago: 2h; events are kept for 30 days')
    .action(action(program, replay))
  sub(
    'listen',
    'Receive events on this machine, print them, and forward them signed. It polls, so it needs no public URL.',
    ['sluice webhooks listen --forward-to http://localhost:3000/hook'],
  )
    .option('--forward-to <url>', 'URL that events are posted to')
    .option(
      '--secret-file <file>',
      'sign with the secret (whsec_...) of this file, - for standard input (default: a new one for each run)',
    )
    .option('--types <types>', 'events to receive, separated by commas (default: all)')
    .option(
      '--consumer <name>',
      'name under which the position is kept; the next run continues from there',
      'cli',
    )
    .option('--since <time>', 'go back to this time first: ISO 8601, or how long ago, such as 2h')
    .option('--interval <duration>', 'time between polls', '5s')
    .action(action(program, listen))
  sub('trigger', 'Make a test event with sample data. All endpoints and listeners of the customer get it.', [
    'sluice webhooks trigger action.succeeded',
  ])
    .addArgument(new Argument('<event>', 'type of the event').choices(eventTypes))
    .action(action(program, trigger))
  return command
}
