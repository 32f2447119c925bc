import { Command, CommanderError } from 'commander'
import { toldError } from '../cli/classify-failure.ts'
import { helpParts, helpText } from '../cli/help/help-text.ts'
import { adviceOfError, type RenderedAdvice } from '../cli/next-step-text.ts'
import { wordsTo } from '../cli/options/command-tree-queries.ts'
import { globalsOf, outputOf } from '../cli/options/global-options.ts'
import { addFromTable } from '../cli/options/options-from-table.ts'
import { refusePrivateKeys } from '../cli/options/refuse-private-keys.ts'
import { refuseTwice, refuseUnknown, throwWithCommand, usageError } from '../cli/options/usage-errors.ts'
import { writeBytes, writeDocument } from '../cli/output/document-writer.ts'
import type { CommandContext, ProgramContext } from '../cli/program-context-types.ts'
import type { Stream } from '../cli/terminal/io-types.ts'
import { wrapText } from '../cli/terminal/text-wrap.ts'
import { type CommandEntry, commands, helpGroups } from '../commands/index.ts'
import { type CommandLine, readCommandLine } from '../domain/command-line/read-command-line.ts'
import type { Exit } from '../domain/error-table.ts'
import { AppError, errorRow } from '../domain/errors.ts'
import { didYouMean } from '../domain/text/did-you-mean.ts'
import { advice, sluice } from '../domain/text/next-step.ts'
import { redactedTrace } from '../domain/text/redacted-stack-trace.ts'
import { sanitizeText } from '../domain/text/terminal-sanitizing.ts'
import { isRetryable } from '../http/backoff.ts'
import { withWaits } from '../http/waits.ts'
import { commandTime, type RunningTime } from './command-time.ts'

/** Runs one command line and returns its exit code. Only here errors become exit codes. */
export async function main(argv: readonly string[], base: ProgramContext): Promise<Exit> {
  const line = readCommandLine(argv)
  const time = commandTime(base)
  const program = withCommands(base, time)
  const help: string[] = []
  let built: Command | undefined
  try {
    refusePrivateKeys(line)
    if (argv[0] === '__complete') return await printCompletion(argv.slice(1), program)
    if (await printTopic(line, program)) return 0
    const root = await buildProgram(argv, program, false, (text) => void help.push(text))
    built = root
    root.hook('preAction', (_, command) => startTime(time, command))
    await withWaits(time.waits, () => time.bounded(root.parseAsync([...line.argv], { from: 'user' })))
    return 0
  } catch (thrown) {
    time.end()
    const asks = thrown instanceof CommanderError && /^commander\.(help|version)/.test(thrown.code)
    if (asks && outputOf(line).json) return printAsJson(thrown, base)
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return 0
    // A group without a subcommand, or no command: show the help.
    if (asks) {
      writeBytes(program.io, help.join(''))
      return 0
    }
    const isUnknown = thrown instanceof CommanderError && thrown.code === 'commander.unknownCommand'
    const failure = isUnknown ? usageError(thrown, await program.commands()) : thrown
    return printError(
      await toldError(failure, line, program, time.explained),
      line,
      program,
      built !== undefined,
    )
  } finally {
    time.end()
  }
}

/** Begins the time of every command. Wrong options are reported by the command itself. */
function startTime(time: RunningTime, command: Command): void {
  try {
    time.start(globalsOf(command))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
  }
}

/** Adds the command tree to a context, its time, and a function that runs another command line in this process. */
export function withCommands(base: ProgramContext, time: RunningTime = commandTime(base)): CommandContext {
  const commands = () => buildProgram([], program, true)
  const program: CommandContext = {
    ...base,
    time,
    interrupt: {
      ...base.interrupt,
      critical: (work) => base.interrupt.critical(() => time.critical(work)),
    },
    commands,
    completions: () => base.completions(commands),
    run: async (argv, how) => {
      const values: unknown[] = []
      const inner = base.derived(how)
      // The inner command has a progress and a limit of its own.
      const exit = await time.nested(() =>
        main(argv, { ...inner.program, onResult: (value) => void values.push(value) }),
      )
      await inner.close()
      return { exit, out: inner.output(), values }
    },
  }
  return program
}

/** Help or version as JSON. */
async function printAsJson(error: CommanderError, program: ProgramContext): Promise<Exit> {
  const { version, io } = program
  if (error.code.startsWith('commander.help'))
    return main(['schema', ...wordsTo((error as { command?: Command }).command), '--json'], program)
  writeDocument(io, { version })
  return 0
}

/** Completes the line in `-- WORDS` for the scripts in `completions`. */
async function printCompletion(argv: readonly string[], program: CommandContext): Promise<Exit> {
  const words = argv[0] === '--' ? argv.slice(1) : argv
  const [before, last] = [words.slice(0, -1), words.at(-1) ?? '']
  const [{ complete, completionText }, { commandManifest }] = await Promise.all([
    import('../cli/help/complete-word.ts'),
    import('../cli/help/command-manifest.ts'),
  ])
  const found = await complete(
    commandManifest(await buildProgram(before, program)),
    before,
    last,
    await program.completions(),
  )
  writeBytes(program.io, completionText(found))
  return 0
}

/** Shows a help topic, if the line asks for one. */
async function printTopic(line: CommandLine, { io }: CommandContext): Promise<boolean> {
  const [help, sub] = line.operands
  if (line.command !== '' || help !== 'help' || sub === undefined) return false
  const { topics, topicText } = await import('../commands/help-topics.ts')
  const topic = Object.hasOwn(topics, sub) ? topics[sub] : undefined
  if (!topic) {
    const known = [...commands.map((one) => one.name), ...Object.keys(topics)]
    throw new AppError('USAGE', `No help for "${sanitizeText(sub)}"${didYouMean(sub, known)}`, {
      next: advice`${sluice('', { '--help': true })}. Topics: ${Object.keys(topics).join(', ')}`,
    })
  }
  const { intro, rows, outro = null } = topic
  const asData = { topic: sub, intro, rows: rows.map(([name, meaning]) => ({ name, meaning })), outro }
  if (outputOf(line).json) writeDocument(io, asData)
  else writeBytes(io, `${topicText(topic, io.out)}\n`)
  return true
}

/** Builds the command tree with only the branch that this line needs; the other commands are only names. */
export async function buildProgram(
  argv: readonly string[],
  program: CommandContext,
  all = false,
  writeErr: (text: string) => void = () => undefined,
): Promise<Command> {
  const root = new Command('sluice')
    .description(
      'Yield and swaps from a terminal: deposits, withdrawals, positions, swaps on one chain and across chains.',
    )
    .version(program.version, '-V, --version', 'print the version')
    .usage('<command> [options]')
    .addHelpText(
      'after',
      `\nMore:\n  $ sluice help exit-codes|environment|signing|formatting\n\nStart here:\n  $ sluice demo\n  $ sluice init\n  $ sluice strategies list\n  $ sluice deposit aave-v3-usdc-sandbox-one --amount 100`,
    )
  // With --json, help is printed as data and not as text.
  const line = readCommandLine(argv)
  const writeOut = (text: string): unknown => outputOf(line).json || writeBytes(program.io, text)
  const says: HelpOutput = { writeOut, writeErr }
  const [wanted] = line.command.split(' ')
  // A line with a known command needs no other commands; their names are only for the help and for
  // suggestions.
  const isAlone = !all && commands.some(({ name }) => name === wanted)
  for (const group of helpGroups) {
    for (const entry of commands.filter((one) => one.group === group)) {
      const isWanted = all || entry.name === wanted
      if (isAlone && !isWanted) continue
      const command = isWanted ? (await entry.load())(program) : stub(entry)
      root.addCommand(command.helpGroup(group))
      if (isWanted) finish(command, program, says)
    }
  }
  settle(root, program, says)
  return root
}

type HelpOutput = { writeOut: (text: string) => unknown; writeErr: (text: string) => void }

const stub = ({ name, summary }: CommandEntry) => new Command(name).summary(summary)

/** Gives every command of a branch the global options, the output streams, and errors instead of exits. */
function finish(command: Command, program: CommandContext, says: HelpOutput): void {
  settle(command, program, says)
  for (const child of command.commands) finish(child, program, says)
}

function settle(command: Command, program: CommandContext, says: HelpOutput): void {
  refuseUnknown(command)
  command
    .exitOverride(throwWithCommand(command))
    .showHelpAfterError(false)
    .helpOption('-h, --help', 'show help')
    .configureOutput({ ...says, getOutHasColors: () => program.io.out.paint.level > 0 })
    .configureHelp({
      showGlobalOptions: false,
      formatHelp: (one, helper) => helpText(helpParts(one, helper), helper.helpWidth ?? 80),
    })
  const shown = command.createHelp().visibleCommands(command)
  if (shown.some((one) => one.name() === 'help'))
    command.helpCommand('help [command]', 'show help for a command')
  addFromTable(command)
  refuseTwice(command)
}

/** Prints an error with its code and next step: as one JSON document, or in words on stderr. */
export function printError(
  error: AppError,
  line: CommandLine,
  { io }: Pick<CommandContext, 'io'>,
  canRepeat = false,
): Exit {
  const { json, debug } = outputOf(line)
  const { code, message, details } = error
  const row = errorRow(code)
  const advice = adviceOfError(error, line, io, canRepeat)
  const say = sanitizeText(message)
  if (json)
    writeDocument(io, {
      error: {
        code,
        message: say,
        details: details ?? {},
        hint: advice?.hint ?? null,
        next: advice?.next ?? [],
        retryable: isRetryable(error),
      },
    })
  else {
    // An interruption is not an error.
    const label = [code, details?.cause].includes('INTERRUPTED') ? '' : `${io.err.paint.red('error')} `
    const quoted = error.isQuote ? `The service says: "${say}"` : say
    io.err.write(wrapText(`${label}${quoted} ${io.err.paint.dim(`(${code})`)}\n`, io.err))
    if (advice) io.err.write(nextLines(advice, io.err))
  }
  if (debug) io.err.write(`${io.err.paint.dim(redactedTrace(error))}\n`)
  return row.exit
}

/** What to do next: words beside the label, and each command on a line of its own. */
function nextLines({ lines }: RenderedAdvice, to: Stream): string {
  const label = to.paint.dim('next')
  const [first] = lines
  return [
    ...(first?.isCommand ? [label] : []),
    ...lines.map(({ text, isCommand }, at) => {
      const shown = sanitizeText(text)
      const line = at === 0 && !isCommand ? `${label}  ${shown}` : `      ${shown}`
      return isCommand ? line : wrapText(line, to)
    }),
    '',
  ].join('\n')
}
