import { globalOptions } from './global-options.ts'

const takesValue = new Set(
  globalOptions.filter(([flags]) => flags.includes('<')).map(([flags]) => flags.split(' ')[0]!),
)

/** The flags that say how help is printed. */
const preparsed = new Set(['--json', '--no-color', '--quiet', '--debug', '--no-input'])

/** The command that a line names, before anything is parsed. */
export function scanCommandName(argv: readonly string[]): { name?: string; sub?: string } {
  const words: string[] = []
  for (let at = 0; at < argv.length && words.length < 2; at++) {
    const word = argv[at]!
    if (takesValue.has(word)) at++
    else if (!word.startsWith('-')) words.push(word)
  }
  return {
    ...(words[0] !== undefined && { name: words[0] }),
    ...(words[1] !== undefined && { sub: words[1] }),
  }
}

/** Rewrites `help GROUP COMMAND` and `COMMAND help` as `COMMAND --help`; any other line stays the same. */
export function helpAsFlag(argv: readonly string[]): readonly string[] {
  const at = argv.indexOf('help')
  const words = argv.filter((word) => !word.startsWith('-'))
  // No strategy, wallet or action is called help.
  const isLast = words.length > 1 && words.at(-1) === 'help' && !/^(help|schema)$/.test(words[0]!)
  if (isLast && argv.every((word) => !word.startsWith('-') || preparsed.has(word)))
    return [...argv.toSpliced(argv.lastIndexOf('help'), 1), '--help']
  return scanCommandName(argv).name === 'help' && words.length > 2
    ? [...argv.toSpliced(at, 1), '--help']
    : argv
}

/** Flags that were renamed, by their former names, which scripts may still use. */
const renamedFlags = new Map([['--max-assurance-loss', '--min-assurance']])

/** The command line with the current names of renamed flags. */
export function withCurrentFlags(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return argv.map((word, at) => {
    const [name = '', ...value] = word.split('=')
    const renamed = end >= 0 && at > end ? undefined : renamedFlags.get(name)
    return renamed === undefined ? word : [renamed, ...value].join('=')
  })
}
