import { encodeAbiParameters, encodeEventTopics } from 'viem/utils'
import { expect, test } from 'vitest'
import type { Address } from '../../../src/domain/address.ts'
import { stakewiseAbi as abi } from '../../../src/protocols/stakewise/abi.ts'
import { claimExitedAssets, stakewiseQueue } from '../../../src/protocols/stakewise/queue.ts'
import type { Logged } from '../../../src/protocols/withdrawal-queue.ts'

const vault: Address = `0x${'c8'.repeat(20)}`
const me: Address = `0x${'0a'.repeat(20)}`
const other: Address = `0x${'0b'.repeat(20)}`

const constants = { family: 'stakewise', vault, keeper: vault, registry: vault } as const

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

test('the logs of an owner yield the unclaimed exit requests they receive, by ticket and time', () => {
  const { logged } = stakewiseQueue(1, constants)
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
  expect(found.map((ticket) => [ticket >> 64n, ticket & (2n ** 63n - 1n)])).toEqual([
    [30n, 300n],
    [15n, 100n],
  ])
})

test('a pending request is valued by its shares, and a V2 request, which counts assets, by its amount', () => {
  const { logged, requests, taken } = stakewiseQueue(1, constants)
  const tickets = logged!(me, [
    entered(me, 10n, 100n),
    enteredBefore(30n, 300n),
    claimed(30n, 35n, 500n),
    entered(me, 60n, 600n),
  ])
  const rounds = requests(me, 100_000, tickets)
  rounds.next()
  const asked = rounds.next([3n, -1n, 4n])
  expect((asked.value as unknown as { args: bigint[] }[]).map(({ args }) => args.slice(1, 3))).toEqual([
    [10n, 100n],
    [35n, 300n],
    [60n, 600n],
  ])
  expect(taken([{ id: 'first' }, { id: 'second' }] as never)).toEqual([{ id: 'first' }])
  rounds.next([
    [1_000n, 20n, 25n],
    [1_000n, 0n, 0n],
    [0n, 50n, 60n],
  ])
  expect(rounds.next([1_250n, 1_250n, 0n])).toEqual({
    done: true,
    value: {
      pending: [
        { id: '10-100', requestedAt: 100, amount: 1_250n, availableAt: null },
        { id: '35-300', requestedAt: 300, amount: 1_000n, availableAt: null },
      ],
      claimable: [
        { id: '10-100', requestedAt: 100, amount: 25n, availableAt: 86_500 },
        { id: '60-600', requestedAt: 600, amount: 60n, availableAt: 87_000 },
      ],
    },
  })
})

test('a claim whose time is out of range names no request', () => {
  const { named } = stakewiseQueue(1, constants)
  const claim = (time: bigint) => claimExitedAssets({ chainId: 1, vault, id: `5-${time}`, index: 3n })
  expect(named!(claim(1_700_000_000n))).toEqual([(5n << 64n) | 1_700_000_000n])
  for (const time of [2n ** 63n, 2n ** 64n, 2n ** 64n + 5n]) expect(named!(claim(time))).toEqual([])
})
