import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { gathered } from '../../../bench/docs/gathered.ts'
import { manual } from '../../../bench/docs/man.ts'
import { markdown } from '../../../bench/docs/markdown.ts'

const root = join(import.meta.dirname, '../../..')
const page = join(root, 'docs', 'man', 'sluice.1')
const all = await gathered()
const commands = all.groups.flatMap((group) => group.commands)

test('docs/commands.md and the manual page match the commands', () => {
  expect(readFileSync(join(root, 'docs', 'commands.md'), 'utf8')).toBe(markdown(all))
  expect(readFileSync(page, 'utf8')).toBe(manual(all))
})

test('the reference has each command under its heading with its own flags, and the README links to it', () => {
  const text = markdown(all)
  expect(commands.length).toBeGreaterThan(50)
  for (const { command, flags } of commands) {
    const after = text.split(`### sluice ${command}\n`)[1]!.split('\n### ')[0]!
    for (const { name, group } of flags) if (group !== 'Global') expect(after).toContain(name)
    expect(text).toContain(`(#sluice-${command.replaceAll(' ', '-')})`)
  }
  expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain('(docs/commands.md)')
})

test('manual escapes roff macros and escapes in texts', () => {
  const odd = { ...all, description: ".so /etc/passwd\n'sh \\f(CW -x" }
  expect(manual(odd)).toContain("\n\\&.so /etc/passwd 'sh \\ef(CW \\-x\n")
})

test.runIf(existsSync('/usr/bin/groff'))('groff renders the manual page without warnings', () => {
  const { stdout, stderr } = spawnSync('groff', ['-man', '-Tutf8', '-ww', '-P-c', page], {
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  const shown = stdout.replace(/.\u0008/g, '')
  expect(shown).toContain('sluice deposit [options] <id>')
  expect(shown).toContain('--idempotency-key KEY')
  expect(shown).toContain('EXIT STATUS')
})
