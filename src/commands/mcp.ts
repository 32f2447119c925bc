import { Command } from 'commander'
import { z } from 'zod'
import { localAction } from '../cli/command-action.ts'
import type { LocalCli } from '../cli/command-run-types.ts'
import type { CommandContext } from '../cli/program-context-types.ts'
import { type Tool, toolsOf } from '../cli/schema/mcp-tools.ts'
import { AppError, errorRow } from '../domain/errors.ts'
import { sanitizeText } from '../domain/text/terminal-sanitizing.ts'

/** Runs a piece of work when its turn comes. */
export type LimitedRun = <value>(signal: AbortSignal, work: () => Promise<value>) => Promise<value>

/** Limits how many tasks run at once; the others start in order. A task that is cancelled before its start is INTERRUPTED. */
export function limitConcurrency(most: number): LimitedRun {
  let running = 0
  const waiting: (() => void)[] = []
  const turn = (signal: AbortSignal) =>
    new Promise<void>((begin, leave) => {
      const next = () => {
        signal.removeEventListener('abort', gone)
        begin()
      }
      const gone = () => {
        waiting.splice(waiting.indexOf(next), 1)
        leave(new AppError('INTERRUPTED', 'Cancelled before it started'))
      }
      waiting.push(next)
      signal.addEventListener('abort', gone, { once: true })
    })
  return async (signal, work) => {
    if (running < most) running += 1
    else await turn(signal)
    try {
      return await work()
    } finally {
      // A slot passes directly to the next waiting task.
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}

/** `mcp`: a server of the Model Context Protocol on standard input and output. */
export const mcp = (program: CommandContext) =>
  new Command('mcp')
    .description(
      'Run a Model Context Protocol server on standard input and output, with tools that read and plan. The server never signs and never opens a key. It exits at the end of its input.',
    )
    .addHelpText('after', '\nExample:\n  $ sluice mcp --profile prod')
    .action(localAction(program, serve))

/** The most that one message may hold, in bytes: a plan is far smaller. */
const maxBufferSize = 4 * 1024 * 1024

/** How many tools run at once, to limit the load of one client. */
const atOnce = 4

async function serve(cli: LocalCli): Promise<void> {
  const { interrupt, version, time } = cli.program
  time.endless()
  const [{ Server, ProtocolError, ProtocolErrorCode }, { serveStdio, StdioServerTransport }, root] =
    await Promise.all([
      import('@modelcontextprotocol/server'),
      import('@modelcontextprotocol/server/stdio'),
      cli.program.commands(),
    ])
  const tools = toolsOf(root)
  const listed = tools.map(({ name, description, input, output }) => ({
    name,
    description,
    inputSchema: z.toJSONSchema(input) as { type: 'object' },
    outputSchema: output as { type: 'object' },
    annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: true },
  }))
  const inTurn = limitConcurrency(atOnce)
  const made = () => {
    const server = new Server({ name: 'sluice', version }, { capabilities: { tools: {} } })
    server.setRequestHandler('tools/list', () => ({ tools: listed }))
    server.setRequestHandler('tools/call', async ({ params }, { mcpReq: { signal } }) => {
      const tool = tools.find(({ name }) => name === params.name)
      if (tool) return inTurn(signal, () => answer(cli, tool, params.arguments ?? {}, signal))
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `Unknown tool "${sanitizeText(params.name).slice(0, 60)}"`,
      )
    })
    return server
  }
  await interrupt.critical(async () => {
    const transport = new StdioServerTransport(undefined, undefined, { maxBufferSize })
    let fault: Error | undefined
    const onerror = (error: Error) => {
      // The library exits then, and its client would never get an answer.
      if (/exceeded maximum size/.test(error.message)) fault = error
      if (cli.globals.debug) cli.io.err.write(`mcp ${sanitizeText(error.message)}\n`)
    }
    const handle = serveStdio(made, { transport, onerror })
    const { onclose } = transport
    await new Promise<void>((ended) => {
      transport.onclose = () => {
        onclose?.()
        ended()
      }
      if (interrupt.signal.aborted) ended()
      interrupt.signal.addEventListener('abort', () => ended(), { once: true })
    })
    void handle.close()
    if (fault)
      throw new AppError('USAGE', `The input could not be parsed, so the server stops: ${fault.message}`, {
        cause: fault,
        next: `A message is one line of at most ${maxBufferSize} bytes.`,
      })
  })
}

type Answer = {
  content: { type: 'text'; text: string }[]
  structuredContent: Record<string, unknown>
  isError?: true
}

/** The output of a command as the result of its tool. */
async function answer(
  { program, globals }: LocalCli,
  { name, input, line }: Tool,
  given: unknown,
  signal: AbortSignal,
): Promise<Answer> {
  const read = input.safeParse(given)
  if (!read.success) return answered(refused(name, read.error), true)
  const { argv, stdin } = line(read.data)
  const { exit, out } = await program.run(
    [
      ...argv,
      ...(globals.profile === undefined ? [] : [`--profile=${globals.profile}`]),
      ...(globals.timeoutMs === undefined ? [] : [`--timeout=${globals.timeoutMs}ms`]),
    ],
    { as: 'reader', stdin, signal },
  )
  return answered(sanitizeStrings(JSON.parse(out)) as Record<string, unknown>, exit !== 0)
}

const answered = (document: Record<string, unknown>, isError: boolean): Answer => ({
  content: [{ type: 'text', text: JSON.stringify(document) }],
  structuredContent: document,
  ...(isError && { isError }),
})

/** An invalid input, reported as every failure. */
function refused(name: string, error: z.ZodError): Record<string, unknown> {
  const issues = error.issues.slice(0, 10).map(({ path, message }) => ({
    path: sanitizeText(path.join('.')).slice(0, 100),
    message: sanitizeText(message).slice(0, 200),
  }))
  const [first] = issues
  const where = first && first.path !== '' ? `${first.path}: ` : ''
  return {
    error: {
      code: 'USAGE',
      message: `Invalid input for ${name}: ${where}${first?.message ?? ''}`,
      details: { errors: issues },
      hint: `See the inputSchema of ${name}`,
      retryable: errorRow('USAGE').retryable ?? false,
    },
  }
}

/** A document without control characters in its texts. */
function sanitizeStrings(value: unknown): unknown {
  if (typeof value === 'string') return sanitizeText(value)
  if (Array.isArray(value)) return value.map(sanitizeStrings)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [sanitizeText(name), sanitizeStrings(inner)]),
  )
}
