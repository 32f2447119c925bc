import { afterEach, beforeEach, expect, test } from 'vitest'
import { findStalledPart } from '../../../src/diagnosis/facts/stalled-part.ts'
import type { ExecutionContext } from '../../../src/planning/execution-context-types.ts'
import { newHome, payee, removeHome, signer } from '../../support/payments/payment-operation.ts'

const hash = `0x${'ab'.repeat(32)}` as const
const arrivedAt = 1_000_000
let home: string
beforeEach(() => {
  home = newHome()
})
afterEach(() => removeHome(home))

/** The stalled part of an operation whose burn is final and whose deposit is unsigned, `ms` after its funds arrived; `null` if they did not. */
const leftAfter = (ms: number | null) => {
  const arrival = { token: payee, minimum: 1n, recipient: signer.address, hash: ms === null ? null : hash }
  const step = { role: 'action', wallet: signer.address, transaction: { chainId: 31337 }, inclusion: null }
  const operation = {
    id: 'two-legs',
    state: 'EXECUTING',
    wallet: signer.address,
    legs: [
      { leg: 0, chainId: 31337, arrival: null },
      { leg: 1, chainId: 31338, arrival },
    ],
    steps: [
      {
        ...step,
        index: 0,
        leg: 0,
        state: 'FINAL_OK',
        inclusion: { hash, blockNumber: 1 },
        attempts: [{ hash }],
      },
      { ...step, index: 1, leg: 1, state: 'PLANNED', attempts: [] },
    ],
  }
  const journal = {
    find: () => operation,
    events: () => (ms === null ? [] : [{ becomes: 'leg 1 ready', at: arrivedAt }]),
  }
  const ground = {
    journal,
    locks: home,
    now: () => arrivedAt + (ms ?? 3_600_000),
  } as unknown as ExecutionContext
  return findStalledPart(ground, operation as never, new AbortController().signal)
}

test('the unsigned rest of an operation is stalled from 30 seconds after its funds arrived', async () => {
  expect(await leftAfter(0)).toBeUndefined()
  expect(await leftAfter(29_999)).toBeUndefined()
  expect(await leftAfter(30_000)).toBe('rest')
})

test('an operation that still waits for its funds is not stalled', async () => {
  expect(await leftAfter(null)).toBeUndefined()
})
