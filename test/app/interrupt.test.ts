import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { interruptible } from '../../src/app/signing/interrupt.ts'

/** A process that gets signals from a test. */
const signalled = () => Object.assign(new EventEmitter(), { ppid: 1, env: {} })
const never = new Promise<string>(() => undefined)

test('a signal ends what is not critical, and is heard by whoever listens', async () => {
  const process = signalled()
  const { interrupt, raced } = interruptible(process)
  const ended = raced(never)
  process.emit('SIGTERM')
  expect(await ended).toBeUndefined()
  expect(interrupt.signal.aborted).toBe(true)
})

test('a critical part has the last word, however long it takes after the signal', async () => {
  const process = signalled()
  const { interrupt, raced } = interruptible(process)
  const ended = raced(
    interrupt.critical(async () => {
      process.emit('SIGINT')
      await sleep(400)
      return 'signed, and said so'
    }),
  )
  expect(await ended).toBe('signed, and said so')
})

test('a critical part that begins just after the signal has it, too', async () => {
  const process = signalled()
  const { interrupt, raced } = interruptible(process)
  const work = async () => {
    process.emit('SIGINT')
    await sleep(20)
    return interrupt.critical(async () => {
      await sleep(300)
      return 'stopped where it is safe'
    })
  }
  expect(await raced(work())).toBe('stopped where it is safe')
})

test('after a critical part a second signal ends what follows it', async () => {
  const process = signalled()
  const { interrupt, raced } = interruptible(process)
  const ended = raced(interrupt.critical(async () => process.emit('SIGINT')).then(() => never))
  await sleep(150)
  process.emit('SIGINT')
  expect(await ended).toBeUndefined()
})

test('whoever started it and is gone before it listens counts as the signal; a parent that is another one does not', async () => {
  const orphan = interruptible({ ...signalled(), on: () => undefined, env: { SLUICE_LAUNCHER: '4711' } })
  expect(await orphan.raced(never)).toBeUndefined()
  const child = interruptible({
    ...signalled(),
    on: () => undefined,
    ppid: 12,
    env: { SLUICE_LAUNCHER: '4711' },
  })
  expect(child.interrupt.signal.aborted).toBe(false)
})
