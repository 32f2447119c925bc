import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'

import { discardTyped } from '../../src/cli/terminal/typed-ahead.ts'
import { attemptsIn, type ProgramHome, programHome, spawnSluice } from '../support/program.ts'
import { type Terminal, terminal } from '../support/pty.ts'

let home: ProgramHome
let open: Terminal[] = []
const shown = (line: string) => {
  const one = terminal(home.home, line.split(' '))
  open.push(one)
  return one
}
const sluice = (line: string) => spawnSluice(home.home, line.split(' '))
/** Types before anything was read, and while it is at work. */
const typedAt = async (at: Terminal, keys: string, times: readonly number[]) => {
  const began = Date.now()
  for (const time of times) {
    await sleep(Math.max(0, time - (Date.now() - began)))
    at.type(keys)
  }
}
/** Long enough for an answer that was taken to have come to something. */
const aWhile = 500

beforeAll(async () => {
  home = programHome(inject('sandboxCache'))
  await sluice('sandbox up')
})
afterEach(() => {
  for (const one of open) one.end()
  open = []
})
afterAll(() => home.end())

const deposit = 'deposit aave-v3-usdc-sandbox-one --amount 100'

describe('what is typed before the question stands there answers nothing', () => {
  test.each([
    ['at once', 'y\r', [0]],
    ['while it is at work', 'y\r', [5, 50, 100, 200, 300]],
    ['without the end of its line', 'y', [0, 150]],
    ['as a block that is pasted', 'y\r'.repeat(2000), [0]],
  ])('%s', async (_, keys, times) => {
    const before = attemptsIn(home.data)
    const at = shown(deposit)
    await typedAt(at, keys, times)
    await at.shows('(y/N)')
    await sleep(aWhile)
    expect(await at.screen()).toMatch(/\(y\/N\)$/)
    at.type('\r')
    expect(await at.exit).toBe(9)
    expect(attemptsIn(home.data)).toBe(before)
  })

  test('and what is typed then does', async () => {
    const at = shown(deposit)
    await typedAt(at, 'n\r', [0, 100, 300])
    await at.shows('(y/N)')
    at.type('y\r')
    expect(await at.exit).toBe(0)
  })

  test.each([
    ['the end of the input', '\u0004'],
    ['Ctrl-C', '\u0003'],
  ])('%s at a question is an interruption', async (_, key) => {
    for (const line of [deposit, 'wallet new another', 'init']) {
      const at = shown(line)
      await at.shows(/\(y\/N\)|New password|\?/)
      await sleep(aWhile)
      at.type(key)
      expect({ line, exit: await at.exit }).toEqual({ line, exit: 130 })
      expect(await at.screen()).toContain('Nothing was signed.')
    }
  })

  test('nor is it a password, and the one that is typed after a question is heard before the next', async () => {
    const at = shown('wallet new main')
    await typedAt(at, 'hunter2\rhunter2\r', [0, 100])
    await at.shows(/New password.*: ?$/m)
    await sleep(aWhile)
    expect(existsSync(join(home.data, 'keystores', 'main.json'))).toBe(false)
    at.type('correct\r')
    await at.shows(/once more.*: ?$/m)
    at.type('correct\r')
    expect(await at.exit).toBe(0)
  })
})

test.each([
  ['a Ctrl-C among it is told', ['y', 'y\u0003y'], true],
  ['no key but that is', ['y\r', 'q\u0004', '\r'], false],
])('%s, and the terminal is given back for an interruption alone', async (_, pieces, isInterrupted) => {
  const modes: boolean[] = []
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (on: boolean) => void modes.push(on),
  })
  const discarded = discardTyped(input as never)
  for (const piece of pieces) {
    input.write(piece)
    await sleep(10)
  }
  expect(await discarded).toBe(isInterrupted)
  expect(modes).toEqual(isInterrupted ? [true, false] : [true])
  const heard: string[] = []
  input.on('data', (keys: Buffer) => heard.push(keys.toString())).resume()
  input.write('n')
  await sleep(10)
  expect(heard.at(-1)).toBe('n')
  expect(input.listenerCount('data')).toBe(1)
})

test('a stream that is no terminal is left alone: what comes there was meant', async () => {
  const input = new PassThrough()
  input.write('text')
  expect(await discardTyped(input as never)).toBe(false)
  expect(String(input.read())).toBe('text')
})
