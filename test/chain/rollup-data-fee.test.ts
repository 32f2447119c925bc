import * as chains from 'viem/chains'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { encodeCall } from '../../src/chain/call.ts'
import { transfer } from '../../src/chain/erc20.ts'
import { dataFeeCall, dataFeeOracles } from '../../src/chain/rollup-data-fee.ts'
import { httpRpc } from '../../src/chain/rpc/failover.ts'
import { publicNetworks } from '../../src/domain/networks.ts'
import { feeRules } from '../../src/guard/policy/price-and-fee-rules.ts'
import { simulateLeg } from '../../src/guard/simulation/simulate.ts'
import { type Provider, provider } from '../support/nodes/proxy-node.ts'
import { useSandbox } from '../support/use-sandbox.ts'

// The fee that rollups charge for transaction data in addition to gas.

const sandbox = useSandbox()
const base = 8453
const rpc = () => sandbox.chain(31337).rpc
/** Code that returns one gwei per byte of its input, and code that fails. */
const codes = { byBytes: '0x36633b9aca00025f5260205ff3', broken: '0x5f5ffd' }
let node: Provider
beforeAll(async () => {
  node = await provider(sandbox.chain(31337).rpcUrl, ({ method }) =>
    method === 'eth_chainId' ? { result: `0x${base.toString(16)}` } : undefined,
  )
})
afterAll(() => node?.close())
const setCode = (code: string) => rpc().request('anvil_setCode', [dataFeeOracles.get(base), code])
afterEach(() => setCode('0x'))

const payment = () =>
  transfer({
    chainId: base,
    token: sandbox.token(31337, 'USDC').address,
    to: `0x${'77'.repeat(20)}`,
    amount: 1n,
  })
const tried = () =>
  simulateLeg({
    rpc: httpRpc(node.url, { retries: 0 }),
    chainId: base,
    native: { symbol: 'ETH', decimals: 18 },
    wallet: sandbox.user.address,
    transactions: [payment()],
    tokens: [],
  })

test('the fee oracles are those of the published chain definitions', () => {
  type Chain = { id: number; contracts?: { gasPriceOracle?: { address: string } } }
  const published = new Map(
    (Object.values(chains) as Chain[]).flatMap(({ id, contracts }) =>
      contracts?.gasPriceOracle ? [[id, contracts.gasPriceOracle.address] as const] : [],
    ),
  )
  // viem lists no oracle contract for Scroll.
  const known = publicNetworks.flatMap(({ chainId }) => (chainId === 534352 ? [] : [chainId]))
  expect(known.map((id) => [id, dataFeeOracles.get(id)])).toEqual(known.map((id) => [id, published.get(id)]))
})

describe('the simulation of a leg on a rollup', () => {
  test('reports the data fee for the size of the signed transaction', async () => {
    await setCode(codes.byBytes)
    const { dataFee, gas, fees, nonce } = await tried()
    const { data: call } = encodeCall(dataFeeCall(payment().to, payment(), { ...fees, gas: gas[0]!, nonce }))
    expect(dataFee).toBe(BigInt((call.length - 2) / 2) * 10n ** 9n)
  })

  test('reports null when the oracle fails, and no data fee on other chains', async () => {
    await setCode(codes.broken)
    expect((await tried()).dataFee).toBeNull()
    node.says = () => undefined
    const { asset } = sandbox.strategy('aave-v3-USDC-sandbox-one')
    const elsewhere = await simulateLeg({
      rpc: httpRpc(node.url),
      chainId: 31337,
      native: { symbol: 'ETH', decimals: 18 },
      wallet: sandbox.user.address,
      transactions: [{ ...payment(), chainId: 31337, to: asset.address }],
      tokens: [],
    })
    expect(elsewhere).not.toHaveProperty('dataFee')
    node.says = ({ method }) => (method === 'eth_chainId' ? { result: '0x2105' } : undefined)
  })

  test('fails when the wallet can pay only the gas', async () => {
    // A thousand times the price per byte: some hundredths of an ether.
    await setCode('0x3664e8d4a51000025f5260205ff3')
    await rpc().request('anvil_setBalance', [sandbox.user.address, '0x110d9316ec000'])
    await expect(tried()).rejects.toMatchObject({ code: 'INSUFFICIENT_FUNDS' })
    await setCode('0x')
    expect((await tried()).dataFee).toBeNull()
  })
})

test('the policy rule maxTotalFee includes the data fee', () => {
  const simulation = {
    how: 'eth_simulateV1' as const,
    gas: [100_000n],
    fees: { maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 0n },
  }
  const met = (dataFee: bigint) =>
    feeRules(
      { maxTotalFee: '0.0002' } as never,
      {
        legs: [],
        simulation: { ...simulation, dataFee },
        coin: { symbol: 'ETH', decimals: 18 },
      } as never,
    )[0]?.met
  expect([met(10n ** 14n), met(10n ** 14n + 1n)]).toEqual([true, false])
})
