import { expect, test } from 'vitest'
import type { ChainClient } from '../../../src/chain/chain-client.ts'
import { findTransaction } from '../../../src/chain/finality/find-mined-transaction.ts'
import { nativeReceived } from '../../../src/transactions/outcome/received-amount.ts'
import { calldata, useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const chainId = 31337
/** A node that adds fee fields to its receipts. */
const naming = (rpc: ChainClient, more: object): ChainClient => ({
  ...rpc,
  batch: async (calls) =>
    (await rpc.batch(calls)).map((answer, at) =>
      calls[at]![0] === 'eth_getTransactionReceipt' ? { ...(answer as object), ...more } : answer,
    ),
})

test('the received native amount is the balance change plus all fees, and undefined when a fee is unknown', async () => {
  const { address: wallet } = sandbox.user
  const to = sandbox.token(chainId, 'WETH').address
  await sandbox.sendAs(chainId, wallet, { to, data: calldata('function deposit()'), value: 5n })
  const data = calldata('function withdraw(uint256)', [3n])
  const { transactionHash } = await sandbox.sendAs(chainId, wallet, { to, data })
  const { rpc } = sandbox.chain(chainId)
  const found = (await findTransaction(rpc, transactionHash))!
  const came = (more: object) => nativeReceived(naming(rpc, more), found, wallet)
  expect(await came({})).toBe(3n)
  expect(await came({ l1Fee: '0x2', operatorFeeScalar: '0x0', operatorFeeConstant: null })).toBe(5n)
  expect(await came({ operatorFeeScalar: '0x1' })).toBeUndefined()
  expect(await came({ operatorFeeConstant: '0x1' })).toBeUndefined()
})
