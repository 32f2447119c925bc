import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { entryPoint07Abi, entryPoint07Address } from 'viem/account-abstraction'
import { encodeFunctionData, padHex, parseAbi } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import { filesOf } from '../../../src/app/profiles/catalog-of-configured-networks.ts'
import { callJson } from '../../../src/diagnosis/calls/call-json.ts'
import { describeCall } from '../../../src/diagnosis/calls/describe-call.ts'
import { movesOfReceipt } from '../../../src/diagnosis/calls/receipt-moves.ts'
import { type Address, type Hex, nativeAddress } from '../../../src/domain/address.ts'
import { publicNetworks } from '../../../src/domain/networks.ts'
import type { DescribedCall } from '../../../src/protocols/call-description.ts'
import { joined } from '../../../src/protocols/catalog-operations.ts'
import { depositAbi, depositV3Abi } from '../../../src/swaps/across/abi.ts'
import { acrossContracts } from '../../../src/swaps/across/constants-schema.ts'
import { contractsOn } from '../../../src/swaps/swap-contracts.ts'

type Sent = {
  family: string
  chainId: number
  hash: Hex
  from: Address
  to: Address
  value: string
  input: Hex
  decoded: boolean | null
}
type Mined = Sent & {
  status: number
  kind: string
  logs: [Address, Hex[], Hex][]
  moves: ['in' | 'out', string, Address | 'native', Address, boolean][]
}
type Recorded = { transactions: Mined[]; calls: (Sent & { gives: [string, Address | 'native'][] })[] }

const recorded: Recorded = JSON.parse(
  readFileSync(join(import.meta.dirname, 'recorded-transactions.json'), 'utf8'),
)
const catalog = joined(await filesOf(publicNetworks))
const networkOf = ({ chainId }: Pick<Sent, 'chainId'>) =>
  catalog.networks.find((one) => one.chainId === chainId)!
const described = (sent: Sent, input = sent.input) =>
  describeCall(catalog, networkOf(sent), { to: sent.to, value: BigInt(sent.value), data: input }, sent.from)
const moved = (sent: Mined, call: DescribedCall) =>
  movesOfReceipt(
    catalog,
    networkOf(sent),
    {
      from: sent.from,
      to: sent.to,
      value: BigInt(sent.value),
      logs: sent.logs.map(([address, topics, data]) => ({ address, topics, data })),
      ok: sent.status === 1,
    },
    call,
  )

/** Calls that the recorded list calls unknown, of a router that this catalogue has on that chain. */
const knownHere = (sent: Sent) =>
  catalog.swaps.kyberswap?.some((row) => row.chainId === sent.chainId) && sent.input.startsWith('0xe21fd0e9')

describe('recorded transactions of public networks', () => {
  test('at least nine of ten calls of contracts of the catalogue are decoded, in most families all', () => {
    const ours = [...recorded.transactions, ...recorded.calls].filter(({ decoded }) => decoded === true)
    const missed = ours.filter((one) => !described(one).isDecoded)
    expect(ours.length).toBeGreaterThan(80)
    // The functions of EURe that only its issuer calls.
    expect(missed.map(({ family, input }) => `${family} ${input.slice(0, 10)}`)).toEqual([
      'token-other 0x449a52f8',
      'token-other 0x3823caec',
    ])
    expect(missed.length / ours.length).toBeLessThan(0.1)
  })

  test('no call of a contract outside the catalogue is told as an action, or states any amount of a token', () => {
    const others = recorded.transactions.filter((one) => one.decoded === false && !knownHere(one))
    expect(others.length).toBeGreaterThan(20)
    for (const one of others) {
      const call = described(one)
      expect(call).toMatchObject({ isDecoded: false, kind: 'other', signature: null, args: [] })
      expect(call.text).toMatch(/: not decoded$/)
      expect(call.gives.every(({ token }) => token === nativeAddress)).toBe(true)
    }
  })

  test.each(recorded.transactions.map((one) => [one.family, one.hash, one] as const))(
    'the moves of %s %s are those of its logs and value',
    (_, __, one) => {
      const { moves } = moved(one, described(one))
      const shown = moves.map(
        ({ direction, units, token, holder, isInferred }) =>
          `${direction} ${units} ${token === nativeAddress ? 'native' : token.toLowerCase()} ${holder.toLowerCase()} ${isInferred}`,
      )
      const expected = one.moves.map(
        ([direction, units, token, holder, isInferred]) =>
          `${direction} ${units} ${token.toLowerCase()} ${holder.toLowerCase()} ${isInferred}`,
      )
      // Recipients that only our decoding of the call knows have further moves, which are in the logs.
      expect(shown).toEqual(expect.arrayContaining(expected))
      const more = shown.filter((text) => !expected.includes(text))
      expect(more.every((text) => !text.includes(one.from.toLowerCase()) || knownHere(one))).toBe(true)
    },
  )

  test('what a call gives is what it states', () => {
    for (const one of recorded.calls.filter(({ decoded }) => decoded === true))
      expect(described(one).gives.map(({ units, token }) => [`${units}`, token.toLowerCase()])).toEqual(
        one.gives.map(([units, token]) => [units, token === 'native' ? nativeAddress : token.toLowerCase()]),
      )
  })
})

describe('a deposit of Across', () => {
  const usdc = (chainId: number) =>
    catalog.tokens.find((one) => one.chainId === chainId && one.symbol === 'USDC')!.address
  const pool = contractsOn(catalog, acrossContracts, 8453)!.spokePool
  const [wallet, friend] = [`0x${'11'.repeat(20)}`, `0x${'22'.repeat(20)}`] as [Address, Address]
  const word = (account: Address): Hex => padHex(account, { size: 32 })
  const now = parseAbi([
    'function depositV3Now(address depositor, address recipient, address inputToken, address outputToken, uint256 inputAmount, uint256 outputAmount, uint256 destinationChainId, address exclusiveRelayer, uint32 fillDeadlineOffset, uint32 exclusivityParameter, bytes message) payable',
  ])
  const forms: [name: string, encode: (message: Hex) => Hex][] = [
    [
      'deposit',
      (message) =>
        encodeFunctionData({
          abi: depositAbi,
          args: [
            word(wallet),
            word(friend),
            word(usdc(8453)),
            word(usdc(1)),
            5_000000n,
            4_900000n,
            1n,
            word(nativeAddress),
            1,
            2,
            0,
            message,
          ],
        }),
    ],
    [
      'depositV3',
      (message) =>
        encodeFunctionData({
          abi: depositV3Abi,
          args: [
            wallet,
            friend,
            usdc(8453),
            usdc(1),
            5_000000n,
            4_900000n,
            1n,
            nativeAddress,
            1,
            2,
            0,
            message,
          ],
        }),
    ],
    [
      'depositV3Now',
      (message) =>
        encodeFunctionData({
          abi: now,
          args: [wallet, friend, usdc(8453), usdc(1), 5_000000n, 4_900000n, 1n, nativeAddress, 2, 0, message],
        }),
    ],
  ]
  test.each(forms)(
    'by %s is told with what it takes, who gets what, and whether a message is unread',
    (_, encode) => {
      const told = (message: Hex) =>
        describeCall(
          catalog,
          networkOf({ chainId: 8453 }),
          { to: pool, value: 0n, data: encode(message) },
          wallet,
        )
      expect(told('0x')).toMatchObject({
        isDecoded: true,
        text: `deposits 5 USDC into Across for ethereum, recipient ${friend}, who gets 4.9 USDC`,
        gives: [{ token: usdc(8453), units: 5_000000n }],
        unread: [],
        transfer: { arrival: { chainId: 1, token: usdc(1), recipient: friend }, minimum: 4_900000n },
      })
      expect(told('0x1234').unread).toEqual(['the message for the recipient'])
    },
  )
})

/** All whole numbers of a call's calldata and value: each word, and the narrower ones at every byte of it. */
function isIn(units: bigint, { value, input }: Pick<Sent, 'value' | 'input'>): boolean {
  if (units === BigInt(value)) return true
  // A bound of an output is a negative number.
  return [units, 2n ** 256n - units].some((one) => {
    const hex = one.toString(16)
    return input.toLowerCase().includes(hex.length % 2 === 0 ? hex : `0${hex}`)
  })
}

describe('a user operation of ERC-4337', () => {
  const [bundler, owner] = [`0x${'33'.repeat(20)}`, `0x${'44'.repeat(20)}`] as [Address, Address]
  const usdc = catalog.tokens.find((one) => one.chainId === 8453 && one.symbol === 'USDC')!.address
  const execute = encodeFunctionData({
    abi: parseAbi(['function execute(address target, uint256 value, bytes data)']),
    args: [
      usdc,
      0n,
      encodeFunctionData({
        abi: parseAbi(['function transfer(address to, uint256 amount)']),
        args: [bundler, 5_000000n],
      }),
    ],
  })
  const packed = (callData: Hex) => ({
    ...{ sender: owner, nonce: 1n, initCode: '0x', callData, accountGasLimits: `0x${'00'.repeat(32)}` },
    ...{ preVerificationGas: 0n, gasFees: `0x${'00'.repeat(32)}`, paymasterAndData: '0x', signature: '0x' },
  })
  const handled = (to: Address, callData: Hex) =>
    describeCall(
      catalog,
      networkOf({ chainId: 8453 }),
      {
        to,
        value: 0n,
        data: encodeFunctionData({
          abi: entryPoint07Abi,
          functionName: 'handleOps',
          args: [[packed(callData), packed('0x12345678')] as never, bundler],
        }),
      },
      bundler,
    )

  test('names the accounts, and what they would do only as a condition', () => {
    const told = handled(entryPoint07Address, execute)
    expect(told).toMatchObject({
      contract: 'EntryPoint 0.7',
      isDecoded: false,
      text: `executes 2 user operations (ERC-4337) of ${owner}, and pays the fees to ${bundler}; what it makes an account do is not decoded`,
      gives: [],
    })
    expect(told.unread.join('\n')).toContain(
      `if the contract is an account that executes what it is told (ERC-4337), which is not certain: sends 5 USDC to ${bundler}`,
    )
    expect(told.unread.join('\n')).toContain('the call (0x12345678, 4 bytes)')
  })

  test('of a batch names each of its calls as a condition', () => {
    const transfer = encodeFunctionData({
      abi: parseAbi(['function transfer(address to, uint256 amount)']),
      args: [bundler, 7_000000n],
    })
    const batch = encodeFunctionData({
      abi: parseAbi(['function executeBatch((address target, uint256 value, bytes data)[] calls)']),
      args: [
        [
          { target: usdc, value: 0n, data: transfer },
          { target: bundler, value: 0n, data: '0x12345678' },
        ],
      ],
    })
    const told = describeCall(
      catalog,
      networkOf({ chainId: 8453 }),
      { to: owner, value: 0n, data: batch },
      owner,
    )
    expect(told.isDecoded).toBe(false)
    expect(told.unread.join('\n')).toMatch(
      new RegExp(`which is not certain: sends 7 USDC to ${bundler}; calls ${bundler}.*: not decoded`),
    )
  })

  test('a selector that only executes other calls is not said to give rights', () => {
    const said = (data: Hex) =>
      describeCall(catalog, networkOf({ chainId: 8453 }), { to: owner, value: 0n, data }, owner).unread.join(
        '\n',
      )
    expect(said('0xac9650d8')).toContain(
      'multicall(bytes[]), which executes the calls in its arguments, if the',
    )
    expect(said('0xf2fde38b')).toContain(
      'transferOwnership(address), which gives another address rights, if the',
    )
  })

  test('at another contract is not told', () => {
    expect(handled(owner, execute)).toMatchObject({
      isDecoded: false,
      contract: null,
      text: expect.stringMatching(/: not decoded$/),
    })
  })
})

describe('an altered call', () => {
  test('gives no amount that is not in its bytes, whatever byte is changed', () => {
    const calls = [...recorded.transactions, ...recorded.calls].filter(({ input }) => input.length > 10)
    fc.assert(
      fc.property(
        fc.constantFrom(...calls),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (one, somewhere, change) => {
          const at = 2 + 2 * (somewhere % ((one.input.length - 2) / 2))
          const byte = Number.parseInt(one.input.slice(at, at + 2), 16) ^ change
          const input =
            `${one.input.slice(0, at)}${byte.toString(16).padStart(2, '0')}${one.input.slice(at + 2)}` as Hex
          const call = described(one, input)
          const { gives } = call
          // A queue gives the sum of its requests.
          const isSum = gives.length > 0 && /requests/.test(call.text)
          for (const { units } of gives) expect(isSum || isIn(units, { ...one, input })).toBe(true)
          const inText = [...call.text.matchAll(/(\d+) units of/g)].map(([, units]) => BigInt(units!))
          for (const units of inText) expect(isIn(units, { ...one, input })).toBe(true)
        },
      ),
      { numRuns: 400, seed: 1 },
    )
  })

  test('is not decoded if its arguments are encoded in another way than an encoder does', () => {
    const supply = recorded.transactions.find(({ input }) => input.startsWith('0x617ba037'))!
    const dirty = `${supply.input.slice(0, 10)}ff${supply.input.slice(12)}` as Hex
    expect(described(supply, dirty)).toMatchObject({ isDecoded: false, gives: [] })
    expect(described(supply, supply.input.slice(0, -2) as Hex)).toMatchObject({ isDecoded: false, gives: [] })
  })

  test('names the bytes that follow its arguments', () => {
    const supply = recorded.transactions.find(({ input }) => input.startsWith('0x617ba037'))!
    expect(described(supply, `${supply.input}beef`)).toMatchObject({
      isDecoded: true,
      unread: ['2 bytes after the arguments (0xbeef)'],
    })
  })

  test('of the same function to an unknown contract is not told as that of a known one', () => {
    const stranger = '0x1111111111111111111111111111111111111111'
    for (const one of recorded.transactions.filter(({ input }) => input !== '0x')) {
      const call = described({ ...one, to: stranger })
      expect(call).toMatchObject({ isDecoded: false, contract: null, kind: 'other' })
    }
  })
})

test('names and symbols of a token with control characters are shown without them', () => {
  const supply = recorded.transactions.find(({ input }) => input.startsWith('0x617ba037'))!
  const network = networkOf(supply)
  const hostile = {
    ...catalog,
    tokens: catalog.tokens.map((token) => ({ ...token, symbol: `${token.symbol}\u001b[2J\u202e` })),
  }
  const call = describeCall(hostile, network, { to: supply.to, value: 0n, data: supply.input }, supply.from)
  const json = JSON.stringify(callJson(hostile, network, call))
  expect(json).not.toMatch(/[\u001b\u202e]|\\u001b/)
  expect(call.isDecoded).toBe(true)
})
