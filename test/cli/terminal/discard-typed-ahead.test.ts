import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { spawn } from '@lydell/node-pty'
import { describe, expect, test } from 'vitest'
import { discardTyped } from '../../../src/cli/terminal/discard-typed-ahead.ts'
import { openKeystore } from '../../../src/signing/keystore/encryption.ts'
import { attemptsIn } from '../../support/spawn-program.ts'
import type { Terminal } from '../../support/terminal/pseudo-terminal.ts'
import { useTerminals } from '../../support/terminal/use-terminals.ts'

const { home, shown } = useTerminals()
/** Types the keys at the given times, in milliseconds from now. */
const typedAt = async (at: Terminal, keys: string, times: readonly number[]) => {
  const began = Date.now()
  for (const time of times) {
    await sleep(Math.max(0, time - (Date.now() - began)))
    at.type(keys)
  }
}

/** Types before the question appears. If a busy machine shows the question earlier, tries again with the next command line. */
async function typedBefore(
  lineOf: (tried: number) => string,
  keys: string,
  times: readonly number[],
  question = '(y/N)',
): Promise<{ at: Terminal; tried: number }> {
  for (let tried = 0; ; tried++) {
    const at = shown(lineOf(tried))
    await typedAt(at, keys, times)
    if (!at.bytes().includes(question)) return { at, tried }
    at.type('\u0003')
    await at.exit
  }
}

const deposit = 'deposit aave-v3-usdc-sandbox-one --amount 100'

describe('questions at a terminal', () => {
  test.each([
    ['keys while the command works', 'y\r', [5, 50, 100, 200, 300]],
    ['a key without the end of its line', 'y', [0, 150]],
    ['one pasted block', 'y\r'.repeat(2000), [0]],
  ])('input before the question does not answer it: %s', async (_, keys, times) => {
    const before = attemptsIn(home().data)
    const { at } = await typedBefore(() => deposit, keys, times)
    await at.shows('(y/N)')
    expect(await at.screen()).toMatch(/\(y\/N\)$/)
    // Input is read in order: an accepted earlier key would have changed this answer.
    at.type('\r')
    expect(await at.exit).toBe(9)
    expect(attemptsIn(home().data)).toBe(before)
  })

  test('an answer after the question counts, earlier input does not', async () => {
    const { at } = await typedBefore(() => deposit, 'n\r', [0, 100, 300])
    await at.shows('(y/N)')
    at.type('y\r')
    expect(await at.exit).toBe(0)
  })

  // Ctrl-C at a deposit is tested in terminal.test.ts.
  test.each([
    ['the end of the input', '\u0004', [deposit, 'wallet new another', 'init']],
    ['Ctrl-C', '\u0003', ['wallet new another', 'init']],
  ])('%s at a question exits 130 with nothing signed', async (_, key, lines) => {
    for (const line of lines) {
      const at = shown(line)
      await at.shows(/\(y\/N\)|New password|\?/)
      at.type(key)
      expect({ line, exit: await at.exit }).toEqual({ line, exit: 130 })
      expect(await at.screen()).toContain('Nothing was signed.')
    }
  })

  test('input before a password prompt is not used as the password', async () => {
    const { at, tried } = await typedBefore(
      (tried) => `wallet new main-${tried}`,
      'hunter2\rhunter2\r',
      [0, 100],
      'New password',
    )
    await at.shows(/New password.*: ?$/m)
    at.type('correct\r')
    await at.shows(/Repeat the password.*: ?$/m)
    at.type('correct\r')
    expect(await at.exit).toBe(0)
    const sealed = readFileSync(join(home().data, 'keystores', `main-${tried}.json`), 'utf8')
    expect(await openKeystore(sealed, 'correct')).toMatch(/^0x[0-9a-f]{64}$/)
  })
})

test.each([
  ['reports Ctrl-C and restores the terminal mode', ['y', 'y\u0003y'], true],
  ['reports no other key and stays in raw mode', ['y\r', 'q\u0004', '\r'], false],
])('discardTyped %s', async (_, pieces, isInterrupted) => {
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

test('discardTyped fails with PROMPT_NEEDED and restores the terminal when keys never stop', async () => {
  const modes: boolean[] = []
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (on: boolean) => void modes.push(on),
  })
  let isHeld = true
  const press = () => {
    input.write('y\r')
    if (isHeld) setImmediate(press)
  }
  press()
  const given = await discardTyped(input as never, 100).catch((error: unknown) => error)
  isHeld = false
  expect(given).toMatchObject({ code: 'PROMPT_NEEDED', message: expect.stringContaining('without end') })
  expect({ modes, isPaused: input.isPaused() }).toEqual({ modes: [true, false], isPaused: true })
  expect(input.listenerCount('data')).toBe(0)
})

test('discardTyped reads nothing from a stream that is not a terminal', async () => {
  const input = new PassThrough()
  input.write('text')
  expect(await discardTyped(input as never)).toBe(false)
  expect(String(input.read())).toBe('text')
})

test('discardTyped discards keys while a busy event loop delays its timers', async () => {
  const typedAhead = new URL('../../../src/cli/terminal/discard-typed-ahead.ts', import.meta.url)
  const flag = join(home().data, '..', 'typed')
  const program = `
    import { existsSync } from 'node:fs'
    import { discardTyped } from ${JSON.stringify(typedAhead)}
    process.stdin.setRawMode(true)
    process.stdout.write('begun ')
    // Blocks the event loop until the keys are typed, and again while they are discarded.
    while (!existsSync(${JSON.stringify(flag)})) {}
    const discarded = discardTyped(process.stdin)
    const began = performance.now()
    while (performance.now() < began + 500) {}
    await discarded
    process.stdin.on('data', (keys) => process.stdout.write('heard ' + keys))
    process.stdout.write('asks ')
    setTimeout(() => process.exit(), 500)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { env: process.env })
  let bytes = ''
  const exit = new Promise((done) => child.onExit(done))
  child.onData((some) => {
    if (!bytes.includes('begun') && (bytes + some).includes('begun')) {
      child.write('y\r')
      setTimeout(() => writeFileSync(flag, ''), 300)
    }
    bytes += some
  })
  await exit
  expect(bytes).toContain('asks')
  expect(bytes).not.toContain('heard')
})
