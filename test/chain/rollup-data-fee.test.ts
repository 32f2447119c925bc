import * as chains from 'viem/chains'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { transfer } from '../../src/chain/erc20.ts'
import { dataFeeCall, dataFeeOracles } from '../../src/chain/rollup-data-fee.ts'
import { httpRpc } from '../../src/chain/rpc/failover.ts'
import { publicNetworks } from '../../src/domain/networks.ts'
import { feeRules } from '../../src/guard/policy/price-and-fee-rules.ts'
import { simulateLeg } from '../../src/guard/simulation/simulate.ts'
import { type Provider, provider } from '../support/nodes/proxy-node.ts'
import { useSandbox } from '../support/use-sandbox.ts'

// What rollups take for the data of transactions, beside their gas.

const sandbox = useSandbox()
const base = 8453
const rpc = () => sandbox.chain(31337).rpc
/** Code that says a gwei for each byte that it is asked about, and code that fails. */
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

test('there is one where the published chains have an oracle of it', () => {
  type Chain = { id: number; contracts?: { gasPriceOracle?: { address: string } } }
  const published = new Map(
    (Object.values(chains) as Chain[]).flatMap(({ id, contracts }) =>
      contracts?.gasPriceOracle ? [[id, contracts.gasPriceOracle.address] as const] : [],
    ),
  )
  // Scroll names no contract there.
  const known = publicNetworks.flatMap(({ chainId }) => (chainId === 534352 ? [] : [chainId]))
  expect(known.map((id) => [id, dataFeeOracles.get(id)])).toEqual(known.map((id) => [id, published.get(id)]))
})

describe('a leg on a rollup', () => {
  test('says what its data costs, by its size as it will be signed', async () => {
    await setCode(codes.byBytes)
    const { dataFee, gas, fees, nonce } = await tried()
    const call = dataFeeCall(payment(), { ...fees, gas: gas[0]!, nonce })
    expect(dataFee).toBe(BigInt((call.length - 2) / 2) * 10n ** 9n)
  })

  test('does not say so where the oracle does not, and elsewhere there is none', async () => {
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

  test('is not begun by a wallet that can pay for the gas alone', async () => {
    // A thousand times as much for each byte: some hundredths of a coin.
    await setCode('0x3664e8d4a51000025f5260205ff3')
    await rpc().request('anvil_setBalance', [sandbox.user.address, '0x110d9316ec000'])
    await expect(tried()).rejects.toMatchObject({ code: 'INSUFFICIENT_FUNDS' })
    await setCode('0x')
    expect((await tried()).dataFee).toBeNull()
  })
})

test('a policy counts it with the gas', () => {
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
