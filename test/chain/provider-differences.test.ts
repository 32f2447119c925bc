import { afterEach, describe, expect, it } from 'vitest'
import { approve } from '../../src/chain/erc20.ts'
import { hasSucceeded } from '../../src/chain/receipt-status.ts'
import { httpRpc } from '../../src/chain/rpc/failover.ts'
import { simulateLeg } from '../../src/guard/simulation/simulate.ts'
import { supply } from '../../src/protocols/aave-v3/encode.ts'
import { targetOf } from '../support/market-constants.ts'
import { type Provider, provider } from '../support/nodes/proxy-node.ts'
import { useSandbox } from '../support/use-sandbox.ts'

// Behaviour of public providers that differs from an own node.

const sandbox = useSandbox()
const chainId = 31337
const open: Provider[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

/** Simulates a deposit through a provider; an `approved` amount below 100 USDC makes it revert. */
async function tried(says: Provider['says'], approved = 100_000_000n) {
  const node = await provider(sandbox.world.faults.urlOf(chainId), says)
  open.push(node)
  const strategy = sandbox.strategy('aave-v3-USDC-sandbox-one')
  const [pool, asset, wallet] = [targetOf(strategy), strategy.asset.address, sandbox.user.address]
  return simulateLeg({
    rpc: httpRpc(node.url, { retries: 0 }),
    chainId,
    native: { symbol: 'ETH', decimals: 18 },
    wallet,
    transactions: [
      approve({ chainId, token: asset, spender: pool, amount: approved }),
      supply({ chainId, pool, asset, amount: 100_000_000n, onBehalfOf: wallet }),
    ],
    tokens: [strategy.asset, strategy.receipt],
  })
}

const saysTo =
  (method: string, said: object): Provider['says'] =>
  (call) =>
    call.method === method ? said : undefined

const refusals: [string, object][] = [
  ['a crashed method handler', { error: { code: -32603, message: 'method handler crashed' } }],
  ['disabled', { error: { code: -32000, message: 'eth_simulateV1 is disabled' } }],
  ['forbidden', { error: { code: -32000, message: 'Forbidden' } }],
  ['not whitelisted', { error: { code: -32001, message: 'rpc method is not whitelisted' } }],
  ['a text instead of an error object', { error: 'Method not found' }],
  ['the code for an unsupported method', { error: { code: -32004, message: 'no' } }],
  ['status 403', { status: 403 }],
  ['status 404', { status: 404 }],
  ['status 405', { status: 405 }],
]

describe('a provider without eth_simulateV1', () => {
  it.each(refusals)(
    'that answers with %s is asked with eth_call, which the result names',
    async (_, said) => {
      const { how, changes } = await tried(saysTo('eth_simulateV1', said))
      expect(how).toBe('eth_call')
      expect(changes[0]!.delta).toBe(-100_000_000n)
    },
  )

  it('still shows which step would fail', async () => {
    const trying = tried(saysTo('eth_simulateV1', { status: 403 }), 1n)
    await expect(trying).rejects.toMatchObject({
      code: 'SIMULATION_REVERTED',
      message: expect.stringContaining('Step 2 of 2 would fail'),
    })
  })

  it.each<[string, object | undefined]>([
    ['refuses', { error: { code: -32602, message: 'too many arguments, want at most 2' } }],
    ['ignores', undefined],
  ])('that %s eth_call state overrides gives a simulation marked as unavailable', async (_, said) => {
    const simulation = await tried(async (call, ask) => {
      if (call.method === 'eth_simulateV1') return { error: { code: -32601, message: 'Method not found' } }
      if (call.method !== 'eth_call' || call.params.length < 3) return undefined
      return said ?? { result: await ask('eth_call', call.params.slice(0, 2)) }
    })
    expect(simulation).toMatchObject({ how: 'unavailable', changes: [], gas: [] })
  })

  it.each<[string, object]>([
    ['RPC_ERROR', { error: { code: 3, message: 'execution reverted: not supported' } }],
    ['RPC_ERROR', { error: { code: -38014, message: 'insufficient funds: not allowed' } }],
    ['RPC_UNREACHABLE', { error: { code: 429, message: 'this plan is not allowed more' } }],
    ['RPC_UNREACHABLE', { status: 502 }],
  ])('is not assumed after other errors: %s', async (code, said) => {
    await expect(tried(saysTo('eth_simulateV1', said))).rejects.toMatchObject({ code })
  })
})

const isByHash = (param: unknown) => typeof param === 'object' && param !== null && 'blockHash' in param
const notByHash = {
  error: {
    code: -32602,
    message: 'invalid argument 1: json: cannot unmarshal object into Go value of type rpc.BlockNumber',
  },
}

describe('a provider that refuses block hashes as parameters', () => {
  it('is asked by block number', async () => {
    const { how, gas } = await tried(({ params }) => (params.some(isByHash) ? notByHash : undefined))
    expect({ how, steps: gas.length }).toEqual({ how: 'eth_simulateV1', steps: 2 })
  })

  it('is refused when another block is at that height', async () => {
    const trying = tried(async ({ method, params }, ask) => {
      if (params.some(isByHash)) return notByHash
      if (method !== 'eth_getBlockByNumber' || params[0] === 'latest') return undefined
      return { result: { ...((await ask(method, params)) as object), hash: `0x${'ab'.repeat(32)}` } }
    })
    await expect(trying).rejects.toMatchObject({
      code: 'RPC_INCONSISTENT',
      message: expect.stringContaining('has another block at height'),
    })
  })
})

describe('a receipt', () => {
  const contract = () => sandbox.token(chainId, 'USDC').address
  const event = (address: string) => ({ address, topics: [], data: '0x' })
  const ended = (more: object) =>
    hasSucceeded(sandbox.chain(chainId).rpc, { to: contract(), logs: [], ...more })

  it.each<[string, object, boolean]>([
    ['its status field', { status: '0x0', logs: [event(`0x${'77'.repeat(20)}`)] }, false],
    ['a status of two digits', { status: '0x01' }, true],
    ['an event, if it has no status', { logs: [event(`0x${'77'.repeat(20)}`)] }, true],
    ['a target without code, if it has no status', { to: `0x${'77'.repeat(20)}` }, true],
  ])('shows success or failure by %s', async (_, said, how) => {
    expect(await ended(said)).toBe(how)
  })

  it.each<[string, object]>([
    ['neither status nor events', {}],
    ['a null status', { status: null }],
    ['only the gas event of the chain', { logs: [event(`0x${'00'.repeat(18)}1010`)] }],
  ])('with %s is refused as RPC_INCONSISTENT', async (_, said) => {
    await expect(ended(said)).rejects.toMatchObject({ code: 'RPC_INCONSISTENT' })
  })
})
