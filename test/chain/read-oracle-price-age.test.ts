import { encodeAbiParameters } from 'viem/utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ChainClient } from '../../src/chain/chain-client.ts'
import { feedAge, readPriceAges } from '../../src/chain/read-oracle-price-age.ts'
import { AppError } from '../../src/domain/errors.ts'
import { sandboxAddress } from '../../src/sandbox/accounts.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

/** A node that returns the age of a price, or refuses. */
const node = () => {
  const state = { age: 90_000n as bigint | undefined, asked: 0 }
  const request = async (): Promise<never> => {
    state.asked++
    if (state.age === undefined) throw new AppError('RPC_UNREACHABLE', 'too much to do')
    return encodeAbiParameters([{ type: 'uint256[]' }], [[state.age]]) as never
  }
  const client: ChainClient = { host: 'node', peers: [], request, batch: request }
  return { state, age: async () => (await readPriceAges(client, [feedAge(sandboxAddress(1))]))[0] }
}

test('a known price age grows while the node returns no new one', async () => {
  const { state, age } = node()
  expect(await age()).toBe(90_000n)
  vi.advanceTimersByTime(30_000)
  expect(await age()).toBe(90_030n)
  expect(state.asked).toBe(1)
  state.age = undefined
  vi.advanceTimersByTime(3_600_000)
  expect(await age()).toBe(93_630n)
  state.age = 60n
  vi.advanceTimersByTime(60_000)
  expect(await age()).toBe(60n)
})

test('an unknown price age is read again after five seconds', async () => {
  const { state, age } = node()
  state.age = undefined
  expect([await age(), await age()]).toEqual([undefined, undefined])
  expect(state.asked).toBe(1)
  state.age = 90_000n
  vi.advanceTimersByTime(5_000)
  expect(await age()).toBe(90_000n)
})
