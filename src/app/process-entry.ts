import type { ChildProcess } from 'node:child_process'
import { config } from 'zod/v4/core'
import { commandInterruptedError, toldError } from '../cli/classify-failure.ts'
import { outputOf } from '../cli/options/global-options.ts'
import type { ProgramContext } from '../cli/program-context-types.ts'
import type { Io } from '../cli/terminal/io-types.ts'
import { stdio } from '../cli/terminal/standard-streams.ts'
import { type CommandLine, readCommandLine } from '../domain/command-line/read-command-line.ts'
import type { Exit } from '../domain/error-table.ts'
import { AppError } from '../domain/errors.ts'
import { programVersion } from '../http/program-version.ts'
import { whilePersonActs } from '../http/waits.ts'
import { createCommandContext } from './create-command-context.ts'
import { withKnownNames } from './environment-names.ts'
import type { Secrets } from './environment-secrets-type.ts'
import { main, printError } from './main.ts'
import { once } from './once.ts'
import { interruptible } from './signing/interrupt.ts'

/**
 * Runs the program in this process with the command line, the terminal and the signals. `wasStopped` says whether a
 * signal came while loading.
 */
export async function start(
  argv: readonly string[],
  secrets: Secrets,
  startSigner: () => ChildProcess,
  wasStopped: () => boolean,
): Promise<void> {
  const line = readCommandLine(argv)
  // A short command ends before compiled validators would pay off.
  if (line.command !== 'serve' && line.command !== 'mcp') config({ jitless: true })
  const { noColor, noInput, quiet } = outputOf(line)
  // Install the signal handlers before removing the earlier ones, so that no signal is lost while loading.
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const before = signals.map((signal) => [signal, process.listeners(signal)] as const)
  const { interrupt, raced } = interruptible(process)
  for (const [signal, listeners] of before)
    for (const listener of listeners) process.removeListener(signal, listener)
  const io = Object.assign(await stdio({ noColor, noInput, env: process.env }), {
    whileAsking: whilePersonActs,
  })
  const program = contextOrExit(line, io, {
    env: withKnownNames(process.env),
    secrets,
    signingService: once(async () => {
      const child = startSigner()
      const [{ prepareRecovery }, { signerProcessService }] = await Promise.all([
        import('../signing/keystore/curve-precomputation.ts'),
        import('./signing/signer-process.ts'),
      ])
      const service = signerProcessService(child)
      // Both processes prepare at the same time. If the signer has ended, the first request that needs it reports
      // that.
      void service({ do: 'prepare' }).catch(() => undefined)
      prepareRecovery()
      return service
    }),
    version: programVersion,
    interrupt,
    quiet,
    io,
    stdin: readStdin,
  })
  // An unhandled failure goes here, because something may be signed. A server signs nothing and prints the
  // trace.
  if (line.command !== 'serve')
    process.once('uncaughtException', async (error) => {
      let exit: Exit = 26
      try {
        exit = printError(await toldError(error, line, program), line, program)
      } finally {
        process.exit(exit)
      }
    })
  const left = async (work?: Promise<Exit>): Promise<Exit> => {
    const error = await toldError(commandInterruptedError(line), line, program)
    // A command that ended meanwhile has already reported.
    return (await Promise.race([work, undefined])) ?? printError(error, line, program)
  }
  const work = wasStopped() ? undefined : main(argv, { ...program, sinceStart: () => performance.now() })
  let lost: NodeJS.ErrnoException | undefined
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The reader may stop reading at any time.
    if (error.code !== 'EPIPE') lost ??= error
  })
  let exit = (work && (await raced(work))) ?? (await left(work))
  await Promise.all(
    [process.stdout, process.stderr].map(
      (stream) => new Promise<void>((done) => stream.write('', () => done())),
    ),
  )
  if (lost !== undefined && exit < 20) {
    const fault = new AppError('STATE_UNUSABLE', `Cannot write the output: ${lost.message}`, {
      cause: lost,
      next: 'Free some space, or write the output elsewhere.',
    })
    exit = printError(await toldError(fault, line, program), readCommandLine([]), program)
  }
  // Sockets that are kept alive must not keep a finished command alive.
  process.exit(exit)
}

/** The command context. Without directories for its files the program cannot run: it reports that and ends. */
function contextOrExit(
  line: CommandLine,
  io: Io,
  inputs: Parameters<typeof createCommandContext>[0],
): ProgramContext {
  try {
    return createCommandContext(inputs)
  } catch (error) {
    if (error instanceof AppError) process.exit(printError(error, line, { io }))
    throw error
  }
}

const readStdin = async (): Promise<string> =>
  (await import('../cli/options/file-arguments.ts')).textIn(process.stdin, 'Standard input')
