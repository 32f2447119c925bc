import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Oracle, oracles } from './sets.ts'

/*
 * Regenerates the fixtures: runs each official SDK in a directory of its own, with pinned packages, and stores its output.
 * Needs the package registry; the tests need the stored fixtures only. `npm run oracles`, or `npm run oracles NAME`.
 */

const here = import.meta.dirname

/** A hash of the script and packages of a fixture. When either changes, the fixture must be regenerated. */
export const madeBy = ({ script, packages, overrides }: Oracle): string =>
  createHash('sha256')
    .update(readFileSync(join(here, script)))
    .update(readFileSync(join(here, 'random.cjs')))
    .update(JSON.stringify([packages, overrides ?? {}]))
    .digest('hex')

if (import.meta.main)
  for (const oracle of oracles.filter(({ name }) => process.argv.length < 3 || process.argv.includes(name))) {
    const dir = mkdtempSync(join(tmpdir(), 'sluice-oracle-'))
    try {
      const { name, script, packages: dependencies, overrides } = oracle
      writeFileSync(join(dir, 'package.json'), JSON.stringify({ private: true, dependencies, overrides }))
      execFileSync('npm', ['install', '--ignore-scripts', '--legacy-peer-deps', '--loglevel=error'], {
        cwd: dir,
        stdio: 'inherit',
      })
      for (const file of [script, 'random.cjs']) copyFileSync(join(here, file), join(dir, file))
      const said = execFileSync(process.execPath, [script], { cwd: dir, maxBuffer: 1 << 28 }).toString()
      const fixture = { madeBy: madeBy(oracle), packages: dependencies, ...JSON.parse(said) }
      writeFileSync(join(here, 'fixtures', `${name}.json`), `${JSON.stringify(fixture)}\n`)
      process.stdout.write(`${name}: ${said.length} bytes\n`)
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  }
