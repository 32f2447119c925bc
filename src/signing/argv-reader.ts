import { splitNetworkPrefix } from '../domain/address.ts'

/** The value of an option on a command line; the last occurrence counts. */
export function optionValue(argv: readonly string[], name: string): string | undefined {
  const at = argv.findLastIndex((word) => word === name || word.startsWith(`${name}=`))
  if (at < 0) return undefined
  return argv[at] === name ? argv[at + 1] : argv[at]!.slice(name.length + 1)
}

/** The flags without a value; every other option has one. */
export const booleanFlags =
  /^(--(json|csv|quiet|debug|no-[a-z-]+|yes|dry-run|pipeline|queue-behind|allow-duplicate|trust-first-use|fee-sponsorship|claim|restart-cooldown|all|help|version)|-[a-zA-Z])$/

/** The words of a command line that are neither options nor their values. */
export function commandOperands(argv: readonly string[]): string[] {
  const end = argv.indexOf('--')
  const [flags, rest] = end < 0 ? [argv, []] : [argv.slice(0, end), argv.slice(end + 1)]
  const words = flags.filter((word, at) => {
    if (word.startsWith('-') && word !== '-') return false
    const before = flags[at - 1] ?? ''
    return !before.startsWith('--') || before.includes('=') || booleanFlags.test(before)
  })
  return [...words, ...rest]
}

/** Whether a text is on the command line, alone, as an option's value, or after the network of an address. */
export function isOnCommandLine(argv: readonly string[], text: string): boolean {
  const wanted = text.toLowerCase()
  return argv.some((word) => {
    const typed = word.toLowerCase()
    const value = typed.slice(typed.indexOf('=') + 1)
    return [typed, value, splitNetworkPrefix(value).address].includes(wanted)
  })
}
