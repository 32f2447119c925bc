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
