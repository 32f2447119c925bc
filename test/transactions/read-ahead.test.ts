import { expect, test } from 'vitest'
import { readAhead } from '../../src/transactions/execution/read-ahead.ts'
import type { Run } from '../../src/transactions/run.ts'

/** A run whose last step is in a block of this hash, and the number of times that its result was read. */
function runIn(hash: { now: string }, more: Partial<Run> = {}) {
  const reads: string[] = []
  const run = {
    operationId: 'op',
    journal: { find: () => ({ steps: [{ inclusion: { blockHash: hash.now } }] }) },
    readResult: async () => {
      reads.push(hash.now)
      return hash.now
    },
    ...more,
  } as unknown as Run
  return { ahead: readAhead(run), reads }
}

test('a result that was read ahead is used only for the same blocks', async () => {
  const hash = { now: '0x1' }
  const { ahead, reads } = runIn(hash)
  ahead.beginResult()
  expect(await ahead.result()).toBe('0x1')
  expect(reads).toEqual(['0x1'])
  hash.now = '0x2'
  expect(await ahead.result()).toBe('0x2')
})

test('without reading ahead the result is read when it is needed', async () => {
  const { ahead, reads } = runIn({ now: '0x1' }, { readsAhead: false })
  ahead.beginResult()
  expect(reads).toEqual([])
  expect(await ahead.result()).toBe('0x1')
})
