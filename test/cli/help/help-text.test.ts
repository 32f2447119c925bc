import { type Command, Help } from 'commander'
import { expect, test } from 'vitest'
import { buildProgram } from '../../../src/app/main.ts'
import { helpParts, helpText } from '../../../src/cli/help/help-text.ts'
import { leavesOf, wordsOf } from '../../../src/cli/options/command-tree-queries.ts'
import { unpainted } from '../../../src/cli/terminal/terminal-abilities.ts'
import { topics, topicText } from '../../../src/commands/help-topics.ts'

const wholeProgram = () =>
  buildProgram([], { version: '0', io: { out: { write: () => undefined } } } as never, true)

test('helpText equals the help of commander for every command at every width', async () => {
  const root = await wholeProgram()
  const withAll = (command: Command): Command[] => [command, ...command.commands.flatMap(withAll)]
  for (const helpWidth of [20, 45, 60, 80, 100, 133, 240])
    for (const command of withAll(root)) {
      if (helpWidth === 80) {
        const parts = helpParts(command)
        const lines = `${helpText(parts, 80)}\n${parts.after}`.split('\n')
        // A command to paste is not broken.
        expect(lines.filter((line) => line.length > 80 && !/^ +\$ /.test(line))).toEqual([])
        expect(lines.join('\n')).not.toContain('display help')
      }
      const theirs = Object.assign(new Help(), { helpWidth, showGlobalOptions: false, minWidthToWrap: 24 })
      expect(helpText(helpParts(command), helpWidth)).toBe(theirs.formatHelp(command, theirs))
    }
})

test('the help of every command shows its own options first, and those of every command last', async () => {
  for (const command of leavesOf(await wholeProgram())) {
    const headings = helpParts(command)
      .sections.map(([heading]) => heading)
      .filter((heading) => heading !== 'Arguments:')
    const [own, global] = [headings.indexOf('Options:'), headings.indexOf('Global:')]
    expect({ command: wordsOf(command), own, global }).toEqual({
      command: wordsOf(command),
      own: headings.includes('Options:') ? 0 : -1,
      global: headings.includes('Global:') ? headings.length - 1 : -1,
    })
  }
})

const exchange = ['--max-service-fee', '--max-price-impact']

/** The commands that make transactions, with the signing options that would change nothing for each. */
const useless: Readonly<Record<string, readonly string[]>> = {
  deposit: [],
  withdraw: [],
  'swap execute': [],
  'action submit': ['--nonce'],
  'action revoke': exchange,
  'wallet approvals revoke': exchange,
  transfer: [...exchange, '--pipeline'],
  'action deliver': [...exchange, '--pipeline', '--allow-token'],
}

test.each(Object.entries(topics))(
  'the help topic %s fits a terminal of 80 columns, in whole words',
  (_, topic) => {
    const to = { write: () => undefined, isTerminal: true, columns: 80, paint: unpainted }
    const lines = topicText(topic, to).split('\n')
    expect(lines.filter((line) => line.length > 80)).toEqual([])
    const words = (text: string) => text.split(/\s+/).filter((word) => word !== '')
    expect(words(lines.join(' '))).toEqual(words(topicText(topic, { ...to, isTerminal: false })))
  },
)

test('each command that makes transactions offers the signing options that change something, and no others', async () => {
  const program = await wholeProgram()
  const offered = new Map(
    leavesOf(program)
      .map((one) => [wordsOf(one), one.options.flatMap(({ long }) => long ?? [])] as const)
      .filter(([, flags]) => flags.includes('--min-assurance')),
  )
  expect([...offered.keys()].toSorted()).toEqual(Object.keys(useless).toSorted())
  const every = ['--nonce', '--pipeline', '--allow-token', '--allow-contract', '--queue-behind', ...exchange]
  for (const [name, flags] of offered)
    expect([name, every.filter((flag) => !flags.includes(flag)).toSorted()]).toEqual([
      name,
      [...useless[name]!].toSorted(),
    ])
})
