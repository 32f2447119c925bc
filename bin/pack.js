// Before `npm pack`: everything is built, and of the builds in `dist` only the one that runs goes into the package.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { currentBuild } from './built.js'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
for (const name of ['build.js', 'types.js'])
  execFileSync(process.execPath, [join(root, 'bin', name)], { stdio: 'inherit' })
const built = currentBuild(root)
if (built) writeFileSync(join(root, 'dist', '.npmignore'), `/*/\n!/${basename(built)}/\n`)
else {
  process.stderr.write('Nothing is built that could be packed: run npm ci first.\n')
  process.exitCode = 1
}
