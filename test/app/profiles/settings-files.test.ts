import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { spawnSluice } from '../../support/spawn-program.ts'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sluice-settings-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const file = (name: string) => join(home, 'config', name)
const read = (name: string) => JSON.parse(readFileSync(file(name), 'utf8'))
const sluice = (line: string) => spawnSluice(home, line.split(' '), { env: { SLUICE_HOME: home } })

test('concurrent profile set commands keep every profile and every API key', async () => {
  const names = ['one', 'two', 'three', 'four']
  for (const name of names) writeFileSync(join(home, name), `key-of-${name}\n`, { mode: 0o600 })
  const all = await Promise.all(
    names.map((name) =>
      sluice(`profile set ${name} --base-url https://${name}.example --api-key-file ${join(home, name)}`),
    ),
  )
  expect(all.map(({ exit, err }) => ({ exit, err }))).toEqual(names.map(() => ({ exit: 0, err: '' })))
  expect(Object.keys(read('config.json').profiles).toSorted()).toEqual(names.toSorted())
  for (const name of names)
    expect(read('secrets.json')[name].apiKey).toEqual({
      key: `key-of-${name}`,
      baseUrl: `https://${name}.example`,
    })
})

test('secrets.json of an older version is refused with a hint to move it aside', async () => {
  expect((await sluice('profile set prod --base-url https://a.example')).exit).toBe(0)
  writeFileSync(file('secrets.json'), JSON.stringify({ prod: { apiKey: 'canary-4711' } }), { mode: 0o600 })
  const { exit, out, err } = await sluice('strategies list --json --profile prod')
  expect({ exit, leaks: /canary/.test(out + err) }).toEqual({ exit: 2, leaks: false })
  const { code, hint } = JSON.parse(out).error
  expect(code).toBe('CONFIG_INVALID')
  const [, from, to] = /mv (\S+) (\S+),/.exec(hint)!
  expect([from, to]).toEqual([file('secrets.json'), `${file('secrets.json')}.old`])
  expect(hint).toContain('sluice profile set NAME --api-key-file -')
  rmSync(from!)
  expect((await sluice('profile show prod')).exit).toBe(0)
})

test('profile set exits 12 and writes nothing while it cannot take the settings lock', async () => {
  mkdirSync(join(home, 'config', 'settings.lock'), { recursive: true, mode: 0o700 })
  const { exit, out } = await sluice('profile set prod --base-url https://a.example --json')
  expect({ exit, code: JSON.parse(out).error.code }).toEqual({ exit: 12, code: 'STATE_UNUSABLE' })
  expect(existsSync(file('config.json'))).toBe(false)
})
