import { expect, test } from 'vitest'
import { filesOf } from '../../src/app/profiles/catalog-of-configured-networks.ts'
import { multicall3, publicNetworks } from '../../src/domain/networks.ts'
import { whyLost } from '../../src/protocols/unrecoverable-recipients.ts'

const [base] = await filesOf(publicNetworks.filter(({ name }) => name === 'base'))
const catalog = base!
const address = (letters: string) => `0x${letters.padStart(40, '0')}` as const
const market = catalog.strategies.find(({ constants }) => constants.family === 'compound-v3')!

test.each([
  ['nobody', address('0'), true],
  ['what a router takes for the sender', address('1'), true],
  ['what a router takes for itself', address('2'), true],
  ['the last precompile that could be', address('ffff'), true],
  ['what stands for the native coin', `0x${'eE'.repeat(20)}` as const, true],
  ['a token', catalog.tokens[0]!.address, true],
  ['what a position is held in', market.receipt.address, true],
  ['a contract of a market', (market.constants as { comet: `0x${string}` }).comet, true],
  ['the router', catalog.uniswapV3[0]!.swapRouter02, true],
  ['the bridge', catalog.cctpV2[0]!.tokenMessenger, true],
  ['what asks many at once', multicall3, true],
  ['whoever has a key', address('3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'), false],
] as const)('what goes to %s is lost: %s %s', (_, to, isLost) => {
  const why = whyLost(catalog, 8453, to)
  expect(why !== undefined).toBe(isLost)
  // On another chain somebody may have what is a contract here.
  if (BigInt(to) > 0xffffn && !/^0xe/i.test(to)) expect(whyLost(catalog, 1, to)).toBe(undefined)
})

test('the coin goes to contracts on purpose, and to nobody all the same not', () => {
  expect(whyLost(catalog, 8453, catalog.uniswapV3[0]!.swapRouter02, true)).toBe(undefined)
  expect(whyLost(catalog, 8453, address('2'), true)).toBeDefined()
})

test('the desk of a ramp keeps what comes without a ticket', () => {
  const desk = `0x${'d'.repeat(40)}` as const
  const ramps = { ...catalog, avenia: [{ chainId: 8453, desk }] as never }
  expect([whyLost(catalog, 8453, desk), whyLost(ramps, 8453, desk)]).toEqual([
    undefined,
    expect.stringContaining('ticket'),
  ])
})
