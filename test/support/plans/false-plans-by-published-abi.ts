import { concatHex, numberToHex, size } from 'viem/utils'
import type { Address, Hex } from '../../../src/domain/address.ts'
import { maxUint256 } from '../../../src/domain/amount.ts'
import type { Transaction } from '../../../src/domain/transaction-types.ts'
import type { Lie } from './false-plans.ts'
import { friend, messenger, pool, router, thief, usdc, usdt, vault, wallet, weth } from './plan-fixtures.ts'
import { encoded } from './published-calls.ts'

const amount = 100_000_000n
const minimum = 99_000_000n
const deadline = 1_900_000_000n
const zero: Address = `0x${'00'.repeat(20)}`
const bytes32 = (byte: string): Hex => `0x${byte.repeat(32)}`
const asBytes32 = (address: Address): Hex => `0x${address.slice(2).padStart(64, '0')}`

type Change = Lie[2]
/** The action with other calldata. */
const acts =
  (data: Hex): Change =>
  (all) => [...all.slice(0, -1), { ...all.at(-1)!, data }]
/** The action with other fields changed. */
const last =
  (change: (transaction: Transaction) => object): Change =>
  (all) => [...all.slice(0, -1), change(all.at(-1)!)]
const first =
  (change: (transaction: Transaction) => object): Change =>
  (all) => [change(all[0]!), ...all.slice(1)]
/** The first step with other calldata, and with another contract if one is given. */
const begins =
  (data: Hex, to?: Address): Change =>
  (all) => [{ ...all[0]!, data, ...(to && { to }) }, ...all.slice(1)]
/** Calldata with dirty high bytes in one word, counted after the selector. */
const dirty = (data: Hex, word: number): Hex => {
  const at = 10 + word * 64
  return `${data.slice(0, at)}01${data.slice(at + 2)}` as Hex
}
const dirtyWord = (word: number): Change => last((t) => ({ ...t, data: dirty(t.data, word) }))

const aave = 'a deposit into Aave'
const reset = 'a deposit after a reset of the allowance'
const there = 'a deposit with the allowance already there'
const out = 'a withdrawal from Aave'
const all = 'a withdrawal of everything from Aave'
const vaultIn = 'a deposit into a vault'
const vaultBack = 'a withdrawal from a vault'
const vaultAll = 'a withdrawal of everything from a vault'
const uni = 'a swap'
const two = 'a swap with two hops'
const uniOut = 'a swap for an exact output'
const twoOut = 'a swap for an exact output with two hops'
const cctp = 'a transfer to another chain'
const send = 'a transfer of a token'
const coins = 'a transfer of the native coin'

const multicall = (...calls: Hex[]) => encoded('router', 'multicall', deadline, calls)
const single = (more: object = {}) =>
  encoded('router', 'exactInputSingle', {
    tokenIn: usdc.address,
    tokenOut: usdt.address,
    fee: 500,
    recipient: wallet,
    amountIn: amount,
    amountOutMinimum: minimum,
    sqrtPriceLimitX96: 0n,
    ...more,
  })
const singleOut = (more: object = {}) =>
  encoded('router', 'exactOutputSingle', {
    tokenIn: usdc.address,
    tokenOut: usdt.address,
    fee: 500,
    recipient: wallet,
    amountOut: minimum,
    amountInMaximum: amount,
    sqrtPriceLimitX96: 0n,
    ...more,
  })
const pathed = (name: 'exactInput' | 'exactOutput', path: Hex, more: object = {}) =>
  encoded('router', name, {
    path,
    recipient: wallet,
    ...(name === 'exactInput'
      ? { amountIn: amount, amountOutMinimum: minimum }
      : { amountOut: minimum, amountInMaximum: amount }),
    ...more,
  })
const path = (...parts: (Address | number)[]): Hex =>
  concatHex(parts.map((part) => (typeof part === 'number' ? numberToHex(part, { size: 3 }) : part)))
const hop = (...parts: (Address | number)[]) => multicall(pathed('exactInput', path(...parts)))
const back = (...parts: (Address | number)[]) => multicall(pathed('exactOutput', path(...parts)))
const burn = (more: Partial<Record<number, unknown>> = {}) => {
  const args: unknown[] = [amount, 8, asBytes32(wallet), usdc.address, bytes32('00'), 10_000n, 1000]
  for (const [at, value] of Object.entries(more)) args[Number(at)] = value
  return encoded('bridge', 'depositForBurn', ...args)
}

/** Nested calls: `depth` levels of multicall around them. */
const nested = (depth: number, ...calls: Hex[]): Hex =>
  depth === 0 ? calls[0]! : multicall(nested(depth - 1, ...calls), ...(depth === 1 ? calls.slice(1) : []))
const grabs: [what: string, data: Hex][] = [
  ['an approval', encoded('erc20', 'approve', thief, maxUint256)],
  ['power over a collection', encoded('erc721', 'setApprovalForAll', thief, true)],
  [
    'an allowance of Permit2',
    encoded('permit2', 'approve', usdc.address, thief, 2n ** 160n - 1n, 2 ** 48 - 1),
  ],
  ['a transfer from the wallet', encoded('erc20', 'transferFrom', wallet, thief, amount)],
]
const hidden: Lie[] = [1, 2, 3, 4, 5].flatMap((depth) =>
  grabs.map(
    ([what, data]): Lie => [
      `${what} inside ${depth} multicalls`,
      uni,
      acts(nested(depth, data, single())),
      'POLICY_AUTHORITY',
    ],
  ),
)

/** All other functions of the router, by its published ABI. */
const routerCalls: [name: string, ...args: unknown[]][] = [
  ['approveMax', usdc.address],
  ['approveMaxMinusOne', usdc.address],
  ['approveZeroThenMax', usdc.address],
  ['approveZeroThenMaxMinusOne', usdc.address],
  ['callPositionManager', '0x1234'],
  ['pull', usdc.address, amount],
  ['refundETH'],
  ['selfPermit', usdc.address, amount, deadline, 27, bytes32('11'), bytes32('22')],
  ['selfPermitAllowed', usdc.address, 1n, deadline, 27, bytes32('11'), bytes32('22')],
  ['swapExactTokensForTokens', amount, minimum, [usdc.address, usdt.address], wallet],
  ['swapTokensForExactTokens', minimum, amount, [usdc.address, usdt.address], wallet],
  ['sweepToken', usdc.address, 0n, thief],
  ['sweepTokenWithFee', usdc.address, 0n, wallet, 100n, thief],
  ['unwrapWETH9', 0n, thief],
  ['unwrapWETH9WithFee', 0n, wallet, 100n, thief],
  ['uniswapV3SwapCallback', 1n, 0n, '0x'],
  ['wrapETH', 1n],
]
const routers: Lie[] = routerCalls.flatMap(([name, ...args]): Lie[] => [
  [`${name} of the router`, uni, acts(encoded('router', name, ...args)), 'POLICY_DECODE'],
  [
    `${name} beside the swap`,
    uni,
    acts(multicall(single(), encoded('router', name, ...args))),
    'POLICY_DECODE',
  ],
])

const poolCalls: [code: 'POLICY_DECODE' | 'POLICY_AUTHORITY', name: string, ...args: unknown[]][] = [
  ['POLICY_DECODE', 'repay', usdc.address, amount, 2n, wallet],
  ['POLICY_DECODE', 'repayWithATokens', usdc.address, amount, 2n],
  ['POLICY_DECODE', 'swapBorrowRateMode', usdc.address, 1n],
  ['POLICY_DECODE', 'flashLoanSimple', thief, usdc.address, amount, '0x', 0],
  ['POLICY_DECODE', 'liquidationCall', usdc.address, weth.address, friend, amount, true],
  ['POLICY_DECODE', 'deposit', usdc.address, amount, wallet, 0],
  [
    'POLICY_DECODE',
    'supplyWithPermit',
    usdc.address,
    amount,
    wallet,
    0,
    deadline,
    27,
    bytes32('11'),
    bytes32('22'),
  ],
  ['POLICY_DECODE', 'mintToTreasury', [usdc.address]],
  ['POLICY_DECODE', 'backUnbacked', usdc.address, amount, 0n],
  ['POLICY_AUTHORITY', 'setUserEMode', 1],
  ['POLICY_AUTHORITY', 'setUserUseReserveAsCollateral', usdc.address, false],
]
const pools: Lie[] = poolCalls.map(
  ([code, name, ...args]): Lie => [`${name} of the pool`, aave, acts(encoded('pool', name, ...args)), code],
)

const permits: Lie[] = (
  [
    ['approve', usdc.address, thief, 1n, 1],
    [
      'permit',
      wallet,
      {
        details: { token: usdc.address, amount: 1n, expiration: 1, nonce: 0 },
        spender: thief,
        sigDeadline: deadline,
      },
      '0x',
    ],
    [
      'permit',
      wallet,
      {
        details: [{ token: usdc.address, amount: 1n, expiration: 1, nonce: 0 }],
        spender: thief,
        sigDeadline: deadline,
      },
      '0x',
    ],
    ['transferFrom', wallet, thief, 1n, usdc.address],
    [
      'permitTransferFrom',
      { permitted: { token: usdc.address, amount: 1n }, nonce: 0n, deadline },
      { to: thief, requestedAmount: 1n },
      wallet,
      '0x',
    ],
  ] as [string, ...unknown[]][]
).flatMap(([name, ...args], at): Lie[] => {
  const data = encoded('permit2', name, ...args)
  return [
    [`${name} of Permit2 (${at}) before the action`, aave, begins(data, friend), 'POLICY_AUTHORITY'],
    [`${name} of Permit2 (${at}) as the action`, uni, acts(data), 'POLICY_AUTHORITY'],
  ]
})

const everyKind = [
  aave,
  there,
  out,
  all,
  vaultIn,
  vaultBack,
  vaultAll,
  uni,
  two,
  uniOut,
  twoOut,
  cctp,
  send,
] as const
const trailing: Lie[] = everyKind.map(
  (plan): Lie => [
    'a word after the arguments',
    plan,
    last((t) => ({ ...t, data: concatHex([t.data, bytes32('00')]) })),
    'POLICY_DECODE',
  ],
)
const shortened: Lie[] = everyKind.map(
  (plan): Lie => [
    'the last byte cut off',
    plan,
    last((t) => ({ ...t, data: t.data.slice(0, -2) })),
    'POLICY_DECODE',
  ],
)
const paid: Lie[] = ([out, all, vaultIn, vaultBack, vaultAll, two, uniOut, twoOut, there] as const).map(
  (plan): Lie => ['a coin', plan, last((t) => ({ ...t, value: 1n })), 'POLICY_VALUE'],
)
const elsewhere: Lie[] = ([out, all, vaultIn, vaultBack, uni, twoOut, cctp, send, coins] as const).map(
  (plan): Lie => ['another chain', plan, last((t) => ({ ...t, chainId: 1 })), 'POLICY_CHAIN'],
)
const toThief: Lie[] = (
  [there, out, all, vaultIn, vaultBack, vaultAll, two, uniOut, cctp, send] as const
).map(
  (plan): Lie => ['a thief called', plan, last((t) => ({ ...t, to: thief })), 'POLICY_CONTRACT_NOT_ALLOWED'],
)

/** Words that are not a canonical encoding of their value. */
const unclean: Lie[] = [
  ['a dirty asset', aave, dirtyWord(0), 'POLICY_DECODE'],
  ['a dirty account', aave, dirtyWord(2), 'POLICY_DECODE'],
  ['a dirty referral code', aave, dirtyWord(3), 'POLICY_DECODE'],
  ['a dirty asset', out, dirtyWord(0), 'POLICY_DECODE'],
  ['a dirty recipient', out, dirtyWord(2), 'POLICY_DECODE'],
  ['a dirty receiver', vaultIn, dirtyWord(1), 'POLICY_DECODE'],
  ['a dirty receiver', vaultBack, dirtyWord(1), 'POLICY_DECODE'],
  ['a dirty owner', vaultAll, dirtyWord(2), 'POLICY_DECODE'],
  ['a dirty recipient', send, dirtyWord(0), 'POLICY_DECODE'],
  ['a dirty domain', cctp, dirtyWord(1), 'POLICY_DECODE'],
  ['a dirty token', cctp, dirtyWord(3), 'POLICY_DECODE'],
  ['a dirty finality', cctp, dirtyWord(6), 'POLICY_DECODE'],
  ['a dirty mint recipient', cctp, dirtyWord(2), 'POLICY_RECIPIENT'],
  ['a dirty spender', aave, first((t) => ({ ...t, data: dirty(t.data, 0) })), 'POLICY_DECODE'],
  ['a dirty spender in the reset', reset, first((t) => ({ ...t, data: dirty(t.data, 0) })), 'POLICY_DECODE'],
  ['a dirty recipient of the swap', uni, acts(multicall(dirty(single(), 3))), 'POLICY_DECODE'],
  ['a dirty fee tier', uni, acts(multicall(dirty(single(), 2))), 'POLICY_DECODE'],
  [
    'the list of calls a word further',
    uni,
    last((t) => {
      const words = `${t.data.slice(10 + 128)}`
      return { ...t, data: `${t.data.slice(0, 74)}${'60'.padStart(64, '0')}${'00'.repeat(32)}${words}` }
    }),
    'POLICY_DECODE',
  ],
  [
    'bytes after the end of the inner call, inside the padding',
    uni,
    last((t) => ({ ...t, data: `${t.data.slice(0, -2)}01` })),
    'POLICY_DECODE',
  ],
  [
    'the inner call said to be longer',
    uni,
    last((t) => {
      const length = numberToHex(size(single()), { size: 32 }).slice(2)
      const longer = numberToHex(size(single()) + 1, { size: 32 }).slice(2)
      return { ...t, data: t.data.replace(length, longer) }
    }),
    'POLICY_DECODE',
  ],
]

const amounts: Lie[] = [
  [
    'a deposit of nothing',
    aave,
    acts(encoded('pool', 'supply', usdc.address, 0n, wallet, 0)),
    'POLICY_AMOUNT',
  ],
  [
    'a deposit of all there is',
    aave,
    acts(encoded('pool', 'supply', usdc.address, maxUint256, wallet, 0)),
    'POLICY_AMOUNT',
  ],
  [
    'a deposit of one less',
    there,
    acts(encoded('pool', 'supply', usdc.address, amount - 1n, wallet, 0)),
    'POLICY_AMOUNT',
  ],
  [
    'a withdrawal of one more',
    out,
    acts(encoded('pool', 'withdraw', usdc.address, amount + 1n, wallet)),
    'POLICY_AMOUNT',
  ],
  [
    'a withdrawal of nothing',
    out,
    acts(encoded('pool', 'withdraw', usdc.address, 0n, wallet)),
    'POLICY_AMOUNT',
  ],
  [
    'a withdrawal of another asset',
    out,
    acts(encoded('pool', 'withdraw', usdt.address, amount, wallet)),
    'POLICY_AMOUNT',
  ],
  [
    'nearly everything',
    all,
    acts(encoded('pool', 'withdraw', usdc.address, maxUint256 - 1n, wallet)),
    'POLICY_AMOUNT',
  ],
  ['more into a vault', vaultIn, acts(encoded('erc4626', 'deposit', amount + 1n, wallet)), 'POLICY_AMOUNT'],
  [
    'everything into a vault',
    vaultIn,
    acts(encoded('erc4626', 'deposit', maxUint256, wallet)),
    'POLICY_AMOUNT',
  ],
  ['shares minted for any price', vaultIn, acts(encoded('erc4626', 'mint', amount, wallet)), 'POLICY_DECODE'],
  [
    'more out of a vault',
    vaultBack,
    acts(encoded('erc4626', 'withdraw', amount + 1n, wallet, wallet)),
    'POLICY_AMOUNT',
  ],
  [
    'shares instead of assets',
    vaultBack,
    acts(encoded('erc4626', 'redeem', amount, wallet, wallet)),
    'POLICY_DECODE',
  ],
  [
    'one share more',
    vaultAll,
    acts(encoded('erc4626', 'redeem', 95_000_001n, wallet, wallet)),
    'POLICY_AMOUNT',
  ],
  [
    'all shares there are',
    vaultAll,
    acts(encoded('erc4626', 'redeem', maxUint256, wallet, wallet)),
    'POLICY_AMOUNT',
  ],
  [
    'the shares sent away',
    vaultAll,
    acts(encoded('erc4626', 'transfer', thief, 95_000_000n)),
    'POLICY_DECODE',
  ],
  ['one less sent', send, acts(encoded('erc20', 'transfer', friend, amount - 1n)), 'POLICY_AMOUNT'],
  ['everything sent', send, acts(encoded('erc20', 'transfer', friend, maxUint256)), 'POLICY_AMOUNT'],
  ['one coin less', coins, last((t) => ({ ...t, value: amount - 1n })), 'POLICY_VALUE'],
  ['no coin', coins, last((t) => ({ ...t, value: 0n })), 'POLICY_VALUE'],
  ['one less burnt', cctp, acts(burn({ 0: amount - 1n })), 'POLICY_AMOUNT'],
  ['everything burnt', cctp, acts(burn({ 0: maxUint256 })), 'POLICY_AMOUNT'],
  ['a fee of all', cctp, acts(burn({ 5: amount })), 'POLICY_MIN_OUT'],
  ['no finality', cctp, acts(burn({ 6: 0 })), 'POLICY_QUOTE_DRIFT'],
  ['one less swapped', uni, acts(multicall(single({ amountIn: amount - 1n }))), 'POLICY_AMOUNT'],
  ['what the router holds swapped', uni, acts(multicall(single({ amountIn: 0n }))), 'POLICY_AMOUNT'],
  [
    'one below the minimum',
    uni,
    acts(multicall(single({ amountOutMinimum: minimum - 1n }))),
    'POLICY_MIN_OUT',
  ],
  [
    'more brought than was asked for',
    uniOut,
    acts(multicall(singleOut({ amountOut: minimum + 1n }))),
    'POLICY_AMOUNT',
  ],
  [
    'one above the maximum',
    uniOut,
    acts(multicall(singleOut({ amountInMaximum: amount + 1n }))),
    'POLICY_AMOUNT',
  ],
  ['no maximum', uniOut, acts(multicall(singleOut({ amountInMaximum: maxUint256 }))), 'POLICY_AMOUNT'],
  ['an exact input where an exact output was asked for', uniOut, acts(multicall(single())), 'POLICY_DECODE'],
]

const recipients: Lie[] = [
  [
    'a deposit for nobody',
    aave,
    acts(encoded('pool', 'supply', usdc.address, amount, zero, 0)),
    'POLICY_RECIPIENT',
  ],
  [
    'a deposit for the pool',
    aave,
    acts(encoded('pool', 'supply', usdc.address, amount, pool, 0)),
    'POLICY_RECIPIENT',
  ],
  [
    'a withdrawal to nobody',
    out,
    acts(encoded('pool', 'withdraw', usdc.address, amount, zero)),
    'POLICY_RECIPIENT',
  ],
  [
    'a withdrawal to the token',
    out,
    acts(encoded('pool', 'withdraw', usdc.address, amount, usdc.address)),
    'POLICY_RECIPIENT',
  ],
  ['shares for the vault', vaultIn, acts(encoded('erc4626', 'deposit', amount, vault)), 'POLICY_RECIPIENT'],
  [
    'assets for nobody',
    vaultBack,
    acts(encoded('erc4626', 'withdraw', amount, zero, wallet)),
    'POLICY_RECIPIENT',
  ],
  [
    'the shares of a friend',
    vaultAll,
    acts(encoded('erc4626', 'redeem', 95_000_000n, wallet, friend)),
    'POLICY_RECIPIENT',
  ],
  ['a swap for nobody', uni, acts(multicall(single({ recipient: zero }))), 'POLICY_RECIPIENT'],
  ['a swap for the router', uni, acts(multicall(single({ recipient: router }))), 'POLICY_RECIPIENT'],
  [
    'a swap for a name that the router knows',
    uni,
    acts(multicall(single({ recipient: `0x${'00'.repeat(19)}01` }))),
    'POLICY_RECIPIENT',
  ],
  [
    'an exact output for a thief',
    uniOut,
    acts(multicall(singleOut({ recipient: thief }))),
    'POLICY_RECIPIENT',
  ],
  [
    'two hops for a thief',
    two,
    acts(
      multicall(
        pathed('exactInput', path(usdc.address, 500, weth.address, 3000, usdt.address), { recipient: thief }),
      ),
    ),
    'POLICY_RECIPIENT',
  ],
  [
    'two hops back for a thief',
    twoOut,
    acts(
      multicall(
        pathed('exactOutput', path(usdt.address, 3000, weth.address, 500, usdc.address), {
          recipient: thief,
        }),
      ),
    ),
    'POLICY_RECIPIENT',
  ],
  ['a token sent to nobody', send, acts(encoded('erc20', 'transfer', zero, amount)), 'POLICY_RECIPIENT'],
  [
    'a token sent to itself',
    send,
    acts(encoded('erc20', 'transfer', usdc.address, amount)),
    'POLICY_RECIPIENT',
  ],
  [
    'a token sent to the wallet itself',
    send,
    acts(encoded('erc20', 'transfer', wallet, amount)),
    'POLICY_RECIPIENT',
  ],
  ['a burn for nobody', cctp, acts(burn({ 2: bytes32('00') })), 'POLICY_RECIPIENT'],
  ['a burn for the bridge', cctp, acts(burn({ 2: asBytes32(messenger) })), 'POLICY_RECIPIENT'],
  [
    'a burn whose recipient is on the left',
    cctp,
    acts(burn({ 2: `${wallet}${'00'.repeat(12)}` })),
    'POLICY_RECIPIENT',
  ],
  ['a burn that only the wallet can finish', cctp, acts(burn({ 4: asBytes32(wallet) })), 'POLICY_RECIPIENT'],
]

const ways: Lie[] = [
  [
    'a path that ends elsewhere',
    two,
    acts(hop(usdc.address, 500, weth.address, 3000, weth.address)),
    'POLICY_QUOTE_DRIFT',
  ],
  [
    'a path that begins elsewhere',
    two,
    acts(hop(usdt.address, 500, weth.address, 3000, usdt.address)),
    'POLICY_QUOTE_DRIFT',
  ],
  [
    'a path through a thief',
    two,
    acts(hop(usdc.address, 500, thief, 3000, usdt.address)),
    'POLICY_QUOTE_DRIFT',
  ],
  [
    'a path in a circle',
    two,
    acts(hop(usdc.address, 500, usdc.address, 500, usdt.address)),
    'POLICY_QUOTE_DRIFT',
  ],
  [
    'a path with a fee of nothing',
    two,
    acts(hop(usdc.address, 0, weth.address, 3000, usdt.address)),
    'POLICY_QUOTE_DRIFT',
  ],
  ['a path without a pool', two, acts(multicall(pathed('exactInput', usdc.address))), 'POLICY_DECODE'],
  ['no path', two, acts(multicall(pathed('exactInput', '0x'))), 'POLICY_DECODE'],
  [
    'a path that is too long by a byte',
    two,
    acts(multicall(pathed('exactInput', concatHex([path(usdc.address, 500, usdt.address), '0x00'])))),
    'POLICY_DECODE',
  ],
  [
    'a path the wrong way round',
    twoOut,
    acts(back(usdc.address, 500, weth.address, 3000, usdt.address)),
    'POLICY_QUOTE_DRIFT',
  ],
  [
    'a path back through a thief',
    twoOut,
    acts(back(usdt.address, 3000, thief, 500, usdc.address)),
    'POLICY_QUOTE_DRIFT',
  ],
  [
    'three hops back',
    twoOut,
    acts(back(usdt.address, 500, weth.address, 500, weth.address, 500, usdc.address)),
    'POLICY_QUOTE_DRIFT',
  ],
  ['no deadline', uni, acts(encoded('router', 'multicall', maxUint256, [single()])), 'POLICY_QUOTE_DRIFT'],
  [
    'the hash of a block where a deadline was',
    uni,
    acts(encoded('router', 'multicall', bytes32('12'), [single()])),
    'POLICY_DECODE',
  ],
  [
    'a multicall without a deadline',
    uni,
    acts(encoded('router', 'multicall', [single()])),
    'POLICY_AUTHORITY',
  ],
]

const approvals: Lie[] = [
  [
    'an approval of twice as much',
    vaultIn,
    begins(encoded('erc20', 'approve', vault, 2n * amount)),
    'POLICY_ALLOWANCE',
  ],
  ['an unlimited approval', uni, begins(encoded('erc20', 'approve', router, maxUint256)), 'POLICY_ALLOWANCE'],
  [
    'an unlimited approval',
    cctp,
    begins(encoded('erc20', 'approve', messenger, maxUint256)),
    'POLICY_ALLOWANCE',
  ],
  [
    'an approval for the wallet itself',
    aave,
    begins(encoded('erc20', 'approve', wallet, amount)),
    'POLICY_SPENDER',
  ],
  [
    'an approval for the token',
    aave,
    begins(encoded('erc20', 'approve', usdc.address, amount)),
    'POLICY_SPENDER',
  ],
  ['an approval for a friend', uni, begins(encoded('erc20', 'approve', friend, amount)), 'POLICY_SPENDER'],
  ['an approval for the pool', uni, begins(encoded('erc20', 'approve', pool, amount)), 'POLICY_SPENDER'],
  [
    'an approval at the spender',
    aave,
    begins(encoded('erc20', 'approve', pool, amount), pool),
    'POLICY_ALLOWANCE',
  ],
  [
    'an approval of the token that comes out',
    uni,
    begins(encoded('erc20', 'approve', router, amount), usdt.address),
    'POLICY_ALLOWANCE',
  ],
  [
    'two approvals and no reset',
    reset,
    begins(encoded('erc20', 'approve', pool, amount)),
    'POLICY_ALLOWANCE',
  ],
  ['the approval before the reset', reset, ([a, b, c]) => [b!, a!, c!], 'POLICY_ALLOWANCE'],
  [
    'an approval before a withdrawal from a vault',
    vaultBack,
    (t) => [{ ...t[0]!, to: usdc.address, data: encoded('erc20', 'approve', vault, amount) }, ...t],
    'POLICY_ALLOWANCE',
  ],
  [
    'a debt delegated',
    aave,
    begins(('0xc04a8a10' + asBytes32(thief).slice(2) + 'f'.repeat(64)) as Hex),
    'POLICY_AUTHORITY',
  ],
  [
    'a token taken from the wallet',
    send,
    acts(encoded('erc20', 'transferFrom', wallet, friend, amount)),
    'POLICY_AUTHORITY',
  ],
]

/** Further false plans, encoded by the published ABIs. */
export const moreLies: readonly Lie[] = [
  ...hidden,
  ...routers,
  ...pools,
  ...permits,
  ...trailing,
  ...shortened,
  ...paid,
  ...elsewhere,
  ...toThief,
  ...unclean,
  ...amounts,
  ...recipients,
  ...ways,
  ...approvals,
]
