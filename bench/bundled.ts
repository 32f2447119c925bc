import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { rolldown } from 'rolldown'

/** Where the packages that a bundle loads by their names are found. */
const cache = join(import.meta.dirname, '..', 'node_modules', '.cache')

/** A script bundled into one file, so that a process starts without reading hundreds of files. Removed when this process ends. */
export async function bundled(script: string): Promise<string> {
  mkdirSync(cache, { recursive: true })
  const dir = mkdtempSync(join(cache, 'sluice-script-'))
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }))
  const file = join(dir, basename(script).replace(/\.ts$/, '.mjs'))
  const bundle = await rolldown({ input: script, platform: 'node' })
  await bundle.write({ file, format: 'esm', codeSplitting: false })
  await bundle.close()
  return file
}
