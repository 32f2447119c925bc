import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gathered } from './docs/gathered.ts'
import { manual } from './docs/man.ts'
import { markdown } from './docs/markdown.ts'

// Writes the command reference and the manual page. A test compares them with what this would write.
const root = join(import.meta.dirname, '..')
const all = await gathered()
for (const [path, content] of [
  ['docs/commands.md', markdown(all)],
  ['docs/man/sluice.1', manual(all)],
] as const) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
  console.log(path)
}
