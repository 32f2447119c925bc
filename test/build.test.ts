import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const here = join(import.meta.dirname, '..')
const sentence = 'print the version'
let root: string

/** A clone of its own, so that nobody else's build is touched. */
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'sluice-build-'))
  for (const name of ['bin', 'src', 'completions', 'package.json', 'package-lock.json'])
    cpSync(join(here, name), join(root, name), { recursive: true, preserveTimestamps: true })
  symlinkSync(join(here, 'node_modules'), join(root, 'node_modules'))
  node(join(root, 'bin', 'build.js'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const node = (...args: string[]) =>
  execFileSync(process.execPath, args, {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: root },
  })
const help = () => node(join(root, 'bin', 'sluice.js'), '--help')

describe('the build', () => {
  it('is what runs, as long as it is what the sources say', () => {
    // Only the build is changed: so it is the build that speaks.
    const chunk = readdirSync(join(root, 'dist')).find((name) => name.startsWith('start-always'))!
    const path = join(root, 'dist', chunk)
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(sentence, 'said by the build'))
    expect(help()).toContain('said by the build')
  })

  it('gives way to a source that is newer, until it is built again', () => {
    const path = join(root, 'src', 'main.ts')
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(sentence, 'said by the source'))
    expect(help()).toContain('said by the source')
    node(join(root, 'bin', 'build.js'))
    writeFileSync(
      join(root, 'dist', 'start.js'),
      `process.stdout.write('built again')\nexport const start = () => undefined\n`,
    )
    expect(help()).toBe('built again')
  })

  it('gives the process that holds the keys nothing of the terminal', () => {
    const signer = readdirSync(join(here, 'dist')).filter((name) => name.startsWith('signer'))
    expect(signer.length).toBeGreaterThan(0)
    for (const name of signer)
      expect(readFileSync(join(here, 'dist', name), 'utf8')).not.toMatch(
        /CommanderError|node_modules\/(chalk|@inquirer|ora)\//,
      )
  })
})
