import { approve, transfer } from '../../../src/chain/erc20.ts'
import type { Address } from '../../../src/domain/address.ts'
import { maxUint256 } from '../../../src/domain/amount.ts'
import { sandboxNetworks } from '../../../src/domain/networks.ts'
import { nativeToken, type Token } from '../../../src/domain/token.ts'
import type { Transaction } from '../../../src/domain/transaction-types.ts'
import { supply, withdraw as withdrawFromPool } from '../../../src/protocols/aave-v3/encode.ts'
import type { Catalog, StrategyEntry } from '../../../src/protocols/catalog-types.ts'
import { deposit, redeem, withdraw as withdrawFromVault } from '../../../src/protocols/erc4626/encode.ts'
import type { Intent } from '../../../src/protocols/intent.ts'
import { depositForBurn } from '../../../src/swaps/cctp-v2/encode.ts'
import { encodeV3Swap } from '../../../src/swaps/uniswap-v3/encode.ts'

const address = (byte: string): Address => `0x${byte.repeat(20)}`

/** The accounts and contracts of these tests. */
export const wallet = address('a1')
export const friend = address('b2')
export const thief = address('66')
export const pool = address('c3')
export const vault = address('c4')
export const router = address('c5')
export const router02 = address('c8')
export const aggregator = address('c9')
export const oneInchRouter = address('96')
export const universalRouter = address('ca')
export const permit2 = address('cb')
export const spokePool = address('cc')
export const settlement = address('ce')
export const vaultRelayer = address('cf')
export const balancerVault = address('98')
export const pancakeRouter = address('97')
export const diamond = address('96')
export const depository = address('9a')
/** The contract through which Relay pays native coins, and the solver of its orders. */
export const relayRouter = address('9d')
/** Its version 3.2. */
export const relayRouter32 = address('9c')
export const solver = address('9c')
export const messenger = address('c6')
export const messengerThere = address('c7')

const token = (chainId: number, byte: string, symbol: string, decimals: number): Token => ({
  chainId,
  address: address(byte),
  symbol,
  decimals,
  name: symbol,
})
export const usdc = token(31337, 'd1', 'USDC', 6)
export const weth = token(31337, 'd2', 'WETH', 18)
export const usdt = token(31337, 'd3', 'USDT', 6)
export const usdcThere = token(31338, 'd4', 'USDC', 6)
export const brla = token(31337, 'd5', 'BRLA', 18)
export const desk = address('cf')
export const coin = nativeToken(sandboxNetworks[0]!)

const entry = (id: string, constants: StrategyEntry['constants']): StrategyEntry => ({
  id,
  slug: id.toLowerCase(),
  name: id,
  protocol: constants.family,
  network: 'sandbox-one',
  chainId: 31337,
  category: 'lending',
  asset: usdc,
  receipt: token(31337, 'e1', 'rUSDC', 6),
  implementationSelector: `${constants.family}@1`,
  startDate: null,
  launchDate: null,
  familyLaunchDate: null,
  isDefault: true,
  metadata: null,
  logourl: null,
  constants,
  fromBlock: 0n,
})
export const lending = entry('Aave-USDC-sandbox-one', {
  family: 'aave-v3',
  pool,
  aToken: address('e1'),
  oracle: address('e2'),
})
export const vaulted = entry('Vault-USDC-sandbox-one', { family: 'erc4626', vault })

/** The catalogue of these tests. */
export const catalog = {
  networks: sandboxNetworks,
  tokens: [usdc, weth, usdt, usdcThere, brla],
  strategies: [lending, vaulted],
  swaps: {
    kyberswap: [{ chainId: 31337, router: aggregator, api: null }],
    '1inch': [{ chainId: 31337, router: oneInchRouter, api: null, keyFile: null }],
    'uniswap-v2': [
      {
        chainId: 31337,
        factory: address('f5'),
        router02,
        initCodeHash: `0x${'f6'.repeat(32)}`,
        via: [weth.address],
      },
    ],
    'uniswap-v4': [
      {
        chainId: 31337,
        poolManager: address('c1'),
        quoter: address('c2'),
        stateView: address('c3'),
        universalRouter,
        permit2,
        via: [usdt.address],
      },
    ],
    'uniswap-v3': [
      {
        chainId: 31337,
        factory: address('f1'),
        quoterV2: address('f2'),
        swapRouter02: router,
        feeTiers: [100, 500, 3000, 10_000],
        via: [weth.address],
      },
    ],
    cctp: [
      {
        chainId: 31337,
        domain: 7,
        token: usdc.address,
        tokenMessenger: messenger,
        messageTransmitter: address('f3'),
        attestation: null,
      },
      {
        chainId: 31338,
        domain: 8,
        token: usdcThere.address,
        tokenMessenger: messengerThere,
        messageTransmitter: address('f4'),
        attestation: null,
      },
    ],
    across: [
      {
        chainId: 31337,
        spokePool,
        tokens: { USDC: usdc.address, WETH: weth.address, USDT: usdt.address },
        api: null,
      },
      { chainId: 31338, spokePool: address('cd'), tokens: { USDC: usdcThere.address }, api: null },
    ],
    cow: [{ chainId: 31337, settlement, vaultRelayer, api: null }],
    lifi: [{ chainId: 31337, diamond, api: null }],
    relay: [
      {
        chainId: 31337,
        depository,
        chain: 'sandbox-one',
        router: relayRouter,
        router32: relayRouter32,
        solver,
        solverChain: 'base',
        api: null,
      },
      {
        chainId: 31338,
        depository: address('9b'),
        chain: 'sandbox-two',
        router: relayRouter,
        router32: relayRouter32,
        solver,
        solverChain: 'base',
        api: null,
      },
    ],
    'pancakeswap-v3': [
      {
        chainId: 31337,
        factory: address('f7'),
        quoterV2: address('f8'),
        swapRouter02: pancakeRouter,
        feeTiers: [100, 500, 2500, 10_000],
        via: [weth.address],
      },
    ],
    'balancer-v2': [
      {
        chainId: 31337,
        vault: balancerVault,
        queries: address('99'),
        pools: [
          { id: `0x${'91'.repeat(32)}`, tokens: [usdc.address, weth.address, usdt.address] },
          { id: `0x${'92'.repeat(32)}`, tokens: [usdc.address, weth.address] },
        ],
      },
    ],
    avenia: [{ chainId: 31337, desk, usdc: usdc.address, brla: brla.address, chain: 'BASE', service: null }],
  },
  priceOracles: {},
  priceFeeds: [],
} as unknown as Catalog

const chainId = 31337
const amount = 100_000_000n
const deadline = 1_900_000_000
const allow = (spender: Address, much = amount): Transaction =>
  approve({ chainId, token: usdc.address, spender, amount: much })

const swapping = (exact: 'in' | 'out', tokens: Address[], fees: number[]): Plan => ({
  intent: {
    kind: 'swap',
    wallet,
    provider: 'uniswap-v3',
    tokenIn: usdc,
    tokenOut: usdt,
    exact,
    amountIn: amount,
    amountOut: 99_000_000n,
    recipient: wallet,
    deadline,
  },
  transactions: [
    allow(router),
    encodeV3Swap({
      chainId,
      router,
      exact,
      path: { tokens, fees },
      amountIn: amount,
      amountOut: 99_000_000n,
      recipient: wallet,
      deadline,
    }),
  ],
})

/** An intent, and transactions that fulfil it. */
export type Plan = { intent: Intent; transactions: Transaction[] }

/** Plans that fulfil their intent, by name. */
export const honest = {
  'a deposit into Aave': {
    intent: { kind: 'deposit', wallet, strategy: lending, amount },
    transactions: [allow(pool), supply({ chainId, pool, asset: usdc.address, amount, onBehalfOf: wallet })],
  },
  'a deposit after a reset of the allowance': {
    intent: { kind: 'deposit', wallet, strategy: lending, amount },
    transactions: [
      allow(pool, 0n),
      allow(pool),
      supply({ chainId, pool, asset: usdc.address, amount, onBehalfOf: wallet }),
    ],
  },
  'a deposit with the allowance already there': {
    intent: { kind: 'deposit', wallet, strategy: lending, amount },
    transactions: [supply({ chainId, pool, asset: usdc.address, amount, onBehalfOf: wallet })],
  },
  'a withdrawal from Aave': {
    intent: { kind: 'withdraw', wallet, strategy: lending, amount },
    transactions: [withdrawFromPool({ chainId, pool, asset: usdc.address, amount, to: wallet })],
  },
  'a withdrawal of everything from Aave': {
    intent: { kind: 'withdraw', wallet, strategy: lending, amount, shares: amount },
    transactions: [withdrawFromPool({ chainId, pool, asset: usdc.address, amount: maxUint256, to: wallet })],
  },
  'a deposit into a vault': {
    intent: { kind: 'deposit', wallet, strategy: vaulted, amount },
    transactions: [allow(vault), deposit({ chainId, vault, assets: amount, receiver: wallet })],
  },
  'a withdrawal from a vault': {
    intent: { kind: 'withdraw', wallet, strategy: vaulted, amount },
    transactions: [withdrawFromVault({ chainId, vault, assets: amount, receiver: wallet, owner: wallet })],
  },
  'a withdrawal of everything from a vault': {
    intent: { kind: 'withdraw', wallet, strategy: vaulted, amount, shares: 95_000_000n },
    transactions: [redeem({ chainId, vault, shares: 95_000_000n, receiver: wallet, owner: wallet })],
  },
  'a swap': swapping('in', [usdc.address, usdt.address], [500]),
  'a swap with two hops': swapping('in', [usdc.address, weth.address, usdt.address], [500, 3000]),
  'a swap for an exact output': swapping('out', [usdc.address, usdt.address], [500]),
  'a swap for an exact output with two hops': swapping(
    'out',
    [usdc.address, weth.address, usdt.address],
    [500, 3000],
  ),
  'a transfer to another chain': {
    intent: {
      kind: 'swap',
      wallet,
      provider: 'cctp-v2',
      tokenIn: usdc,
      tokenOut: usdcThere,
      exact: 'in',
      amountIn: amount,
      amountOut: 99_990_000n,
      recipient: wallet,
      deadline,
    },
    transactions: [
      allow(messenger),
      depositForBurn({
        chainId,
        messenger,
        amount,
        domain: 8,
        recipient: wallet,
        burnToken: usdc.address,
        maxFee: 10_000n,
        minFinalityThreshold: 1000,
      }),
    ],
  },
  'a transfer of a token': {
    intent: { kind: 'transfer', wallet, token: usdc, recipient: friend, amount },
    transactions: [transfer({ chainId, token: usdc.address, to: friend, amount })],
  },
  'a transfer of the native coin': {
    intent: { kind: 'transfer', wallet, token: coin, recipient: friend, amount },
    transactions: [transfer({ chainId, token: coin.address, to: friend, amount })],
  },
} as const satisfies Record<string, Plan>

/** A market of any protocol, with the same address for all of its contracts. */
export const marketAt =
  (place: Address) =>
  (constants: StrategyEntry['constants'], more: Partial<StrategyEntry> = {}): StrategyEntry => ({
    ...lending,
    id: constants.family,
    slug: constants.family,
    receipt: { ...lending.receipt, address: place },
    constants,
    ...more,
  })
