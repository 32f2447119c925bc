import { expect, test } from 'vitest'
import { AppError } from '../../src/domain/errors.ts'
import { type Network, sandboxNetworks } from '../../src/domain/networks.ts'
import { tokenNamed } from '../../src/domain/token.ts'

const base: Network = {
  name: 'base',
  chainId: 8453,
  native: { symbol: 'ETH', decimals: 18 },
  depth: 1,
  testnet: false,
  explorer: null,
}
const hintFor = (network: Network): string | undefined => {
  try {
    tokenNamed([], network, 'DOGE')
  } catch (error) {
    if (error instanceof AppError && error.code === 'UNKNOWN_TOKEN') return error.hint
    throw error
  }
  throw new Error('it was found')
}

test('tokenNamed hints at the sandbox only for an unknown token on a sandbox network', () => {
  expect(hintFor(base)).toBe('Use the symbol or the address of a known token.')
  for (const network of sandboxNetworks) expect(hintFor(network)).toContain('sluice sandbox status')
})
