import { concatHex, encodeFunctionData, getAddress, parseAbi } from 'viem/utils'
import { approve, transfer } from '../../../src/chain/erc20.ts'
import type { Address } from '../../../src/domain/address.ts'
import { maxUint256 } from '../../../src/domain/amount.ts'
import type { ErrorCode } from '../../../src/domain/errors.ts'
import type { Transaction } from '../../../src/domain/transaction-types.ts'
import { supply, withdraw as withdrawFromPool } from '../../../src/protocols/aave-v3/encode.ts'
import { deposit, redeem, withdraw as withdrawFromVault } from '../../../src/protocols/erc4626/encode.ts'
import { depositForBurn } from '../../../src/swaps/cctp-v2/encode.ts'
import { encodeV3Swap } from '../../../src/swaps/uniswap-v3/encode.ts'
import {
  friend,
  type honest,
  messenger,
  messengerThere,
  pool,
  router,
  thief,
  usdc,
  usdt,
  vault,
  wallet,
  weth,
} from './plan-fixtures.ts'

/** A false plan: the honest plan it starts from, the change, and the expected refusal. */
export type Lie = [
  name: string,
  from: keyof typeof honest,
  (honest: Transaction[]) => unknown[],
  code: ErrorCode,
]

const chainId = 31337
const amount = 100_000_000n
const deadline = 1_900_000_000
const last = (all: Transaction[]): Transaction => all[all.length - 1]!
const rest = (all: Transaction[]): Transaction[] => all.slice(0, -1)
const action =
  (change: (transaction: Transaction) => object) =>
  (all: Transaction[]): unknown[] => [...rest(all), change(last(all))]
const first =
  (change: (transaction: Transaction) => object) =>
  (all: Transaction[]): unknown[] => [change(all[0]!), ...all.slice(1)]

const supplyWith = (more: object): Transaction =>
  supply({ chainId, pool, asset: usdc.address, amount, onBehalfOf: wallet, ...more })
const poolOut = (more: object): Transaction =>
  withdrawFromPool({ chainId, pool, asset: usdc.address, amount, to: wallet, ...more })
const vaultOut = (more: object): Transaction =>
  withdrawFromVault({ chainId, vault, assets: amount, receiver: wallet, owner: wallet, ...more })
const allow = (more: object): Transaction =>
  approve({ chainId, token: usdc.address, spender: pool, amount, ...more })
const swapWith = (more: object): Transaction =>
  encodeV3Swap({
    chainId,
    router,
    exact: 'in',
    path: { tokens: [usdc.address, usdt.address], fees: [500] },
    amountIn: amount,
    amountOut: 99_000_000n,
    recipient: wallet,
    deadline,
    ...more,
  })
const path = (tokens: Address[], fees: number[]) => ({ path: { tokens, fees } })
const burnWith = (more: object): Transaction =>
  depositForBurn({
    chainId,
    messenger,
    amount,
    domain: 8,
    recipient: wallet,
    burnToken: usdc.address,
    maxFee: 10_000n,
    minFinalityThreshold: 1000,
    ...more,
  })

const odd = parseAbi([
  'function multicall(uint256 deadline, bytes[] data)',
  'function multicall(bytes[] data)',
  'function approve(address spender, uint256 amount)',
  'function increaseAllowance(address spender, uint256 amount)',
  'function setApprovalForAll(address operator, bool approved)',
  'function borrow(address asset, uint256 amount, uint256 mode, uint16 code, address onBehalfOf)',
  'function supply(address asset, uint256 amount, address onBehalfOf, uint16 referralCode)',
  'function depositForBurn(uint256 amount, uint32 domain, bytes32 recipient, address token, bytes32 caller, uint256 maxFee, uint32 threshold)',
  'function depositForBurnWithHook(uint256 amount, uint32 domain, bytes32 recipient, address token, bytes32 caller, uint256 maxFee, uint32 threshold, bytes hook)',
  'function sweepToken(address token, uint256 minimum, address recipient)',
  'function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 minimum, uint160 limit) params)',
])
const innerOf = (data: `0x${string}`[]): `0x${string}` =>
  encodeFunctionData({ abi: odd, functionName: 'multicall', args: [BigInt(deadline), data] })
const single = (more: object = {}): `0x${string}` =>
  encodeFunctionData({
    abi: odd,
    functionName: 'exactInputSingle',
    args: [
      {
        tokenIn: usdc.address,
        tokenOut: usdt.address,
        fee: 500,
        recipient: wallet,
        amountIn: amount,
        minimum: 99_000_000n,
        limit: 0n,
        ...more,
      },
    ],
  })
const approveThief = encodeFunctionData({ abi: odd, functionName: 'approve', args: [thief, maxUint256] })
const mixed = getAddress(pool).replace('C', 'c') as Address

const aave = 'a deposit into Aave'
const reset = 'a deposit after a reset of the allowance'
const out = 'a withdrawal from Aave'
const all = 'a withdrawal of everything from Aave'
const vaultIn = 'a deposit into a vault'
const vaultBack = 'a withdrawal from a vault'
const vaultAll = 'a withdrawal of everything from a vault'
const uni = 'a swap'
const uniOut = 'a swap for an exact output'
const cctp = 'a transfer to another chain'
const send = 'a transfer of a token'
const coins = 'a transfer of the native coin'

/** False plans that a service might return. */
export const lies: readonly Lie[] = [
  // Shape
  ['nothing at all', aave, () => [], 'POLICY_SHAPE'],
  ['five transactions', aave, (t) => [t[0], t[0], t[0], t[0], t[1]], 'POLICY_SHAPE'],
  ['four transactions', reset, (t) => [t[0], t[0], t[1], t[2]], 'POLICY_SHAPE'],
  ['the two steps swapped', aave, (t) => [t[1], t[0]], 'POLICY_SHAPE'],
  ['only the approval', aave, (t) => [t[0]], 'POLICY_SHAPE'],
  ['the action twice', aave, (t) => [...t, last(t)], 'POLICY_SHAPE'],
  [
    'a transfer before the action',
    aave,
    (t) => [transfer({ chainId, token: usdc.address, to: thief, amount: 1n }), last(t)],
    'POLICY_SHAPE',
  ],
  [
    'a transfer after the action',
    aave,
    (t) => [...t, transfer({ chainId, token: usdc.address, to: thief, amount: 1n })],
    'POLICY_SHAPE',
  ],
  ['a field more', aave, action((t) => ({ ...t, gas: 1n })), 'POLICY_SHAPE'],
  ['a transaction type', aave, action((t) => ({ ...t, type: 'legacy' })), 'POLICY_SHAPE'],
  ['an authorization list', aave, action((t) => ({ ...t, authorizationList: [] })), 'POLICY_SHAPE'],
  ['a field less', aave, action(({ to, data, chainId }) => ({ to, data, chainId })), 'POLICY_SHAPE'],
  ['no target', aave, action((t) => ({ ...t, to: null })), 'POLICY_SHAPE'],
  ['the zero target', aave, action((t) => ({ ...t, to: `0x${'00'.repeat(20)}` })), 'POLICY_SHAPE'],
  ['a precompile as target', aave, action((t) => ({ ...t, to: `0x${'00'.repeat(19)}04` })), 'POLICY_SHAPE'],
  ['the wallet as target', aave, action((t) => ({ ...t, to: wallet })), 'POLICY_SHAPE'],
  ['a target with a broken checksum', aave, action((t) => ({ ...t, to: mixed })), 'POLICY_SHAPE'],
  ['a short target', aave, action((t) => ({ ...t, to: t.to.slice(0, -2) })), 'POLICY_SHAPE'],
  ['calldata that is not hex', aave, action((t) => ({ ...t, data: '0xzz' })), 'POLICY_SHAPE'],
  ['calldata of half a byte', aave, action((t) => ({ ...t, data: `${t.data}0` })), 'POLICY_SHAPE'],
  ['a value below zero', aave, action((t) => ({ ...t, value: -1n })), 'POLICY_SHAPE'],
  ['a value that is text', aave, action((t) => ({ ...t, value: '0' })), 'POLICY_SHAPE'],
  ['a value that no word can hold', aave, action((t) => ({ ...t, value: 1n << 256n })), 'POLICY_SHAPE'],
  ['the chain zero', aave, action((t) => ({ ...t, chainId: 0 })), 'POLICY_SHAPE'],
  ['half a chain', aave, action((t) => ({ ...t, chainId: 31337.5 })), 'POLICY_SHAPE'],
  // Chain
  ['another chain in the action', aave, action((t) => ({ ...t, chainId: 31338 })), 'POLICY_CHAIN'],
  ['another chain in the approval', aave, first((t) => ({ ...t, chainId: 1 })), 'POLICY_CHAIN'],
  ['another domain of the bridge', cctp, action(() => burnWith({ domain: 0 })), 'POLICY_CHAIN'],
  // Approvals
  ['an unlimited approval', aave, first(() => allow({ amount: maxUint256 })), 'POLICY_ALLOWANCE'],
  ['an approval of one more', aave, first(() => allow({ amount: amount + 1n })), 'POLICY_ALLOWANCE'],
  ['an approval of one less', aave, first(() => allow({ amount: amount - 1n })), 'POLICY_ALLOWANCE'],
  ['an approval of another token', aave, first(() => allow({ token: usdt.address })), 'POLICY_ALLOWANCE'],
  ['an approval before a withdrawal', out, (t) => [allow({}), ...t], 'POLICY_ALLOWANCE'],
  [
    'an approval before a transfer',
    send,
    (t) => [allow({ spender: usdc.address }), ...t],
    'POLICY_ALLOWANCE',
  ],
  ['a reset that is no reset', reset, first(() => allow({ amount: 1n })), 'POLICY_ALLOWANCE'],
  ['an approval of nothing', aave, first(() => allow({ amount: 0n })), 'POLICY_ALLOWANCE'],
  ['an approval for a thief', aave, first(() => allow({ spender: thief })), 'POLICY_SPENDER'],
  [
    'an approval for a known contract that is not called',
    aave,
    first(() => allow({ spender: vault })),
    'POLICY_SPENDER',
  ],
  ['a reset for a thief', reset, first(() => allow({ amount: 0n, spender: thief })), 'POLICY_SPENDER'],
  ['an approval with bytes after it', aave, first((t) => ({ ...t, data: `${t.data}00` })), 'POLICY_DECODE'],
  [
    'an approval with dirty padding',
    aave,
    first((t) => ({ ...t, data: t.data.replace('0x095ea7b300', '0x095ea7b301') })),
    'POLICY_DECODE',
  ],
  ['an approval that carries value', aave, first((t) => ({ ...t, value: 1n })), 'POLICY_VALUE'],
  // Contracts
  ['a thief as target', aave, action((t) => ({ ...t, to: thief })), 'POLICY_CONTRACT_NOT_ALLOWED'],
  [
    'a known contract that does something else',
    aave,
    action((t) => ({ ...t, to: vault })),
    'POLICY_CONTRACT_NOT_ALLOWED',
  ],
  [
    'another token as target of a transfer',
    send,
    action((t) => ({ ...t, to: usdt.address })),
    'POLICY_CONTRACT_NOT_ALLOWED',
  ],
  ['another router', uni, action((t) => ({ ...t, to: thief })), 'POLICY_CONTRACT_NOT_ALLOWED'],
  [
    'the bridge of the other chain',
    cctp,
    action((t) => ({ ...t, to: messengerThere })),
    'POLICY_CONTRACT_NOT_ALLOWED',
  ],
  // Calldata
  ['empty calldata', aave, action((t) => ({ ...t, data: '0x' })), 'POLICY_DECODE'],
  [
    'a selector and nothing else',
    aave,
    action((t) => ({ ...t, data: t.data.slice(0, 10) })),
    'POLICY_DECODE',
  ],
  [
    'bytes after the arguments',
    aave,
    action((t) => ({ ...t, data: concatHex([t.data, '0x00']) })),
    'POLICY_DECODE',
  ],
  ['a withdrawal where a deposit was asked for', aave, action(() => poolOut({})), 'POLICY_DECODE'],
  [
    'a loan',
    aave,
    action((t) => ({
      ...t,
      data: encodeFunctionData({
        abi: odd,
        functionName: 'borrow',
        args: [usdc.address, amount, 2n, 0, wallet],
      }),
    })),
    'POLICY_DECODE',
  ],
  ['a deposit where a withdrawal was asked for', out, action(() => supplyWith({})), 'POLICY_DECODE'],
  [
    'a withdrawal of assets where everything was asked for',
    vaultAll,
    action(() => vaultOut({})),
    'POLICY_DECODE',
  ],
  ['calldata with a coin', coins, action((t) => ({ ...t, data: '0x00' })), 'POLICY_DECODE'],
  [
    'a second call in the multicall',
    uni,
    action((t) => ({ ...t, data: innerOf([single(), single()]) })),
    'POLICY_DECODE',
  ],
  ['an empty multicall', uni, action((t) => ({ ...t, data: innerOf([]) })), 'POLICY_DECODE'],
  [
    'a sweep in the multicall',
    uni,
    action((t) => ({
      ...t,
      data: innerOf([
        encodeFunctionData({ abi: odd, functionName: 'sweepToken', args: [usdc.address, 0n, thief] }),
      ]),
    })),
    'POLICY_DECODE',
  ],
  ['the swap without its deadline', uni, action((t) => ({ ...t, data: single() })), 'POLICY_DECODE'],
  [
    'bytes after the inner call',
    uni,
    action((t) => ({ ...t, data: innerOf([concatHex([single(), '0x00'])]) })),
    'POLICY_DECODE',
  ],
  [
    'an exact output where an exact input was asked for',
    uni,
    action(() => swapWith({ exact: 'out' })),
    'POLICY_DECODE',
  ],
  // Recipients
  ['a deposit for a thief', aave, action(() => supplyWith({ onBehalfOf: thief })), 'POLICY_RECIPIENT'],
  ['a withdrawal to a thief', out, action(() => poolOut({ to: thief })), 'POLICY_RECIPIENT'],
  [
    'a withdrawal of everything to a thief',
    all,
    action(() => poolOut({ amount: maxUint256, to: thief })),
    'POLICY_RECIPIENT',
  ],
  [
    'shares for a thief',
    vaultIn,
    action(() => deposit({ chainId, vault, assets: amount, receiver: thief })),
    'POLICY_RECIPIENT',
  ],
  ['assets for a thief', vaultBack, action(() => vaultOut({ receiver: thief })), 'POLICY_RECIPIENT'],
  ['the shares of somebody else', vaultBack, action(() => vaultOut({ owner: friend })), 'POLICY_RECIPIENT'],
  [
    'everything for a thief',
    vaultAll,
    action(() => redeem({ chainId, vault, shares: 95_000_000n, receiver: thief, owner: wallet })),
    'POLICY_RECIPIENT',
  ],
  ['a swap for a thief', uni, action(() => swapWith({ recipient: thief })), 'POLICY_RECIPIENT'],
  [
    'a swap that stays in the router',
    uni,
    action(() => swapWith({ recipient: `0x${'00'.repeat(19)}02` })),
    'POLICY_RECIPIENT',
  ],
  ['a bridge to a thief', cctp, action(() => burnWith({ recipient: thief })), 'POLICY_RECIPIENT'],
  [
    'a bridge that only a thief can finish',
    cctp,
    action((t) => ({
      ...t,
      data: encodeFunctionData({
        abi: odd,
        functionName: 'depositForBurn',
        args: [
          amount,
          8,
          `0x${wallet.slice(2).padStart(64, '0')}`,
          usdc.address,
          `0x${thief.slice(2).padStart(64, '0')}`,
          10_000n,
          1000,
        ],
      }),
    })),
    'POLICY_RECIPIENT',
  ],
  [
    'a bridge with a hook for a contract of a thief',
    cctp,
    action((t) => ({
      ...t,
      data: encodeFunctionData({
        abi: odd,
        functionName: 'depositForBurnWithHook',
        args: [
          amount,
          8,
          `0x${wallet.slice(2).padStart(64, '0')}`,
          usdc.address,
          `0x${'00'.repeat(32)}`,
          10_000n,
          1000,
          thief,
        ],
      }),
    })),
    'POLICY_DECODE',
  ],
  [
    'a transfer to a thief',
    send,
    action(() => transfer({ chainId, token: usdc.address, to: thief, amount })),
    'POLICY_RECIPIENT',
  ],
  ['a coin to a thief', coins, action((t) => ({ ...t, to: thief })), 'POLICY_RECIPIENT'],
  // Amounts
  ['a deposit of more', aave, action(() => supplyWith({ amount: amount + 1n })), 'POLICY_AMOUNT'],
  ['a deposit of another token', aave, action(() => supplyWith({ asset: usdt.address })), 'POLICY_AMOUNT'],
  [
    'a referral code',
    aave,
    action((t) => ({
      ...t,
      data: encodeFunctionData({ abi: odd, functionName: 'supply', args: [usdc.address, amount, wallet, 1] }),
    })),
    'POLICY_AMOUNT',
  ],
  [
    'a withdrawal of everything where a part was asked for',
    out,
    action(() => poolOut({ amount: maxUint256 })),
    'POLICY_AMOUNT',
  ],
  [
    'a withdrawal of a part where everything was asked for',
    all,
    action(() => poolOut({ amount })),
    'POLICY_AMOUNT',
  ],
  [
    'a deposit of less into a vault',
    vaultIn,
    action(() => deposit({ chainId, vault, assets: amount - 1n, receiver: wallet })),
    'POLICY_AMOUNT',
  ],
  [
    'a redemption of fewer shares',
    vaultAll,
    action(() => redeem({ chainId, vault, shares: 94_000_000n, receiver: wallet, owner: wallet })),
    'POLICY_AMOUNT',
  ],
  ['a swap of more', uni, action(() => swapWith({ amountIn: amount + 1n })), 'POLICY_AMOUNT'],
  [
    'a swap that may spend more',
    uniOut,
    action(() => swapWith({ exact: 'out', amountIn: amount + 1n })),
    'POLICY_AMOUNT',
  ],
  [
    'a swap that brings less',
    uniOut,
    action(() => swapWith({ exact: 'out', amountOut: 98_000_000n })),
    'POLICY_AMOUNT',
  ],
  ['a burn of more', cctp, action(() => burnWith({ amount: amount + 1n })), 'POLICY_AMOUNT'],
  ['a burn of another token', cctp, action(() => burnWith({ burnToken: usdt.address })), 'POLICY_AMOUNT'],
  [
    'a transfer of more',
    send,
    action(() => transfer({ chainId, token: usdc.address, to: friend, amount: amount + 1n })),
    'POLICY_AMOUNT',
  ],
  ['a lower minimum', uni, action(() => swapWith({ amountOut: 98_999_999n })), 'POLICY_MIN_OUT'],
  ['no minimum', uni, action(() => swapWith({ amountOut: 0n })), 'POLICY_MIN_OUT'],
  ['a fee that eats the minimum', cctp, action(() => burnWith({ maxFee: 10_001n })), 'POLICY_MIN_OUT'],
  ['a fee above the amount', cctp, action(() => burnWith({ maxFee: maxUint256 })), 'POLICY_MIN_OUT'],
  // Accepted terms
  ['a later deadline', uni, action(() => swapWith({ deadline: deadline + 1 })), 'POLICY_QUOTE_DRIFT'],
  [
    'another token out',
    uni,
    action(() => swapWith(path([usdc.address, weth.address], [500]))),
    'POLICY_QUOTE_DRIFT',
  ],
  [
    'another token in',
    uni,
    action(() => swapWith(path([weth.address, usdt.address], [500]))),
    'POLICY_QUOTE_DRIFT',
  ],
  [
    'a way through an unknown token',
    uni,
    action(() => swapWith(path([usdc.address, thief, usdt.address], [500, 500]))),
    'POLICY_QUOTE_DRIFT',
  ],
  [
    'a way through an unknown fee tier',
    uni,
    action(() => swapWith(path([usdc.address, usdt.address], [501]))),
    'POLICY_QUOTE_DRIFT',
  ],
  [
    'a price limit',
    uni,
    action((t) => ({ ...t, data: innerOf([single({ limit: 5n })]) })),
    'POLICY_QUOTE_DRIFT',
  ],
  [
    'a finality that is neither fast nor standard',
    cctp,
    action(() => burnWith({ minFinalityThreshold: 1500 })),
    'POLICY_QUOTE_DRIFT',
  ],
  [
    'a second hop through an unknown fee tier',
    'a swap with two hops',
    action(() => swapWith(path([usdc.address, weth.address, usdt.address], [500, 3001]))),
    'POLICY_QUOTE_DRIFT',
  ],
  [
    'three hops',
    'a swap with two hops',
    action(() => swapWith(path([usdc.address, weth.address, weth.address, usdt.address], [500, 500, 500]))),
    'POLICY_QUOTE_DRIFT',
  ],
  // Value
  ['a value on a deposit', aave, action((t) => ({ ...t, value: 1n })), 'POLICY_VALUE'],
  ['a value on a swap', uni, action((t) => ({ ...t, value: 10n ** 18n })), 'POLICY_VALUE'],
  ['a value on a bridge', cctp, action((t) => ({ ...t, value: 1n })), 'POLICY_VALUE'],
  ['a larger coin', coins, action((t) => ({ ...t, value: amount + 1n })), 'POLICY_VALUE'],
  ['a coin besides the token', send, action((t) => ({ ...t, value: 1n })), 'POLICY_VALUE'],
  // Authority
  [
    'an approval inside the multicall',
    uni,
    action((t) => ({ ...t, data: innerOf([approveThief, single()]) })),
    'POLICY_AUTHORITY',
  ],
  [
    'a multicall inside the multicall',
    uni,
    action((t) => ({
      ...t,
      data: innerOf([encodeFunctionData({ abi: odd, functionName: 'multicall', args: [[single()]] })]),
    })),
    'POLICY_AUTHORITY',
  ],
  [
    'an increased allowance as first step',
    aave,
    first((t) => ({
      ...t,
      data: encodeFunctionData({ abi: odd, functionName: 'increaseAllowance', args: [pool, amount] }),
    })),
    'POLICY_AUTHORITY',
  ],
  [
    'power over all tokens as action',
    aave,
    action((t) => ({
      ...t,
      data: encodeFunctionData({ abi: odd, functionName: 'setApprovalForAll', args: [thief, true] }),
    })),
    'POLICY_AUTHORITY',
  ],
  [
    'an approval as last step of a transfer',
    send,
    action((t) => ({ ...t, data: approveThief })),
    'POLICY_SHAPE',
  ],
]
