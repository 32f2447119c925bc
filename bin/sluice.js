#!/usr/bin/env node
// Prints a page that the build wrote, or starts the program of the build. Plain JavaScript that any Node can parse.
import { isNewEnough } from './node-version.js'

if (!isNewEnough()) await (await import('./hand-over.js')).handOver()
else if (!isPrinted(process.argv.slice(2))) await start()

async function start() {
  try {
    await import('../dist/app/launch.js')
  } catch (error) {
    if (error?.code !== 'ERR_MODULE_NOT_FOUND' || !error.url?.endsWith('/dist/app/launch.js')) throw error
    const { existsSync } = process.getBuiltinModule('node:fs')
    const isClone = existsSync(new URL('../src/app/launch.ts', import.meta.url))
    process.stderr.write(
      isClone
        ? 'sluice is not built. Run: npm run build\n'
        : 'This installation of sluice is not complete. Install it again.\n',
    )
    process.exitCode = 12
  }
}

/**
 * Prints the version, or the help page of a command, if nothing else is asked for. Returns `false` for a terminal, whose
 * width the program asks for.
 */
function isPrinted(argv) {
  const last = argv.at(-1)
  const isHelp = last === '--help' || last === '-h'
  const isVersion = argv.length === 1 && (last === '--version' || last === '-V')
  // The program itself reports the signal that an earlier process got.
  if (!(isHelp || isVersion) || process.env.SLUICE_STOPPED) return false
  // A static import of these would load all their exports.
  const { fstatSync, readFileSync, writeSync } = process.getBuiltinModule('node:fs')
  let left
  try {
    if (isHelp && fstatSync(1).isCharacterDevice()) return false
    const words = isHelp ? argv.slice(0, -1) : ['--version']
    const pages = `\n${readFileSync(new URL('../dist/app/help-pages', import.meta.url), 'utf8')}\n`
    const start = `\n${words[0] ?? ''}\t`
    const at = pages.indexOf(start)
    if (at < 0) return false
    const line = JSON.parse(pages.slice(at + start.length, pages.indexOf('\n', at + 1)))
    if (!Object.hasOwn(line, words.join(' '))) return false
    left = Buffer.from(line[words.join(' ')])
  } catch {
    return false
  }
  try {
    while (left.length > 0) left = left.subarray(writeSync(1, left))
  } catch (error) {
    // The reader may have closed the pipe. A full pipe takes the rest later.
    if (error.code !== 'EPIPE') process.stdout.write(left)
  }
  return true
}
