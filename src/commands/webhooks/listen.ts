import { setTimeout as sleep } from 'node:timers/promises'
import type { PolledEvent } from '../../api/webhooks.ts'
import type { Cli } from '../../cli/command-run-types.ts'
import { duration } from '../../cli/options/global-options.ts'
import { writeDocument, writeText } from '../../cli/output/document-writer.ts'
import { onlyListsError } from '../../cli/output/output.ts'
import { utcTime } from '../../cli/terminal/format.ts'
import type { OptionsOf } from '../../domain/command-line/flags.ts'
import { AppError, errorRow } from '../../domain/errors.ts'
import { sluice } from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { maxTimerMs } from '../../domain/timer-limit.ts'
import { readPrivateFile } from '../../signing/read-private-file.ts'
import { parseSince } from './deliveries.ts'
import { eventTypesOf } from './endpoints.ts'
import { eventsOf } from './event-service-of-profile.ts'

type Options = OptionsOf<'webhooks listen'>

/** How many events one poll takes. */
const atOnce = 100

/**
 * `webhooks listen`: polls events as a consumer, prints each, and posts it to a URL, signed by a secret of this run or of a file. The position is committed after the events
 * of a poll, so what was received when the program ends is not received again, except what it was forwarding then. Ctrl-C or --timeout ends it well.
 */
export async function listen(cli: Cli, options: Options): Promise<void> {
  if (cli.globals.csv) throw onlyListsError()
  const { consumer } = options
  const intervalMs = duration(options.interval)
  const types = options.types === undefined ? undefined : eventTypesOf(options.types)
  const since = options.since === undefined ? undefined : parseSince(options.since, cli.program.now())
  const secret = options.secretFile === undefined ? undefined : await secretOf(cli, options)
  const forwarder =
    options.forwardTo === undefined ? undefined : await cli.program.eventForwarder(options.forwardTo, secret)
  const events = await eventsOf(cli, options)
  const { interrupt, time } = cli.program
  const leftMs = time.left()
  time.endless()
  await interrupt.critical(async () => {
    const signal =
      leftMs === undefined
        ? interrupt.signal
        : AbortSignal.any([interrupt.signal, AbortSignal.timeout(Math.min(maxTimerMs, Math.ceil(leftMs)))])
    const pause = () => sleep(intervalMs, undefined, { signal }).catch(() => undefined)
    const asked = { consumer, limit: atOnce, ...(types && { types }) }
    let after: string | undefined
    let isSeek = since !== undefined
    const poll = () =>
      events.listEvents({
        ...asked,
        ...(after !== undefined && { after }),
        ...(after === undefined && since !== undefined && { since }),
      })
    /** Prints and forwards the events of a poll, then commits. Returns whether there are more. */
    const take = async (page: Awaited<ReturnType<typeof poll>>): Promise<boolean> => {
      let cursor: string | undefined
      for (const event of page.events) {
        if (signal.aborted) break
        printed(cli, event, forwarder && (await forwarder.send(event)))
        cursor = event.cursor
      }
      if (cursor === undefined) return false
      await events.commitEvents({ consumer, cursor, ...(isSeek && { seek: true }) })
      after = cursor
      isSeek = false
      return page.hasMore
    }
    // A service that does not answer at first ends the command.
    const first = await poll()
    begun(cli, {
      consumer,
      forwardTo: options.forwardTo ?? null,
      secret: secret === undefined ? (forwarder?.secret ?? null) : null,
    })
    let isMore = await take(first)
    while (!signal.aborted) {
      if (!isMore) await pause()
      if (signal.aborted) break
      try {
        isMore = await take(await poll())
      } catch (error) {
        // The service or the network may be back at the next poll.
        if (!(error instanceof AppError) || ![5, 6, 7].includes(errorRow(error.code).exit)) throw error
        cli.notice(`${sanitizeText(error.message)}; polling again in ${options.interval}`)
        isMore = false
      }
    }
    cli.notice(`Stopped. The position of the consumer ${sanitizeText(consumer)} is kept.`)
  })
}

/** The secret of a file, which nobody else may read. It is never printed. */
async function secretOf(cli: Cli, { secretFile, forwardTo }: Options): Promise<string> {
  if (forwardTo === undefined)
    throw new AppError('USAGE', '--secret-file signs what is forwarded, and nothing is', {
      next: sluice('webhooks listen', {
        '--forward-to': 'http://localhost:3000/hook',
        '--secret-file': 'FILE',
      }),
    })
  const text = (secretFile === '-' ? await cli.program.stdin() : readPrivateFile(secretFile!)).trim()
  // 24 to 64 bytes, by the Standard Webhooks specification.
  if (/^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/.test(text)) return text
  throw new AppError(
    'USAGE',
    'The file of --secret-file has no signing secret: whsec_ and 24 to 64 bytes in base64',
    {
      next: 'printf \'whsec_%s\' "$(head -c 32 /dev/urandom | base64)" > hook.secret; chmod 600 hook.secret',
    },
  )
}

/** Says where events go. */
function begun(cli: Cli, where: { consumer: string; forwardTo: string | null; secret: string | null }): void {
  if (cli.globals.json) {
    writeDocument(cli.io, where, { ...cli.globals, isLine: true })
    return
  }
  cli.notice(`Listening as the consumer ${sanitizeText(where.consumer)}. Ctrl-C stops.`)
  if (where.secret !== null) cli.notice(`Events are signed with this secret until the end: ${where.secret}`)
}

/** Prints an event, with the answer to its forwarding. */
function printed(
  cli: Cli,
  event: PolledEvent,
  answer: { status: number } | { error: string } | undefined,
): void {
  const said = answer === undefined ? undefined : 'status' in answer ? String(answer.status) : answer.error
  if (cli.globals.json) {
    writeDocument(cli.io, { ...event, forwarded: answer ?? null }, { ...cli.globals, isLine: true })
    return
  }
  const test = event.test ? ' (test)' : ''
  const line = `${utcTime(event.timestamp)}  ${sanitizeText(event.type)}${test}  ${sanitizeText(event.subject)} #${event.seq}  ${sanitizeText(event.id)}`
  writeText(cli.io, said === undefined ? line : `${line}  -> ${sanitizeText(said)}`)
}
