import { encodeAbiParameters, encodeFunctionData, parseAbi, parseAbiParameters } from 'viem/utils'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { askRounds } from '../../src/chain/ask.ts'
import { known } from '../../src/chain/call.ts'
import { openChain } from '../../src/chain/network-client.ts'
import { type Address, type Hex, nativeAddress } from '../../src/domain/address.ts'
import { publicNetworks } from '../../src/domain/networks.ts'
import type { Price } from '../../src/domain/usd.ts'
import type { CompoundV2Constants } from '../../src/protocols/compound-v2/constants-schema.ts'
import { compoundV2Rewards } from '../../src/protocols/compound-v2/reward-emissions.ts'
import { cometRewards } from '../../src/protocols/compound-v3/reward-emissions.ts'
import { type MarketRewards, rewardRate } from '../../src/protocols/shared/market-rewards.ts'
import { type Anvil, startAnvil } from '../../src/sandbox/anvil.ts'
import { codeSaying } from '../engine/catalog-checks/scripted-contract-code.ts'

// Scripted contracts that answer like the published interfaces: they show which calls are made and how rewards are computed.
const { chainId, ...rest } = publicNetworks.find(({ name }) => name === 'base')!
const network = { chainId, ...rest, multicall3: undefined }
const at = (digit: number): Address => `0x${String(digit).repeat(40)}`
const [place, other, distributor, token, second] = [at(1), at(2), at(3), at(4), at(5)]
const now = 1_800_000_000
const ether = 10n ** 18n

let node: Anvil
beforeAll(async () => {
  node = await startAnvil({ binary: inject('anvil'), noteDir: inject('sandboxNotes'), chainId })
  await node.rpc.request('evm_mine')
})
afterAll(() => node?.stop())

type Saying = [signature: string, args: unknown[], types: string, values: unknown[]]
const put = (where: Address, sayings: Saying[]) =>
  node.rpc.request('anvil_setCode', [
    where,
    codeSaying(
      new Map(
        sayings.map(([signature, args, types, values]) => [
          encodeFunctionData({
            abi: parseAbi([`function ${signature}`] as readonly string[]),
            args,
          } as never) as Hex,
          encodeAbiParameters(parseAbiParameters(types), values as never),
        ]),
      ),
    ),
  ])
const prices = new Map<Address, Price>([
  [token, 50n * 10n ** 8n],
  [second, 10n ** 8n],
  [nativeAddress, 20n * 10n ** 8n],
])
const asked = async (extras: MarketRewards | undefined) =>
  (
    await askRounds(openChain(network, node.rpc), [
      extras!(now, (address) => known(prices.get(address) ?? null)),
    ])
  )[0]!
/** A market with one million USDC at one dollar. */
const million = { tvl: 10n ** 12n, decimals: 6, price: 10n ** 8n }

describe('the rewards of a Compound v3 market', () => {
  const totals = (supplied: bigint): Saying => [
    'totalsBasic()',
    [],
    'uint64, uint64, uint64, uint64, uint104, uint104, uint40, uint8',
    [10n ** 15n, 10n ** 15n, 0n, 0n, supplied, 0n, 0, 0],
  ]
  const market = (speed: bigint, supplied = 10n ** 12n) =>
    put(place, [
      ['baseTrackingSupplySpeed()', [], 'uint256', [speed]],
      ['trackingIndexScale()', [], 'uint256', [10n ** 15n]],
      ['baseMinForRewards()', [], 'uint256', [10n ** 11n]],
      totals(supplied),
    ])
  const config = 'address, uint64, bool'
  const pays = (...more: [] | [bigint]) =>
    put(other, [
      [
        'rewardConfig(address)',
        [place],
        more.length > 0 ? `${config}, uint256` : config,
        [token, 10n ** 12n, true, ...more],
      ],
    ])
  const rate = async (rewards: Address | undefined = other) =>
    rewardRate(await asked(cometRewards({ family: 'compound-v3', comet: place, rewards })), million)

  test('are the supply speed, divided by the index scale, at the price of the token', async () => {
    await put(token, [['decimals()', [], 'uint8', [18]]])
    await market(10n ** 12n)
    await pays()
    // 0.001 token per second at 50 dollars, on one million.
    expect(await rate()).toBeCloseTo((0.001 * 50 * 31_536_000) / 1e6, 12)
  })

  test('include the multiplier of a reward config that has one', async () => {
    await market(10n ** 12n)
    await pays((3n * ether) / 2n)
    expect(await rate()).toBeCloseTo((0.0015 * 50 * 31_536_000) / 1e6, 12)
  })

  test('are zero without speed, below the minimum supply, and without a reward token', async () => {
    await pays()
    await market(0n)
    expect(await rate()).toBe(0)
    await market(10n ** 12n, 10n ** 11n - 1n)
    expect(await rate()).toBe(0)
    await market(10n ** 12n)
    await put(other, [['rewardConfig(address)', [place], config, [nativeAddress, 0n, false]]])
    expect(await rate()).toBe(0)
  })

  test('are null when the reward token or its price cannot be read', async () => {
    await market(10n ** 12n)
    await node.rpc.request('anvil_setCode', [other, '0x'])
    expect(await rate()).toBeNull()
    await pays()
    prices.set(token, null)
    expect(await rate()).toBeNull()
    prices.set(token, 50n * 10n ** 8n)
    expect(cometRewards({ family: 'compound-v3', comet: place })).toBeUndefined()
  })
})

describe('the rewards of a Moonwell or Benqi market', () => {
  const constants: CompoundV2Constants = {
    family: 'compound-v2',
    market: place,
    comptroller: other,
    rate: 'second',
    pauses: 'guardian',
  }
  const rate = async () => rewardRate(await asked(compoundV2Rewards(constants)), million)
  type Config = { emission: Address; end: number; speed: bigint }
  const configs = (all: Config[]) =>
    put(distributor, [
      [
        'getAllMarketConfigs(address)',
        [place],
        '(address, address, uint256, uint224, uint32, uint224, uint32, uint256, uint256)[]',
        [
          all.map(({ emission, end, speed }) => [
            other,
            emission,
            BigInt(end),
            1n,
            1,
            1n,
            1,
            speed,
            7n * ether,
          ]),
        ],
      ],
    ])

  test('are the supply speeds of the Moonwell distributor, for every token still paid', async () => {
    await put(other, [['rewardDistributor()', [], 'address', [distributor]]])
    await put(token, [['decimals()', [], 'uint8', [18]]])
    await put(second, [['decimals()', [], 'uint8', [6]]])
    await configs([
      { emission: token, end: now + 1, speed: ether / 1000n },
      { emission: second, end: now + 1, speed: 20_000n },
      { emission: second, end: now, speed: 10n ** 12n },
      // The distributor writes a speed of 1 for none, whatever the token is worth.
      { emission: at(6), end: now + 1, speed: 1n },
    ])
    expect(await rate()).toBeCloseTo(((0.001 * 50 + 0.02) * 31_536_000) / 1e6, 12)
    await configs([{ emission: at(6), end: now + 1, speed: ether }])
    expect(await rate()).toBeNull()
    await configs([])
    expect(await rate()).toBe(0)
  })

  test('are the supply speeds of the Benqi comptroller, of QI and of the native coin', async () => {
    const speeds = (qi: bigint, coin: bigint) =>
      put(other, [
        ['supplyRewardSpeeds(uint8,address)', [0, place], 'uint256', [qi]],
        ['supplyRewardSpeeds(uint8,address)', [1, place], 'uint256', [coin]],
        ['qiAddress()', [], 'address', [token]],
      ])
    await speeds(ether / 1000n, ether / 100n)
    expect(await rate()).toBeCloseTo(((0.001 * 50 + 0.01 * 20) * 31_536_000) / 1e6, 12)
    await speeds(0n, 0n)
    expect(await rate()).toBe(0)
  })

  test('are not read for Venus, which counts blocks, and are null when the comptroller does not answer', async () => {
    expect(compoundV2Rewards({ ...constants, pauses: 'action' })).toBeUndefined()
    await node.rpc.request('anvil_setCode', [other, '0x'])
    expect(await rate()).toBeNull()
  })
})
