import { createClient, custom, parseAbi } from 'viem'
import { multicall } from 'viem/actions'
import { expect, test } from 'vitest'
import { askAtHead } from '../../src/chain/ask.ts'
import type { Call } from '../../src/chain/call.ts'
import { callMulticall } from '../../src/chain/multicall.ts'
import type { Chain } from '../../src/chain/network-client.ts'
import { engineOn } from '../support/engine.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()

test('a multicall returns what viem returns, undefined for failed reads', async () => {
  const { context } = engineOn(sandbox)
  const { rpc, network } = context.chain(31337)
  const client = createClient({
    transport: custom({ request: ({ method, params }) => rpc.request(method, params) }, { retryCount: 0 }),
  })
  const usdc = sandbox.token(31337, 'USDC').address
  const overloaded = parseAbi([
    'function balanceOf(address) view returns (uint256)',
    'function balanceOf(address, uint256) view returns (uint256)',
    'function symbol() view returns (uint256[])',
    'function transferFrom(address, address, uint256) returns (uint256)',
  ])
  const held = [sandbox.user.address]
  const of = (functionName: string, args: readonly unknown[] = [], address = usdc): Call => ({
    address,
    abi: overloaded,
    functionName,
    args,
  })
  const reads: Call[] = [
    ...context.markets.filter(({ entry }) => entry.chainId === 31337).flatMap(({ state }) => state.reads),
    of('balanceOf', held),
    // An unknown function, an answer of another type and an account without code.
    of('balanceOf', [...held, 1n]),
    of('symbol'),
    // It reverts with a message that could be decoded as a number.
    of('transferFrom', [network.multicall3, sandbox.user.address, 1n]),
    of('balanceOf', held, sandbox.user.address),
  ]
  const viems = await multicall(client, {
    contracts: reads as never,
    multicallAddress: network.multicall3!,
    batchSize: 0,
    allowFailure: true,
  })
  const ours = (await callMulticall(rpc, network.multicall3!, reads))!
  expect(ours).toEqual((viems as { result?: unknown }[]).map(({ result }) => result))
  expect(ours.slice(-5)).toEqual([expect.any(BigInt), undefined, undefined, undefined, undefined])
  expect(ours.filter((answer) => answer !== undefined).length).toBeGreaterThan(20)
})

test('what is asked at the newest block is of that block, although one came in between', async () => {
  const chain = engineOn(sandbox).context.chain(31337)
  const { rpc } = sandbox.world.chains.find(({ network }) => network.chainId === 31337)!
  const answered: Promise<unknown>[] = []
  // The newest block is read once everything else has been answered, and another one has come.
  const request: Chain['rpc']['request'] = async <T>(method: string, params?: readonly unknown[]) => {
    if (method === 'eth_getBlockByNumber') {
      await Promise.all(answered)
      await rpc.request('evm_mine')
    }
    const answer = chain.rpc.request<T>(method, params)
    answered.push(answer)
    return answer
  }
  const batch: Chain['rpc']['batch'] = (calls) =>
    Promise.all(calls.map(([method, params]) => request(method, params)))
  const late: Chain = { ...chain, rpc: { ...chain.rpc, request, batch } }
  const abi = parseAbi(['function getBlockNumber() view returns (uint256)'])
  const read: Call = { address: chain.network.multicall3!, abi, functionName: 'getBlockNumber', args: [] }
  const { head, value } = await askAtHead(late, { reads: [read], parse: ([number]) => number })
  expect(value).toBe(head.number)
})
