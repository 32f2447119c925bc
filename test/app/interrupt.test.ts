import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { interruptible } from '../../src/app/signing/interrupt.ts'

/** A process whose signals the test emits. */
const signalled = () => Object.assign(new EventEmitter(), { ppid: 1, env: {} })
const never = new Promise<string>(() => undefined)

test('a signal ends work outside a critical section and aborts interrupt.signal', async () => {
  const process = signalled()
  const { interrupt, raced } = interruptible(process)
  const ended = raced(never)
  process.emit('SIGTERM')
  expect(await ended).toBeUndefined()
  expect(interrupt.signal.aborted).toBe(true)
})

test('a critical section finishes after a signal and returns its result', async () => {
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

test('a critical section that starts just after the signal also finishes', async () => {
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

test('a second signal after a critical section ends the work that follows it', async () => {
  const process = signalled()
  const { interrupt, raced } = interruptible(process)
  const ended = raced(interrupt.critical(async () => process.emit('SIGINT')).then(() => never))
  await sleep(150)
  process.emit('SIGINT')
  expect(await ended).toBeUndefined()
})

test('parent process 1 instead of SLUICE_LAUNCHER counts as a signal; another parent does not', async () => {
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
