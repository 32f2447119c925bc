import { encodeFunctionData, getAddress, parseAbi } from 'viem/utils'
import type { Address, Hex } from '../../../src/domain/address.ts'
import { maxUint256 } from '../../../src/domain/amount.ts'
import type { ErrorCode } from '../../../src/domain/errors.ts'
import type { Lies, Told, Wire } from '../../support/services/hostile-service.ts'

/** A hostile answer of a service, and the exit code and error it must cause. Most are refused by the guard. */
export type HostileCase = [name: string, line: string, lies: Lies, exit: number, code: ErrorCode]

export const thief: Address = '0x6666666666666666666666666666666666666666'
const permit2: Address = '0x000000000022D473030F116dDEE9F6B43aC78BA3'
export const strategy = 'aave-v3-usdc-sandbox-one'
const signing = '--yes --json'
export const deposit = `deposit ${strategy} --amount 100 ${signing} --idempotency-key hostile-1`
export const swap = `swap execute --from sandbox-one --token-in USDC --token-out WETH --amount-in 100 ${signing} --idempotency-key hostile-2`
export const bridge = `swap execute --from sandbox-one --to sandbox-two --token-in USDC --token-out USDC --amount-in 100 ${signing} --idempotency-key hostile-3 --timeout 4s`
export const transfer = `transfer --network sandbox-one --token USDC --to 0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC --amount 5 ${signing} --idempotency-key hostile-4`

const abi = parseAbi([
  'function approve(address spender, uint256 amount)',
  'function approve(address token, address spender, uint160 amount, uint48 expiration)',
  'function increaseAllowance(address spender, uint256 added)',
  'function setApprovalForAll(address operator, bool approved)',
  'function approveDelegation(address delegatee, uint256 amount)',
  'function multicall(bytes[] data)',
  'function transfer(address to, uint256 amount)',
])
const call = (functionName: string, ...args: unknown[]): Hex =>
  encodeFunctionData({ abi, functionName, args } as never)

type Item = { to: string; data: string; value: string; chainId: number }

/** Changes the transactions of a deposit. */
const bytecode = (change: (items: Item[], body: Wire) => unknown): Lies => ({
  strategyBytecode: (body) => ({ ...body, bytecode: change(body.bytecode, body) }),
})
const first = (change: (item: Item) => object) => bytecode(([one, ...rest]) => [change(one!), ...rest])
const last = (change: (item: Item) => object) =>
  bytecode((items) => [...items.slice(0, -1), change(items.at(-1)!)])
/** Replaces a word in the calldata, counted from 0 after the selector. */
const word = (data: string, at: number, value: bigint | string): string =>
  `${data.slice(0, 10 + at * 64)}${BigInt(value).toString(16).padStart(64, '0')}${data.slice(74 + at * 64)}`

const refused = (code: ErrorCode): [number, ErrorCode] => [8, code]
const bad = [6, 'SERVICE_BAD_RESPONSE'] as const

const shape: HostileCase[] = [
  ['no transactions', deposit, bytecode(() => []), ...refused('POLICY_SHAPE')],
  ['only the approval', deposit, bytecode(([one]) => [one]), ...refused('POLICY_SHAPE')],
  [
    'the action before the approval',
    deposit,
    bytecode((all) => all.toReversed()),
    ...refused('POLICY_SHAPE'),
  ],
  ['the action twice', deposit, bytecode((all) => [...all, all.at(-1)]), ...refused('POLICY_SHAPE')],
  [
    'five transactions',
    deposit,
    bytecode(([one, two]) => [one, one, one, one, two]),
    ...refused('POLICY_SHAPE'),
  ],
  [
    'a payment after the action',
    deposit,
    bytecode((all) => [...all, { ...all[0], data: call('transfer', thief, 1n) }]),
    ...refused('POLICY_SHAPE'),
  ],
  [
    'a payment before the action',
    deposit,
    bytecode(([one, two]) => [one, { ...one, data: call('transfer', thief, 1n) }, two]),
    ...refused('POLICY_SHAPE'),
  ],
  [
    'another contract',
    deposit,
    last((t) => ({ ...t, to: thief })),
    ...refused('POLICY_CONTRACT_NOT_ALLOWED'),
  ],
  [
    'the zero address as contract',
    deposit,
    last((t) => ({ ...t, to: `0x${'00'.repeat(20)}` })),
    ...refused('POLICY_SHAPE'),
  ],
  [
    'another chain for the action',
    deposit,
    last((t) => ({ ...t, chainId: 31338 })),
    ...refused('POLICY_CHAIN'),
  ],
  [
    'another chain for the approval',
    deposit,
    first((t) => ({ ...t, chainId: 1 })),
    ...refused('POLICY_CHAIN'),
  ],
  ['native value with the deposit', deposit, last((t) => ({ ...t, value: '1' })), ...refused('POLICY_VALUE')],
  [
    'native value with the approval',
    deposit,
    first((t) => ({ ...t, value: '1' })),
    ...refused('POLICY_VALUE'),
  ],
]

const authority: HostileCase[] = [
  [
    'an approval of one unit less',
    deposit,
    first((t) => ({ ...t, data: word(t.data, 1, 99_999_999n) })),
    ...refused('POLICY_ALLOWANCE'),
  ],
  [
    'an approval for a thief',
    deposit,
    first((t) => ({ ...t, data: word(t.data, 0, thief) })),
    ...refused('POLICY_SPENDER'),
  ],
  [
    'an approval of another token',
    deposit,
    first((t) => ({ ...t, to: thief })),
    ...refused('POLICY_ALLOWANCE'),
  ],
  [
    'an approval with trailing bytes',
    deposit,
    first((t) => ({ ...t, data: `${t.data}00` })),
    ...refused('POLICY_DECODE'),
  ],
  [
    'an increase of an allowance',
    deposit,
    first((t) => ({ ...t, data: call('increaseAllowance', thief, 1n) })),
    ...refused('POLICY_AUTHORITY'),
  ],
  [
    'an approval for an operator',
    deposit,
    first((t) => ({ ...t, data: call('setApprovalForAll', thief, true) })),
    ...refused('POLICY_AUTHORITY'),
  ],
  [
    'an approval in Permit2',
    deposit,
    first((t) => ({ ...t, to: permit2, data: call('approve', t.to, thief, 1n, 1) })),
    ...refused('POLICY_AUTHORITY'),
  ],
  [
    'a delegation of debt',
    deposit,
    first((t) => ({ ...t, data: call('approveDelegation', thief, 1n) })),
    ...refused('POLICY_AUTHORITY'),
  ],
  [
    'an approval inside a multicall',
    deposit,
    last((t) => ({ ...t, data: call('multicall', [call('approve', thief, maxUint256), t.data]) })),
    ...refused('POLICY_AUTHORITY'),
  ],
]

const arguments_: HostileCase[] = [
  [
    'a deposit for a thief',
    deposit,
    last((t) => ({ ...t, data: word(t.data, 2, thief) })),
    ...refused('POLICY_RECIPIENT'),
  ],
  [
    'a deposit of more',
    deposit,
    last((t) => ({ ...t, data: word(t.data, 1, 200_000_000n) })),
    ...refused('POLICY_AMOUNT'),
  ],
  [
    'a deposit of another token',
    deposit,
    last((t) => ({ ...t, data: word(t.data, 0, thief) })),
    ...refused('POLICY_AMOUNT'),
  ],
  [
    'a deposit with trailing bytes',
    deposit,
    last((t) => ({ ...t, data: `${t.data}00` })),
    ...refused('POLICY_DECODE'),
  ],
  [
    'a deposit with dirty padding',
    deposit,
    last((t) => ({ ...t, data: `${t.data.slice(0, 10)}01${t.data.slice(12)}` })),
    ...refused('POLICY_DECODE'),
  ],
  [
    'another function',
    deposit,
    last((t) => ({ ...t, data: `0xdeadbeef${t.data.slice(10)}` })),
    ...refused('POLICY_DECODE'),
  ],
]

const wire: HostileCase[] = [
  ['a contract creation', deposit, last(({ to, ...t }) => t), ...bad],
  ['null as target', deposit, last((t) => ({ ...t, to: null })), ...bad],
  ['calldata that is not hex', deposit, last((t) => ({ ...t, data: 'please' })), ...bad],
  ['calldata with half a byte', deposit, last((t) => ({ ...t, data: `${t.data}0` })), ...bad],
  ['a value that is a number', deposit, last((t) => ({ ...t, value: 0 })), ...bad],
  ['a value of 1e21', deposit, last((t) => ({ ...t, value: 1e21 })), ...bad],
  ['a value below zero', deposit, last((t) => ({ ...t, value: '-1' })), ...bad],
  ['a value in hex', deposit, last((t) => ({ ...t, value: '0x0' })), ...bad],
  ['a value with leading zeros', deposit, last((t) => ({ ...t, value: '00' })), ...bad],
  ['a value above 256 bits', deposit, last((t) => ({ ...t, value: String(2n ** 256n) })), ...bad],
  ['a chain ID in hex', deposit, last((t) => ({ ...t, chainId: '0x7a69' })), ...bad],
  ['transactions that are not a list', deposit, bytecode(([one]) => one), ...bad],
  ['another envelope', deposit, { strategyBytecode: (body) => ({ success: true, result: body }) }, ...bad],
  ['an empty envelope', deposit, { strategyBytecode: () => ({}) }, ...bad],
  ['null', deposit, { strategyBytecode: () => null }, ...bad],
  ['no body', deposit, { strategyBytecode: () => undefined }, ...bad],
  ['an empty strategy', deposit, { getStrategy: () => ({}) }, ...bad],
  ['a number as action ID', deposit, { strategyBytecode: (body) => ({ ...body, id: 7 }) }, ...bad],
]

const asset = (change: object): Lies => ({
  getStrategy: (body) =>
    JSON.parse(JSON.stringify(body), (_, value) =>
      value?.contract !== undefined && value?.decimals !== undefined ? { ...value, ...change } : value,
    ),
})
const strategies: HostileCase[] = [
  [
    'more decimals, so that 100 becomes 10000',
    deposit,
    asset({ decimals: 8 }),
    ...refused('POLICY_TOKEN_METADATA'),
  ],
  [
    'fewer decimals, so that 100 becomes 1',
    deposit,
    asset({ decimals: 4 }),
    ...refused('POLICY_TOKEN_METADATA'),
  ],
  ['another asset', deposit, asset({ contract: thief }), ...refused('POLICY_TOKEN_METADATA')],
  [
    'another strategy than was asked for',
    deposit,
    {
      getStrategy: (_, { honest }) => honest({ path: '/strategies/sandbox-vault-usdc-sandbox-one' }),
    },
    ...refused('POLICY_CONTRACT_NOT_ALLOWED'),
  ],
  [
    'another network for the strategy',
    deposit,
    { getStrategy: (body) => ({ ...body, chainId: 31338 }) },
    ...refused('POLICY_CHAIN'),
  ],
  [
    'an unknown strategy',
    deposit,
    { getStrategy: (body) => ({ ...body, id: 'x', slug: 'x' }) },
    ...refused('POLICY_CONTRACT_NOT_ALLOWED'),
  ],
]

/** Changes a quote. */
const quote = (change: (quote: Wire) => object, more: Lies = {}): Lies => ({
  quote: (body) => ({ ...body, quote: change(body.quote) }),
  ...more,
})
/** A quote for another request, with transactions that fit it. */
const instead = (query: (asked: Record<string, string>) => Record<string, string>): Lies => ({
  quote: (_, { ask, honest }: Told) => honest({ path: ask.path, query: query({ ...ask.query }) }),
})
const made = (change: (body: Wire) => object): Lies => ({ swapBytecode: change })
const farAway = 4_102_444_800
const expired = new Date(Date.now() - 60_000)

const quotes: HostileCase[] = [
  [
    'another token in, in the quote only',
    swap,
    quote((q) => ({ ...q, tokenIn: { ...q.tokenIn, contract: thief } })),
    ...refused('POLICY_QUOTE_DRIFT'),
  ],
  [
    'another token out, in the quote only',
    swap,
    quote((q) => ({ ...q, tokenOut: { ...q.tokenOut, contract: thief } })),
    ...refused('POLICY_QUOTE_DRIFT'),
  ],
  [
    'another amount in',
    swap,
    quote((q) => ({ ...q, tokenIn: { ...q.tokenIn, amount: '200000000' } })),
    ...refused('POLICY_QUOTE_DRIFT'),
  ],
  [
    'a quote of another provider than was asked for',
    `${swap} --provider uniswap-v3`,
    instead((query) => ({ ...query, preferredProvider: 'uniswap-v2' })),
    ...refused('POLICY_QUOTE_DRIFT'),
  ],
  [
    'a minimum that the transactions do not keep',
    swap,
    quote((q) => ({ ...q, minAmountOut: `${q.minAmountOut}0` })),
    ...refused('POLICY_MIN_OUT'),
  ],
  [
    'no minimum, and a higher output than the transactions guarantee',
    swap,
    quote((q) => ({
      ...q,
      minAmountOut: null,
      tokenOut: { ...q.tokenOut, amount: `${q.tokenOut.amount}0` },
    })),
    ...refused('POLICY_MIN_OUT'),
  ],
  [
    'no deadline',
    swap,
    quote((q) => ({ ...q, deadline: null, deadlineDate: null })),
    ...refused('POLICY_MIN_OUT'),
  ],
  [
    'a deadline in the past',
    swap,
    quote((q) => ({
      ...q,
      deadline: Math.floor(expired.getTime() / 1000),
      deadlineDate: expired.toISOString(),
    })),
    4,
    'QUOTE_EXPIRED',
  ],
  [
    'more decimals of the token in',
    swap,
    quote((q) => ({ ...q, tokenIn: { ...q.tokenIn, decimals: 18 } })),
    ...refused('POLICY_TOKEN_METADATA'),
  ],
  [
    'fewer decimals of the token out',
    swap,
    quote((q) => ({ ...q, tokenOut: { ...q.tokenOut, decimals: 6 } })),
    ...refused('POLICY_TOKEN_METADATA'),
  ],
  ['decimals below zero', swap, quote((q) => ({ ...q, tokenIn: { ...q.tokenIn, decimals: -1 } })), ...bad],
  ['huge decimals', swap, quote((q) => ({ ...q, tokenOut: { ...q.tokenOut, decimals: 1e9 } })), ...bad],
  [
    'another source chain',
    swap,
    quote((q) => ({ ...q, chainIdIn: 31338 })),
    ...refused('POLICY_QUOTE_DRIFT'),
  ],
  [
    'another destination chain',
    swap,
    quote((q) => ({ ...q, chainIdOut: 31338 })),
    ...refused('POLICY_QUOTE_DRIFT'),
  ],
  [
    'an amount that is a number',
    swap,
    quote((q) => ({ ...q, tokenIn: { ...q.tokenIn, amount: 1e8 } })),
    ...bad,
  ],
  [
    'an amount with an exponent',
    swap,
    quote((q) => ({ ...q, tokenIn: { ...q.tokenIn, amount: '1e8' } })),
    ...bad,
  ],
  [
    'an amount in hex',
    swap,
    quote((q) => ({ ...q, tokenIn: { ...q.tokenIn, amount: '0x5f5e100' } })),
    ...bad,
  ],
  ['an amount below zero', swap, quote((q) => ({ ...q, tokenOut: { ...q.tokenOut, amount: '-1' } })), ...bad],
  [
    'a token without an address',
    swap,
    quote((q) => ({ ...q, tokenIn: { ...q.tokenIn, contract: 'USDC' } })),
    ...bad,
  ],
  [
    'a quote for another token in',
    swap,
    instead((asked) => ({ ...asked, tokenIn: usdt() })),
    ...refused('POLICY_QUOTE_DRIFT'),
  ],
  [
    'a quote for twice the amount',
    swap,
    instead((asked) => ({ ...asked, amountIn: '200000000' })),
    ...refused('POLICY_QUOTE_DRIFT'),
  ],
  [
    'a quote for another route',
    swap,
    instead((asked) => ({ ...asked, amountIn: '100000000', chainIdOut: '31338', tokenOut: usdcThere() })),
    ...refused('POLICY_QUOTE_DRIFT'),
  ],
  [
    'a quote with half of the fair output as its minimum',
    swap,
    instead((asked) => ({ ...asked, slippage: '0.5' })),
    ...refused('POLICY_MIN_OUT'),
  ],
  [
    'a deadline in the year 2100, in the quote and in the swap',
    swap,
    quote((q) => ({ ...q, deadline: farAway, deadlineDate: new Date(farAway * 1000).toISOString() }), {
      swapBytecode: (body) => ({
        ...body,
        transactionData: {
          ...body.transactionData,
          data: word(body.transactionData.data, 0, BigInt(farAway)),
        },
      }),
    }),
    ...refused('POLICY_QUOTE_DRIFT'),
  ],
  [
    'a payment to a thief',
    swap,
    made((body) => replaced(body, wallet(), thief)),
    ...refused('POLICY_RECIPIENT'),
  ],
  [
    'a spender that is a thief',
    swap,
    made((body) => ({
      ...body,
      approveData: { ...body.approveData, data: word(body.approveData.data, 0, thief) },
    })),
    ...refused('POLICY_SPENDER'),
  ],
  [
    'a lower approval before a swap',
    swap,
    made((body) => ({
      ...body,
      approveData: { ...body.approveData, data: word(body.approveData.data, 1, 1n) },
    })),
    ...refused('POLICY_ALLOWANCE'),
  ],
  [
    'another router',
    swap,
    made((body) => ({ ...body, transactionData: { ...body.transactionData, to: thief } })),
    ...refused('POLICY_CONTRACT_NOT_ALLOWED'),
  ],
  [
    'native value with the swap',
    swap,
    made((body) => ({ ...body, transactionData: { ...body.transactionData, value: '1' } })),
    ...refused('POLICY_VALUE'),
  ],
  [
    'a swap on another chain',
    swap,
    made((body) => ({
      ...body,
      chainId: 31338,
      transactionData: { ...body.transactionData, chainId: 31338 },
    })),
    ...refused('POLICY_CHAIN'),
  ],
  [
    'a deadline in the year 2100',
    swap,
    made((body) => ({
      ...body,
      transactionData: { ...body.transactionData, data: word(body.transactionData.data, 0, 4_102_444_800n) },
    })),
    ...refused('POLICY_QUOTE_DRIFT'),
  ],
  ['no swap', swap, made((body) => ({ ...body, transactionData: [] })), ...refused('POLICY_SHAPE')],
  [
    'a bridge that pays a thief',
    bridge,
    made((body) => replaced(body, wallet(), thief)),
    ...refused('POLICY_RECIPIENT'),
  ],
]

const transfers: HostileCase[] = [
  [
    'another recipient',
    transfer,
    item((t) => ({ ...t, data: word(t.data, 0, thief) })),
    ...refused('POLICY_RECIPIENT'),
  ],
  [
    'a larger amount',
    transfer,
    item((t) => ({ ...t, data: word(t.data, 1, 6_000_000n) })),
    ...refused('POLICY_AMOUNT'),
  ],
  ['another token', transfer, item((t) => ({ ...t, to: weth() })), ...refused('POLICY_CONTRACT_NOT_ALLOWED')],
  [
    'native value with the transfer',
    transfer,
    item((t) => ({ ...t, value: '1' })),
    ...refused('POLICY_VALUE'),
  ],
  [
    'an approval',
    transfer,
    item((t) => ({ ...t, data: call('approve', thief, 1n) })),
    ...refused('POLICY_SHAPE'),
  ],
]

function item(change: (item: Item) => object): Lies {
  return { transferBytecode: (body) => ({ ...body, bytecode: body.bytecode.map(change) }) }
}

/** Addresses of the sandbox, known only while it runs. */
const known = { weth: '', usdt: '', usdcThere: '', wallet: '' }
export const tellAddresses = (addresses: typeof known): void => void Object.assign(known, addresses)
const weth = () => getAddress(known.weth)
const usdt = () => getAddress(known.usdt)
const usdcThere = () => getAddress(known.usdcThere)
const wallet = () => known.wallet

/** Replaces every occurrence of an address in a document, also inside calldata. */
const replaced = (body: Wire, from: string, to: string): Wire =>
  JSON.parse(JSON.stringify(body).replace(new RegExp(from.slice(2), 'gi'), to.slice(2)))

/** All hostile answers. */
export const hostileCases: readonly HostileCase[] = [
  ...shape,
  ...authority,
  ...arguments_,
  ...wire,
  ...strategies,
  ...quotes,
  ...transfers,
]
