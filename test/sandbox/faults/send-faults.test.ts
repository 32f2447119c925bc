import { privateKeyToAccount } from 'viem/accounts'
import { keccak256 } from 'viem/utils'
import { expect, test } from 'vitest'
import type { ChainClient } from '../../../src/chain/chain-client.ts'
import { openFaults } from '../../../src/sandbox/faults/active-faults.ts'
import { openSendFaults } from '../../../src/sandbox/faults/send-faults.ts'
import { calldata, useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()

test('a transaction resent while its revert fault is being set gets the same hash, and reverts', async () => {
  const { rpc } = sandbox.chain(31337)
  const { address: to } = sandbox.token(31337, 'USDC')
  const raw = await privateKeyToAccount(sandbox.user.key).signTransaction({
    to,
    data: calldata('function transfer(address,uint256)', [sandbox.user.address, 1n]),
    chainId: 31337,
    nonce: Number(await rpc.request('eth_getTransactionCount', [sandbox.user.address, 'latest'])),
    gas: 200_000n,
    maxFeePerGas: 10n ** 10n,
    maxPriorityFeePerGas: 10n ** 9n,
  })
  const code = await rpc.request('eth_getCode', [to, 'latest'])
  const faults = openFaults()
  faults.add({ kind: 'revert', network: null, at: to, reason: 'bang', times: 1, amount: null, method: null })
  const [reached, open] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const request: ChainClient['request'] = async (method, params) => {
    // Holds the first send while the contract code is still unchanged.
    if (method === 'anvil_setCode') {
      reached.resolve()
      await open.promise
    }
    return rpc.request(method, params)
  }
  const sends = openSendFaults(faults)
  const chain = { name: 'sandbox-one', rpc: { ...rpc, request } as ChainClient }
  const first = sends.take(chain, raw)
  await reached.promise
  const second = sends.take(chain, raw)
  open.resolve()
  expect(await Promise.all([first, second])).toEqual([keccak256(raw), keccak256(raw)])
  await sends.settle()
  expect(await rpc.request('eth_getTransactionReceipt', [keccak256(raw)])).toMatchObject({ status: '0x0' })
  expect(await rpc.request('eth_getCode', [to, 'latest'])).toBe(code)
})
