import type { Command } from 'commander'
import { action } from '../../cli/command-action.ts'
import type { Cli } from '../../cli/command-run-types.ts'
import { termLine } from '../../cli/help/help-text.ts'
import { duration } from '../../cli/options/global-options.ts'
import { address, wholeNumber } from '../../cli/options/option-values.ts'
import type { CommandContext } from '../../cli/program-context-types.ts'
import type { OptionsOf } from '../../domain/command-line/flags.ts'
import { AppError } from '../../domain/errors.ts'
import {
  type FaultKind,
  type FaultRequest,
  faultKinds,
  faultNamed,
  type SandboxFault,
} from '../../domain/sandbox-fault.ts'
import { type Advice, advice, eachAdvice, sameWith, sluice } from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'

const optionNames = ['network', 'method', 'times', 'reason'] as const
type Options = OptionsOf<'sandbox fault'>

/** `sandbox fault`: makes chains, bridge and RPC of the sandbox fail, on purpose. */
export function addFault(command: Command, program: CommandContext): void {
  const width = Math.max(...Object.keys(faultKinds).map((name) => name.length))
  command
    .command('fault')
    .description('Inject a fault. Without arguments, list the active faults; `clear` removes them all.')
    .addHelpText(
      'after',
      [
        '\nFaults:',
        ...Object.entries(faultKinds).map(([name, kind]: [string, FaultKind]) =>
          termLine(name, `${kind.text}${kind.value === undefined ? '' : ` (${kind.value})`}`, width),
        ),
        '\nExamples:',
        '  $ sluice sandbox fault stop-mining --network sandbox-one',
        '  $ sluice sandbox fault rpc-502 --method eth_sendRawTransaction --times 1',
        '  $ sluice sandbox fault clear',
      ].join('\n'),
    )
    .action(action(program, fault))
}

async function fault(cli: Cli, words: readonly string[], options: Options): Promise<void> {
  const { sandbox } = cli.program
  if (words.length === 0) return list(cli, (await sandbox.status()).faults ?? [])
  if (words.join(' ') === 'clear') {
    refuse(
      optionNames.some((name) => options[name] !== undefined),
      '`clear` removes all faults and takes no option',
      sluice('sandbox fault', 'clear'),
    )
    const { faults } = await sandbox.status()
    return list(cli, await sandbox.clearFaults(), faults)
  }
  cli.emit(await sandbox.fault(await requestOf(cli, words, options)), ({ kind, text }, to, line) =>
    'once' in faultKinds[kind]
      ? `${to.paint.green('done')} ${sanitizeText(text)}`
      : `${to.paint.yellow('set')} ${sanitizeText(text)}${to.paint.dim(`  to clear: ${line(sluice('sandbox fault', 'clear'))}`)}`,
  )
}

/** Lists the active faults; without any, says which were `cleared`. */
const list = (cli: Cli, items: SandboxFault[], cleared: readonly SandboxFault[] = []): Promise<void> =>
  cli.list(
    { items, page: 1, limit: Math.max(1, items.length), total: items.length, hasMore: false },
    {
      empty:
        cleared.length === 0
          ? 'No active faults.'
          : `Cleared: ${[...new Set(cleared.map(({ kind }) => kind))].join(', ')}`,
      columns: [
        { title: 'FAULT', field: 'kind', csv: { kind: ({ kind }) => kind }, text: ({ kind }) => kind },
        {
          title: 'NETWORK',
          field: 'network',
          csv: { network: ({ network }) => network },
          text: ({ network }) => network ?? 'all',
          drop: 2,
        },
        {
          title: 'WHAT',
          field: 'text',
          csv: { text: ({ text }) => text },
          text: ({ text }) => sanitizeText(text),
          drop: 1,
        },
      ],
    },
  )

/** `bridge stuck` is `bridge-stuck`; a last word that is no part of a name is the value. */
function split(words: readonly string[]): { name: string; value: string | undefined } {
  const all = words.join('-')
  if (Object.hasOwn(faultKinds, all) || words.length === 1) return { name: all, value: undefined }
  const name = words.slice(0, -1).join('-')
  // An unknown name is repeated as it was given.
  return Object.hasOwn(faultKinds, name) ? { name, value: words.at(-1)! } : { name: all, value: undefined }
}

/** What may be typed as the value of a fault, by its kind; the others are addresses. */
const examples: Readonly<Record<string, string>> = { duration: '5s', percent: '10%', blocks: '3' }

async function requestOf(cli: Cli, words: readonly string[], options: Options): Promise<FaultRequest> {
  const { name: typed, value } = split(words)
  const { name, kind } = faultNamed(sanitizeText(typed))
  for (const option of optionNames)
    refuse(
      options[option] !== undefined && !kind.takes.includes(option),
      `--${option} does not apply to ${name}`,
      sluice('sandbox fault', name),
    )
  refuse(
    value !== undefined && kind.value === undefined,
    `${name} takes no value`,
    sluice('sandbox fault', name),
  )
  const example = examples[kind.value ?? ''] ?? '0x...'
  refuse(
    value === undefined && kind.isValueNeeded === true,
    `${name} needs a ${kind.value}`,
    sluice('sandbox fault', name, example),
  )
  const times =
    options.times === undefined ? (kind.times ?? null) : wholeNumber(options.times, '--times', 10_000)
  return {
    kind: name,
    network: options.network === undefined ? null : await networkOf(cli, options.network),
    method: options.method === undefined ? null : sanitizeText(options.method),
    times,
    reason: options.reason ?? null,
    ...amountOrPlace(name, kind.value, value),
  }
}

const networkOf = async (cli: Cli, text: string): Promise<string> => {
  const { chains } = await cli.program.sandbox.up()
  const found = chains.find(({ network, chainId }) => network === text || String(chainId) === text)
  if (found) return found.network
  throw new AppError('UNKNOWN_NETWORK', `The sandbox has no network "${sanitizeText(text)}"`, {
    next: eachAdvice(
      chains.map(({ network }) => advice`On ${network}: ${sameWith({ '--network': network })}`),
    ),
  })
}

/** The default value of a fault: two seconds, one block, a tenth, or the account that signs by default. */
function amountOrPlace(
  name: string,
  kind: FaultKind['value'],
  text: string | undefined,
): Pick<FaultRequest, 'amount' | 'at'> {
  const amount = (usual: number | null, read: (given: string) => number) => ({
    amount: text === undefined ? usual : read(text),
    at: null,
  })
  if (kind === 'contract') return { amount: null, at: address(text ?? '', 'A contract') }
  if (kind === 'account') return { amount: null, at: text === undefined ? null : address(text, 'An account') }
  if (kind === 'nonce') return amount(null, nonceOf)
  if (kind === 'blocks') return amount(1, (given) => wholeNumber(given, 'The number of blocks', 1_000))
  if (kind === 'percent') return amount(10, (given) => wholeNumber(given.replace(/%$/, ''), 'The part', 99))
  if (kind === 'duration')
    return amount(name === 'delay' ? null : 2_000, (given) => Math.round(duration(given)))
  return { amount: null, at: null }
}

function nonceOf(text: string): number {
  if (/^[0-9]{1,9}$/.test(text)) return Number(text)
  throw new AppError('USAGE', `"${sanitizeText(text)}" is not a nonce`, {
    next: advice`${sluice('sandbox fault', 'drop-waiting', '7')}, or without a nonce for all pending transactions`,
  })
}

function refuse(isWrong: boolean, message: string, next: Advice): void {
  if (isWrong) throw new AppError('USAGE', message, { next })
}
