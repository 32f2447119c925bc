import { expect, test } from 'vitest'
import type { Address } from '../../src/domain/address.ts'
import type { Transaction } from '../../src/domain/transaction-types.ts'
import { compareWithReference } from '../../src/planning/compare-with-own-engine.ts'
import type { Proposal } from '../../src/planning/proposal.ts'
import { supplyBase, withdrawBase } from '../../src/protocols/compound-v3/encode.ts'
import { marketAt, thief, usdc, usdt, wallet } from '../support/plans/plan-fixtures.ts'
import { calldata } from '../support/use-sandbox.ts'

const comet: Address = `0x${'c8'.repeat(20)}`
const strategy = marketAt(comet)({ family: 'compound-v3', comet })
const amount = 100_000_000n
const short = (name: 'supply' | 'withdraw', token = usdc.address, much = amount): Transaction => ({
  to: comet,
  data: calldata(`function ${name}(address,uint256)`, [token, much]),
  value: 0n,
  chainId: 31337,
})
const long = { chainId: 31337, comet, asset: usdc.address, amount, owner: wallet }

test('the short form of a Compound v3 call equals the local rebuild, unless its arguments differ', async () => {
  const compared = (kind: 'deposit' | 'withdraw', theirs: Transaction, ours: Transaction) => {
    const intent = { kind, wallet, strategy, amount } as const
    const proposal = { legs: [{ chainId: 31337, intent, transactions: [theirs] }] } as unknown as Proposal
    return compareWithReference({ transactions: async () => [ours] }, proposal)
  }
  expect(await compared('deposit', short('supply'), supplyBase(long))).toBe('equal')
  expect(await compared('withdraw', short('withdraw'), withdrawBase(long))).toBe('equal')
  expect(await compared('deposit', short('supply', usdt.address), supplyBase(long))).toBe('different')
  expect(await compared('deposit', short('supply', usdc.address, amount + 1n), supplyBase(long))).toBe(
    'different',
  )
  expect(await compared('deposit', short('withdraw'), supplyBase(long))).toBe('different')
  expect(await compared('deposit', { ...short('supply'), to: thief }, supplyBase(long))).toBe('different')
  const forThief = {
    ...short('supply'),
    data: calldata('function supplyFrom(address,address,address,uint256)', [
      wallet,
      thief,
      usdc.address,
      amount,
    ]),
  }
  expect(await compared('deposit', forThief, supplyBase(long))).toBe('different')
})
