import { expect, test } from 'vitest'
import type { Cli } from '../../src/cli/command-run-types.ts'
import { watchUntil } from '../../src/cli/watch-loop.ts'

/** A command line that may run for a minute, and whose output nobody reads. */
const cli = {
  globals: {},
  io: { out: {}, err: {} },
  emit: () => undefined,
  program: {
    interrupt: new AbortController(),
    time: { left: () => 60_000, follow: () => undefined, progress: { doing: () => {}, done: () => {} } },
  },
} as unknown as Cli

/** A watch of a state that is over at its fourth look; a wait for an announcement ends when `tell` is called. */
function watched(isLive: boolean) {
  let looks = 0
  let waits = 0
  let tell: (() => void) | undefined
  const announcements = {
    areLive: () => isLive,
    wait: () => {
      waits++
      return new Promise<void>((resolve) => {
        tell = () => {
          tell = undefined
          resolve()
        }
      })
    },
    close: () => undefined,
  }
  const done = watchUntil(cli, async () => ++looks, {
    what: 'watching',
    isOver: (look) => look === 4,
    view: () => '',
    intervalMs: 1,
    again: () => 'again',
    announced: async () => announcements,
  })
  /** Waits until it is waiting to be told, or is over. */
  const asked = async () => {
    while (!tell && looks < 4) await new Promise((resolve) => setTimeout(resolve, 1))
    return tell
  }
  return { done, asked, counts: () => ({ looks, waits }) }
}

test('a watch asks once for each announcement while changes are announced', async () => {
  const { done, asked, counts } = watched(true)
  for (let told = 1; told <= 3; told++) {
    const tell = await asked()
    // Many times the interval of polls.
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(counts()).toEqual({ looks: told, waits: told })
    tell?.()
  }
  expect(await done).toBe(4)
})

test('a watch polls where nothing is announced', async () => {
  const { done, counts } = watched(false)
  expect(await done).toBe(4)
  expect(counts()).toEqual({ looks: 4, waits: 0 })
})
