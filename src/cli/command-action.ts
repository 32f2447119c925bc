import type { Command } from 'commander'
import { asDrafts, type Service } from '../api/service-type.ts'
import { AppError } from '../domain/errors.ts'
import { networkOfSlug, whyNetworkLacks } from '../domain/networks.ts'
import { didYouMean, didYouMeanWhole } from '../domain/text/did-you-mean.ts'
import type { Advice } from '../domain/text/next-step.ts'
import { slugsOfSameAsset, symbolMeant } from '../domain/text/token-symbols.ts'
import type { Backend } from './backend-types.ts'
import type { Cli, LocalCli } from './command-run-types.ts'
import { renderedText, targetOfCommand } from './next-step-text.ts'
import { type Globals, globalsOf } from './options/global-options.ts'
import { fittedFor, written } from './output/document-writer.ts'
import { emitList, emitOne } from './output/output.ts'
import { printLast, printRaw, rawOf } from './output/raw-answers.ts'
import type { Line } from './output/view-types.ts'
import type { CommandContext } from './program-context-types.ts'

type Needs = {
  backend: Pick<Backend, 'catalog' | 'kind'>
  program: Pick<CommandContext, 'completions'>
  globals: Globals
}

/**
 * A failure to find a strategy, with the variable that brings its network, or with the one that was probably meant: out of the catalogue and of the last list that was shown, both of this machine.
 * Other failures come back as they are.
 */
async function withSuggestion(cli: Needs, error: unknown, command: string, typed: unknown): Promise<unknown> {
  if (!(error instanceof AppError) || error.code !== 'STRATEGY_NOT_FOUND' || typeof typed !== 'string')
    return error
  const network = networkOfSlug(typed)
  const networks = cli.backend.kind === 'remote' || !network ? [] : (await cli.backend.catalog()).networks
  if (network && networks.length > 0 && !networks.some(({ chainId }) => chainId === network.chainId)) {
    const { message, ...more } = whyNetworkLacks(networks, network)
    return strategyNotFound(error, `. ${message}`, more)
  }
  const guess = await guessOf(cli, command, typed)
  return guess === '' ? error : strategyNotFound(error, guess)
}

/** The error of a strategy that was not found, with what this machine knows of the name. */
const strategyNotFound = (
  error: AppError,
  known: string,
  { details, next = error.next }: { details?: Record<string, unknown>; next?: Advice | undefined } = {},
): AppError =>
  new AppError('STRATEGY_NOT_FOUND', `${error.message}${known}`, {
    cause: error,
    details: { ...error.details, ...details },
    next,
  })

/**
 * The suggestion for a misspelt strategy, as the end of a sentence: an asset or a category for a recommendation, an id or a slug of the
 * same asset otherwise. Empty if the names cannot be read.
 */
async function guessOf(
  { backend, program, globals }: Needs,
  command: string,
  typed: string,
): Promise<string> {
  try {
    // The local catalogue does not describe another deployment.
    const strategies = backend.kind === 'remote' ? [] : (await backend.catalog()).strategies
    const symbols = strategies.map(({ asset }) => asset.symbol)
    if (command === 'recommend')
      return (
        symbolMeant(typed, symbols) ||
        didYouMean(
          typed,
          strategies.map(({ category }) => category),
        )
      )
    const given = globals.profile === undefined ? {} : { '--profile': globals.profile }
    const seen =
      (await (await program.completions())({ command: 'deposit', name: '<id>', given, before: [] })) ?? []
    const slugs = [...strategies.flatMap(({ slug, id }) => [slug, id]), ...seen.map(([slug]) => slug)]
    const ofAsset = slugsOfSameAsset(typed, slugs, [
      ...symbols,
      ...(await backend.catalog()).tokens.map((one) => one.symbol),
    ])
    const bySlug = [...strategies.map(({ slug }) => slug), ...seen.map(([slug]) => slug)]
    return didYouMean(typed, ofAsset) || didYouMeanWhole(typed, bySlug)
  } catch (error) {
    // Report the original failure, not that of the suggestion.
    if (error instanceof AppError) return ''
    throw error
  }
}

/**
 * Reads the global options of a command, compiles --jq and --template, and checks that its output can be printed as they ask: all before the command
 * does anything. Schema and languages are loaded only for the flags that need them.
 */
export async function optionsOf(
  command: Command,
  { now, time }: Pick<CommandContext, 'now' | 'time'>,
): Promise<Globals> {
  const globals = globalsOf(command)
  const { jq, template, csv, json, fields } = globals
  const shapes = [jq !== undefined && '--jq', template !== undefined && '--template', csv && '--csv'].filter(
    Boolean,
  )
  if (shapes.length > 1) throw new AppError('USAGE', `${shapes.join(' and ')} cannot be combined`)
  if (jq !== undefined)
    globals.shaping = await (await import('./output/jq.ts')).compileJq(jq, { timeOver: time.over })
  if (template !== undefined)
    globals.shaping = {
      shape: (await import('./output/template/run-template.ts')).compileTemplate(template, now),
      pending: [],
      end: () => undefined,
    }
  if (!csv && !(json && fields)) return globals
  return (await import('./output/output-flag-checks.ts')).printable(command, globals)
}

/** Runs a command until its documents are written, also those before its failure, which is then the failure of both. */
async function untilWritten(globals: Globals, work: () => Promise<void>): Promise<void> {
  try {
    await work().finally(async () => {
      await Promise.allSettled(globals.shaping?.pending ?? [])
    })
    await written(globals)
  } finally {
    globals.shaping?.end()
  }
}

/** Makes the action of a command that uses no profile. */
export const localAction =
  <args extends unknown[]>(program: CommandContext, work: (cli: LocalCli, ...args: args) => Promise<void>) =>
  async (...given: unknown[]): Promise<void> => {
    const command = given.at(-1) as Command
    const globals = await optionsOf(command, program)
    await untilWritten(globals, () =>
      work(localCliFor(program, globals, command), ...(given.slice(0, -1) as args)),
    )
  }

function localCliFor(program: CommandContext, globals: Globals, command?: Command): LocalCli {
  const { io } = program
  if (globals.json && globals.csv) throw new AppError('USAGE', '--json and --csv cannot be combined')
  const line: Line = (given) => renderedText(given, targetOfCommand(command))
  return {
    program,
    io,
    globals,
    emit: (value, view, rows) => {
      program.onResult?.(value)
      emitOne(io, globals, value, view, line, rows)
    },
    line,
    list: async (list, view) => {
      program.onResult?.(list)
      const known =
        command && globals.fields
          ? (await import('./output/output-flag-checks.ts')).fieldsOfRows(command)
          : undefined
      emitList(io, globals, list, view, line, known)
    },
    notice: (given) => {
      if (!globals.quiet) io.err.write(`${fittedFor(line(given), io.err)}\n`)
    },
  }
}

/**
 * Makes the action of a command from a function of `Cli`, arguments and options. `answer` is the
 * service method that `--raw` prints.
 */
export const action =
  <args extends unknown[]>(
    program: CommandContext,
    work: (cli: Cli, ...args: args) => Promise<void>,
    answer?: keyof Service,
  ) =>
  async (...given: unknown[]): Promise<void> => {
    const command = given.at(-1) as Command
    const globals = await optionsOf(command, program)
    await untilWritten(globals, async () => {
      const cli = await cliFor(program, globals, answer, command)
      const { policy } = command.opts<{ policy?: string }>()
      // Before the first use of the backend, which may start a sandbox.
      if (policy !== undefined) (await import('../guard/policy/policy-file.ts')).refuseMissingPolicy(policy)
      await acted(isDryRun(command) ? withDrafts(cli) : cli)
    })
    async function acted(cli: Cli): Promise<void> {
      try {
        await work(cli, ...(given.slice(0, -1) as args))
      } catch (error) {
        const raw = rawOf(cli.globals, cli.backend)
        if (raw) printLast(cli.io, raw())
        throw await withSuggestion(cli, error, command.name(), given[0])
      }
    }
  }

/** Whether a command signs nothing, by its own --dry-run. */
const isDryRun = (command: Command): boolean => command.opts<{ dryRun?: boolean }>().dryRun === true

/** The same run with a service whose quotes and transactions are not listed. */
export const withDrafts = (cli: Cli): Cli => ({ ...cli, service: async () => asDrafts(await cli.service()) })

/** Makes the `Cli` of a command line whose global options are parsed. */
export async function cliFor(
  program: CommandContext,
  globals: Globals,
  answer?: keyof Service,
  command?: Command,
): Promise<Cli> {
  const common = localCliFor(program, globals, command)
  const { io } = program
  const backend = await program.openBackend(globals)
  const raw = rawOf(globals, backend)
  return {
    ...common,
    backend,
    service: backend.service,
    ...(raw &&
      answer && {
        emit: (value) => {
          program.onResult?.(value)
          printRaw(io, raw(), answer, 'last')
        },
        list: async (list) => {
          program.onResult?.(list)
          printRaw(io, raw(), answer, 'all')
        },
      }),
    progress: program.time.progress,
  }
}
