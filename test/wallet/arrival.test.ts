import { beforeEach, expect, test } from 'vitest'

import { transfer } from '../../src/calls/erc20.ts'
import type { Address, Hex } from '../../src/domain/address.ts'
import { arrivedOnChain } from '../../src/wallet/execution/arrival.ts'
import { findOnChain } from '../../src/wallet/execution/watch.ts'
import { useSandbox } from '../support/sandbox.ts'

const sandbox = useSandbox()
const chainId = 31338
const amount = 49_990_000n
const recipient: Address = '0x8888888888888888888888888888888888888888'
let hash: Hex

const token = (symbol = 'USDC') => sandbox.token(chainId, symbol).address
const send = (to: Address, much: bigint) =>
  sandbox.sendAs(chainId, sandbox.user.address, transfer({ chainId, token: token(), to, amount: much }))
const arrived = async (more: { token?: Address; minimum?: bigint; recipient?: Address } = {}) =>
  arrivedOnChain(await findOnChain(sandbox.chain(chainId).rpc, hash), {
    token: token(),
    minimum: amount,
    recipient,
    hash: null,
    ...more,
  })

beforeEach(async () => {
  hash = (await send(recipient, amount)).transactionHash
})

test('a transaction that brings the minimum or more is the arrival', async () => {
  expect(await arrived()).toBe(true)
  expect(await arrived({ minimum: amount - 1n })).toBe(true)
})

test('a transaction that brings less than the minimum is no arrival', async () => {
  expect(await arrived({ minimum: amount + 1n })).toBe(false)
})

test('a transaction that brings another token, or brings it to somebody else, is no arrival', async () => {
  expect(await arrived({ token: token('USDT') })).toBe(false)
  expect(await arrived({ recipient: sandbox.user.address })).toBe(false)
})

test('a transaction that reverted, or that is not on the chain, is no arrival', async () => {
  const failed = await send(recipient, 10n ** 30n)
  expect(failed.status).toBe('0x0')
  hash = failed.transactionHash
  expect(await arrived({ minimum: 0n })).toBe(false)
  hash = `0x${'12'.repeat(32)}`
  expect(await arrived({ minimum: 0n })).toBe(false)
})
