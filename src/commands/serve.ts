import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Command } from 'commander'
import { action } from '../cli/command-action.ts'
import type { Cli } from '../cli/command-run-types.ts'
import { duration } from '../cli/options/global-options.ts'
import { onlyListsError } from '../cli/output/output.ts'
import type { Column, View } from '../cli/output/view-types.ts'
import type { CommandContext } from '../cli/program-context-types.ts'
import { type Serving, servingOf } from '../cli/server-administration.ts'
import { table } from '../cli/terminal/table.ts'
import type { OptionsOf } from '../domain/command-line/flags.ts'
import { AppError } from '../domain/errors.ts'
import { escapeHtml } from '../domain/text/escape-html.ts'
import { advice, sameWith, sluice } from '../domain/text/next-step.ts'
import { sanitizeText } from '../domain/text/terminal-sanitizing.ts'

type Options = OptionsOf<'serve'>

/** `serve`: serves the API over HTTP. */
export const serve = (program: CommandContext) =>
  new Command('serve')
    .description(
      'Serve the API over HTTP. Clients need an API key from: sluice keys create. A web page is at /. The log goes to stderr, one JSON line per request; --quiet turns it off.',
    )
    .addHelpText(
      'after',
      '\nExample:\n  $ sluice keys create --customer acme\n  $ sluice serve --port 8080\n  $ curl -H "x-api-key: $KEY" http://127.0.0.1:8080/strategies',
    )
    .action(action(program, run))

async function run(cli: Cli, options: Options): Promise<void> {
  const serving = servingOf(cli)
  if (cli.globals.timeoutMs !== undefined)
    throw new AppError('USAGE', '--timeout does not apply to serve', {
      next: sluice('serve', { '--help': true }),
    })
  if (cli.globals.csv && !options.check) throw onlyListsError()
  const { host, database, behindProxy = false } = options
  const port = portOf(options.port)
  const tls = tlsOf(options)
  if (tls && behindProxy)
    throw new AppError(
      'USAGE',
      '--behind-proxy and --tls-cert cannot be combined: only one of the two terminates TLS',
      {
        next: sluice('serve', { '--help': true }),
      },
    )
  if (!isLoopback(host) && !tls && !behindProxy)
    throw new AppError(
      'USAGE',
      `${sanitizeText(host)} is not loopback, so TLS is needed to protect API keys`,
      {
        next: advice`${sluice('serve', { '--host': host, '--tls-cert': 'cert.pem', '--tls-key': 'key.pem' })} Behind a proxy that speaks TLS: ${sameWith({ '--behind-proxy': true })}`,
      },
    )
  if (options.open !== undefined && (!isLoopback(host) || behindProxy))
    throw new AppError('USAGE', '--open is for a server on loopback, without a proxy', {
      next: sluice('serve', { '--open': true }),
    })
  const pageOf = options.open === true ? '' : options.open
  const drainMs = options.drain === undefined ? 0 : duration(options.drain)
  const where = {
    drainMs,
    host,
    port,
    behindProxy,
    allowHttp: options.allowHttp ?? false,
    ...(database !== undefined && { database }),
    ...(tls && { tls }),
    ...(pageOf !== undefined && { pageOf }),
  }
  return options.check ? look(cli, serving, database) : untilStopped(cli, serving, where)
}

async function look(cli: Cli, serving: Serving, database: string | undefined): Promise<void> {
  const found = await serving.check(database === undefined ? {} : { database })
  const rows = { items: found.networks, columns: networkColumns }
  const view: View<typeof found> = ({ database: file, keys, strategies, networks }, to) =>
    [
      `database  ${sanitizeText(file)} (${keys} ${keys === 1 ? 'key' : 'keys'})`,
      `strategies  ${strategies}`,
      table(networkColumns, networks, to),
    ].join('\n')
  cli.emit(found, view, rows)
}

type Network = Awaited<ReturnType<Serving['check']>>['networks'][number]

const networkColumns: readonly Column<Network>[] = [
  {
    field: 'network',
    title: 'NETWORK',
    csv: { network: ({ network }) => network },
    text: ({ network }) => sanitizeText(network),
  },
  {
    field: 'chainId',
    title: 'CHAIN ID',
    csv: { chainId: ({ chainId }) => chainId },
    text: ({ chainId }) => String(chainId),
    align: 'right',
  },
  {
    field: 'blockNumber',
    title: 'BLOCK',
    csv: { blockNumber: ({ blockNumber }) => blockNumber },
    text: ({ blockNumber }) => String(blockNumber),
    align: 'right',
  },
]

async function untilStopped(
  cli: Cli,
  serving: Serving,
  where: Parameters<Serving['serve']>[0],
): Promise<void> {
  const { interrupt, time } = cli.program
  time.endless()
  await interrupt.critical(async () => {
    const server = await serving.serve(where)
    const page = server.page && { customer: server.page.customer, file: openerOf(server.url, server.page) }
    cli.emit(
      {
        ...{ url: server.url, profile: cli.backend.profile, database: server.database, pid: process.pid },
        ...(page && { page }),
      },
      ({ url, profile }) =>
        [
          `Serving ${profile} at ${url}  (in a browser; docs: ${url}/docs)`,
          ...(page
            ? [
                `To see the page of ${sanitizeText(page.customer)} without a key, open in a browser: ${sanitizeText(pathToFileURL(page.file).href)}`,
              ]
            : []),
        ].join('\n'),
    )
    if (!interrupt.signal.aborted)
      await new Promise<void>((stop) =>
        interrupt.signal.addEventListener('abort', () => stop(), { once: true }),
      )
    cli.notice('Shutting down after in-flight requests.')
    if (page) rmSync(page.file, { force: true })
    await server.close()
  })
}

/**
 * Writes a file, readable by this user only, that opens the page with its key. The key is after `#`, which a browser sends to no
 * server; on a command line or in the output of this command other users or logs could have it.
 */
function openerOf(url: string, { dir, key }: { dir: string; key: string }): string {
  const file = join(dir, `open-page-${process.pid}.html`)
  const address = escapeHtml(`${url}/#key=${key}`)
  const text = `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url=${address}"><title>sluice</title><a href="${address}">sluice</a>\n`
  rmSync(file, { force: true })
  writeFileSync(file, text, { mode: 0o600, flag: 'wx' })
  return file
}

function portOf(text: string): number {
  if (/^[0-9]{1,5}$/.test(text) && Number(text) < 65_536) return Number(text)
  throw new AppError('USAGE', `"${sanitizeText(text)}" is not a port`, {
    next: sluice('serve', { '--port': '8080' }),
  })
}

function tlsOf({ tlsCert: cert, tlsKey: key }: Options): { cert: string; key: string } | undefined {
  if (cert === undefined && key === undefined) return undefined
  if (cert !== undefined && key !== undefined) return { cert, key }
  throw new AppError('USAGE', '--tls-cert and --tls-key must be given together', {
    next: sluice('serve', { '--tls-cert': 'cert.pem', '--tls-key': 'key.pem' }),
  })
}

const isLoopback = (host: string): boolean => /^(localhost|127(\.[0-9]{1,3}){3}|::1)$/.test(host)
