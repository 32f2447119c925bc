import { expect, test } from 'vitest'
import { filesOf } from '../../src/app/profiles/catalog-of-configured-networks.ts'
import { multicall3, publicNetworks } from '../../src/domain/networks.ts'
import { whyLost } from '../../src/protocols/unrecoverable-recipients.ts'
import { aveniaContracts } from '../../src/swaps/avenia/constants-schema.ts'
import { cctpV2Contracts } from '../../src/swaps/cctp-v2/constants-schema.ts'
import { contractsIn, withContracts } from '../../src/swaps/swap-contracts.ts'
import { uniswapV3Contracts } from '../../src/swaps/uniswap-v3/constants-schema.ts'

const [base] = await filesOf(publicNetworks.filter(({ name }) => name === 'base'))
const catalog = base!
const address = (letters: string) => `0x${letters.padStart(40, '0')}` as const
const market = catalog.strategies.find(({ constants }) => constants.family === 'compound-v3')!

test.each([
  ['the zero address', address('0'), true],
  ['address 1, which routers replace with the sender', address('1'), true],
  ['address 2, which routers replace with themselves', address('2'), true],
  ['the highest possible precompile', address('ffff'), true],
  ['the placeholder of the native coin', `0x${'eE'.repeat(20)}` as const, true],
  ['a token', catalog.tokens[0]!.address, true],
  ['a receipt token', market.receipt.address, true],
  ['a market contract', (market.constants as { comet: `0x${string}` }).comet, true],
  ['the router', contractsIn(catalog, uniswapV3Contracts)[0]!.swapRouter02, true],
  ['the bridge', contractsIn(catalog, cctpV2Contracts)[0]!.tokenMessenger, true],
  ['Multicall3', multicall3, true],
  ['an address with a key', address('3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'), false],
] as const)('funds sent to %s (%s) are unrecoverable: %s', (_, to, isLost) => {
  const why = whyLost(catalog, 8453, to)
  expect(why !== undefined).toBe(isLost)
  // On another chain, the same address may be a wallet.
  if (BigInt(to) > 0xffffn && !/^0xe/i.test(to)) expect(whyLost(catalog, 1, to)).toBe(undefined)
})

test('the native coin may be sent to a contract, but not to an address that routers replace', () => {
  expect(whyLost(catalog, 8453, contractsIn(catalog, uniswapV3Contracts)[0]!.swapRouter02, true)).toBe(
    undefined,
  )
  expect(whyLost(catalog, 8453, address('2'), true)).toBeDefined()
})

test('a ramp desk is unrecoverable for plain transfers', () => {
  const desk = `0x${'d'.repeat(40)}` as const
  const ramps = withContracts(catalog, aveniaContracts, () => [{ chainId: 8453, desk }] as never)
  expect([whyLost(catalog, 8453, desk), whyLost(ramps, 8453, desk)]).toEqual([
    undefined,
    expect.stringContaining('avenia'),
  ])
})
