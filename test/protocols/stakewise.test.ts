import { encodeAbiParameters, encodeEventTopics, getAbiItem } from 'viem/utils'
import { expect, test } from 'vitest'
import type { Address, Hex } from '../../src/domain/address.ts'
import type { Log } from '../../src/protocols/market-adapter.ts'
import { stakewiseAbi as abi } from '../../src/protocols/stakewise/abi.ts'
import { stakewise } from '../../src/protocols/stakewise/market-adapter.ts'
import { coin, friend, marketAt, wallet } from '../support/plans/plan-fixtures.ts'

// The history of a vault owner: the topics of an event say who the owner is and who acted.
const vault: Address = `0x${'c8'.repeat(20)}`
const constants = { family: 'stakewise', vault, keeper: vault, registry: vault } as const
const market = stakewise(marketAt(vault)(constants, { asset: coin }), constants)

const plain = { uint256: 7n, address: friend } as const
/** A log of an event with these two indexed addresses. Other values are 7, and the address of the friend. */
const logOf = (eventName: string, first: Address, second: Address): Log => {
  const { inputs } = getAbiItem({ abi, name: eventName } as never) as unknown as {
    inputs: { name: string; type: keyof typeof plain; indexed?: boolean }[]
  }
  const indexed = inputs.filter((one) => one.indexed).map(({ name }) => name)
  const args = Object.fromEntries(indexed.map((name, at) => [name, [first, second][at]]))
  const rest = inputs.filter((one) => !one.indexed)
  return {
    address: vault,
    topics: encodeEventTopics({ abi, eventName, args } as never) as Hex[],
    data: encodeAbiParameters(
      rest,
      rest.map(({ type }) => plain[type]),
    ),
  }
}
const isFound = (log: Log) =>
  market
    .logs(wallet)
    .some(({ topics }) => topics.every((topic, at) => topic === null || topic === log.topics[at]))

test.each([
  ['Deposited', wallet, wallet, 'deposit'],
  ['Deposited', friend, wallet, 'transfer_in'],
  ['Redeemed', wallet, wallet, 'withdraw'],
  ['Redeemed', wallet, friend, 'transfer_out'],
  ['ExitQueueEntered', wallet, wallet, 'withdraw'],
  ['ExitQueueEntered', wallet, friend, 'transfer_out'],
  ['V2ExitQueueEntered', wallet, wallet, 'withdraw'],
  ['OsTokenLiquidated', friend, wallet, 'transfer_out'],
  ['OsTokenRedeemed', friend, wallet, 'transfer_out'],
  ['ExitedAssetsClaimed', wallet, wallet, 'claim'],
])('%s by %s for %s is in the history as %s', (name, first, second, type) => {
  const log = logOf(name, first, second)
  expect(isFound(log)).toBe(true)
  expect(market.event(log, wallet, [log], [])).toMatchObject({
    type,
    shares: type === 'claim' ? [] : [7n],
  })
})

test('an exit queued by another wallet is no withdrawal of its receiver; events of other wallets are ignored', () => {
  for (const name of ['ExitQueueEntered', 'V2ExitQueueEntered']) {
    const log = logOf(name, friend, wallet)
    expect(isFound(log)).toBe(true)
    expect(market.event(log, wallet, [log], [])).toBeUndefined()
  }
  for (const name of ['Redeemed', 'OsTokenRedeemed', 'Deposited'])
    expect(isFound(logOf(name, friend, friend))).toBe(false)
})
