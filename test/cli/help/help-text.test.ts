import { type Command, Help } from 'commander'
import { expect, test } from 'vitest'
import { buildProgram } from '../../../src/app/main.ts'
import { helpParts, helpText } from '../../../src/cli/help/help-text.ts'

test('helpText equals the help of commander for every command at every width', async () => {
  const root = await buildProgram(
    [],
    { version: '0', io: { out: { write: () => undefined } } } as never,
    true,
  )
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
