import { beforeEach, expect, test } from 'vitest'
import type { ChainClient } from '../../../src/chain/chain-client.ts'
import { transfer } from '../../../src/chain/erc20.ts'
import { findTransaction } from '../../../src/chain/finality/find-mined-transaction.ts'
import { receivedTokenAmount } from '../../../src/chain/finality/received-token-amount.ts'
import { findLatestLog, readLogsBack } from '../../../src/chain/latest-log.ts'
import type { Address, Hex } from '../../../src/domain/address.ts'
import { AppError } from '../../../src/domain/errors.ts'
import { topicOf, useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const chainId = 31338
const amount = 49_990_000n
const recipient: Address = '0x8888888888888888888888888888888888888888'
let hash: Hex

const token = (symbol = 'USDC') => sandbox.token(chainId, symbol).address
const send = (to: Address, much: bigint) =>
  sandbox.sendAs(chainId, sandbox.user.address, transfer({ chainId, token: token(), to, amount: much }))
const arrived = async (more: { token?: Address; minimum?: bigint; recipient?: Address } = {}) => {
  const { minimum, ...what } = { token: token(), minimum: amount, recipient, ...more }
  const found = await findTransaction(sandbox.chain(chainId).rpc, hash)
  return found?.ok === true && receivedTokenAmount(found, what) >= minimum
}

beforeEach(async () => {
  hash = (await send(recipient, amount)).transactionHash
})

test('a transfer of the minimum or more counts as arrived', async () => {
  expect(await arrived()).toBe(true)
  expect(await arrived({ minimum: amount - 1n })).toBe(true)
})

test('a transfer below the minimum does not count as arrived', async () => {
  expect(await arrived({ minimum: amount + 1n })).toBe(false)
})

test('a transfer of another token or to another recipient does not count as arrived', async () => {
  expect(await arrived({ token: token('USDT') })).toBe(false)
  expect(await arrived({ recipient: sandbox.user.address })).toBe(false)
})

test('a reverted or missing transaction does not count as arrived', async () => {
  const failed = await send(recipient, 10n ** 30n)
  expect(failed.status).toBe('0x0')
  hash = failed.transactionHash
  expect(await arrived({ minimum: 0n })).toBe(false)
  hash = `0x${'12'.repeat(32)}`
  expect(await arrived({ minimum: 0n })).toBe(false)
})

test("a log is found in older blocks within the node's range limit, and not before the start time", async () => {
  const { rpc } = sandbox.chain(chainId)
  await rpc.request('anvil_mine', ['0x60'])
  const filter = {
    address: token(),
    topics: [topicOf('Transfer(address,address,uint256)'), null, `0x${recipient.slice(2).padStart(64, '0')}`],
  } as const
  const sizes = { first: 30, most: 60, least: 5 }
  const asked: number[] = []
  const narrow: ChainClient = {
    ...rpc,
    request: (method, params) => {
      const [range] = (params ?? []) as [{ fromBlock: Hex; toBlock: Hex }]
      if (method === 'eth_getLogs') asked.push(Number(range.toBlock) - Number(range.fromBlock) + 1)
      if ((asked.at(-1) ?? 0) > 20 && method === 'eth_getLogs')
        throw new AppError('RPC_ERROR', 'query exceeds max block range 20')
      return rpc.request(method, params)
    },
  }
  expect(await findLatestLog(rpc, filter, 0, sizes)).toMatchObject({ transactionHash: hash })
  expect(await findLatestLog(narrow, filter, 0, sizes)).toMatchObject({ transactionHash: hash })
  expect(asked[0]).toBeGreaterThan(20)
  expect(Math.max(...asked.slice(1))).toBeLessThanOrEqual(20)
  const { timestamp } = await rpc.request<{ timestamp: Hex }>('eth_getBlockByNumber', ['latest', false])
  expect(await findLatestLog(rpc, filter, Number(timestamp) + 1, sizes)).toBeUndefined()
  const readAll = (most: number) => readLogsBack(rpc, filter, 0, () => false, { first: most, most, least: 1 })
  expect([await readAll(1_000), await readAll(2)]).toEqual([true, false])
})
