import { expect, test } from 'vitest'
import { progressDisplay } from '../../../src/cli/terminal/progress-display.ts'
import { unpainted } from '../../../src/cli/terminal/terminal-abilities.ts'

test('after the last answer nothing is drawn, not a line that names nothing', async () => {
  const drawn: string[] = []
  const err = {
    ...{ write: () => undefined, isTerminal: true, redraws: true, columns: 80, paint: unpainted },
  }
  const drawOn = Object.assign(new (await import('node:stream')).PassThrough(), {
    ...{ isTTY: true, columns: 80, cursorTo: () => true, clearLine: () => true, moveCursor: () => true },
  })
  drawOn.on('data', (bytes) => drawn.push(String(bytes)))
  const pending: (() => void)[] = []
  const timers = {
    now: () => 0,
    after: (_: number, call: () => void) => {
      pending.push(call)
      return () => undefined
    },
  }
  const display = progressDisplay({ err, drawOn } as never, timers)
  display.start(false)
  const ends = ['one', 'two'].map(display.begin)
  for (const call of pending.splice(1)) call()
  await expect.poll(() => drawn.join('')).toContain('waiting for one, two')
  for (const end of ends) end(true)
  drawn.length = 0
  await new Promise((resolve) => setTimeout(resolve, 250))
  expect(drawn.join('')).not.toContain('waiting for')
  display.end()
})

test.each([
  ['pending: waiting for the payment', 'still pending: waiting for the payment 15s'],
  ['reading the chain', 'still reading the chain 15s'],
  ['1/2 Supply 100 USDC', 'still waiting: 1/2 Supply 100 USDC 15s'],
])('where nothing is redrawn, "%s" is repeated every 15 s as "%s"', (doing, line) => {
  const said: string[] = []
  let now = 0
  const beats: (() => void)[] = []
  const timers = {
    now: () => now,
    after: (ms: number, call: () => void) => {
      if (ms === 15_000) beats.push(call)
      return () => undefined
    },
  }
  const err = { write: (text: string) => said.push(text), isTerminal: false, columns: 80, paint: unpainted }
  const display = progressDisplay({ err } as never, timers)
  display.start(false)
  display.doing(doing)
  now = 15_000
  beats.shift()!()
  expect(said).toEqual([`${line}\n`])
})
