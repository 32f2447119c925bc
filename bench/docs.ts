import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gathered } from './docs/gathered.ts'
import { filled } from './docs/generated.ts'
import { manual } from './docs/man.ts'
import { markdown } from './docs/markdown.ts'

// Writes the command reference, the manual page and the generated parts of other pages. Tests compare the pages with this output.
const root = join(import.meta.dirname, '..')
const all = await gathered()
const pages = ['README.md', ...globSync('docs/*.md', { cwd: root })].filter(
  (path) => path !== 'docs/commands.md',
)
for (const [path, content] of [
  ['docs/commands.md', markdown(all)],
  ['docs/man/sluice.1', manual(all)],
  ...pages.map((path) => [path, filled(readFileSync(join(root, path), 'utf8'))] as const),
] as const) {
  const file = join(root, path)
  if (existsSync(file) && readFileSync(file, 'utf8') === content) continue
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
  console.log(`changed: ${path}`)
}
