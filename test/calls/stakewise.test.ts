import { encodeAbiParameters, encodeEventTopics } from 'viem/utils'
import { expect, test } from 'vitest'

import type { Logged } from '../../src/calls/queue.ts'
import { stakewiseAbi as abi } from '../../src/calls/stakewise.ts'
import { stakewiseQueue } from '../../src/calls/stakewise-queue.ts'
import type { Address } from '../../src/domain/address.ts'

const vault: Address = `0x${'c8'.repeat(20)}`
const me: Address = `0x${'0a'.repeat(20)}`
const other: Address = `0x${'0b'.repeat(20)}`

const words = (...values: bigint[]) =>
  encodeAbiParameters(
    values.map(() => ({ type: 'uint256' })),
    values,
  )
const log = (topics: unknown, data: Logged['data'], seconds: bigint): Logged => ({
  address: vault,
  topics: topics as Logged['topics'],
  data,
  blockTimestamp: `0x${seconds.toString(16)}`,
})
const entered = (receiver: Address, ticket: bigint, at: bigint) =>
  log(
    encodeEventTopics({ abi, eventName: 'ExitQueueEntered', args: { owner: me, receiver } }),
    words(ticket, 7n),
    at,
  )
const enteredBefore = (ticket: bigint, at: bigint) =>
  log(
    encodeEventTopics({ abi, eventName: 'V2ExitQueueEntered', args: { owner: other, receiver: me } }),
    words(ticket, 7n, 8n),
    at,
  )
const claimed = (before: bigint, after: bigint, at: bigint) =>
  log(
    encodeEventTopics({ abi, eventName: 'ExitedAssetsClaimed', args: { receiver: me } }),
    words(before, after, 9n),
    at,
  )

test('the requests of an owner are those that are for them and not claimed, by place and by when they were made', () => {
  const { logged } = stakewiseQueue(1, { family: 'stakewise', vault, keeper: vault, registry: vault })
  const deposited = log(
    encodeEventTopics({ abi, eventName: 'Deposited', args: { caller: me, receiver: me } }),
    encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }, { type: 'address' }], [1n, 1n, other]),
    90n,
  )
  const found = logged!(me, [
    deposited,
    entered(me, 10n, 100n),
    entered(other, 20n, 200n),
    enteredBefore(30n, 300n),
    entered(me, 40n, 400n),
    claimed(10n, 15n, 500n),
    claimed(40n, 0n, 600n),
  ])
  expect(found.map((ticket) => [ticket >> 64n, ticket & (2n ** 64n - 1n)])).toEqual([
    [30n, 300n],
    [15n, 100n],
  ])
})
