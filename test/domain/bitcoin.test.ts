import { bech32, bech32m, createBase58check } from '@scure/base'
import { ripemd160, sha256 } from 'viem/utils'
import { expect, test } from 'vitest'
import { refundAddress } from '../../src/cli/options/option-values.ts'
import {
  bitcoinUri,
  canAnyoneSpendFrom,
  chainOfBitcoinAddress,
  RefundAddress,
} from '../../src/domain/bitcoin.ts'

// The test vectors of BIP 173 and BIP 350, and addresses from recorded answers.
test.each([
  ['BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4', 'main'],
  ['bc1qpg8zcjzrjjnknzkqh2eenyeaxj7qlax6hpy62p', 'main'],
  ['bc1p8l0xktmerqgwgrq6l6cejzc3dhph5z8cv6ae083cuvcjhpnten7s2wjswr', 'main'],
  ['158gYbSooieRtN52drCxzvPdMQbH9jr2WV', 'main'],
  ['3P14159f73E4gFr7JterCCQh9QjiTjiZrG', 'main'],
  ['tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7', 'test'],
  ['bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080', 'test'],
  ['mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn', 'test'],
])('chainOfBitcoinAddress: %s belongs to the chain %s', (text, chain) => {
  expect(chainOfBitcoinAddress(text)).toBe(chain)
})

test.each([
  ['a changed character', 'bc1qpg8zcjzrjjnknzkqh2eenyeaxj7qlax6hpy62q'],
  ['mixed case', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3T4'],
  ['a changed character of base58', '158gYbSooieRtN52drCxzvPdMQbH9jr2WW'],
  [
    'version 0 with the checksum of version 1',
    'bc1q0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqk5jj0',
  ],
  [
    'version 1 with the checksum of version 0',
    'bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4',
  ],
  ['a witness program that is too short', 'bc1pw5dgrnzv'],
  ['another chain', 'ltc1q3kkgaa57scxa8vmymzyretlacnnp2m6dp5ef65'],
  ['an EVM address', '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'],
  ['an empty text', ''],
])('chainOfBitcoinAddress: %s is not an address', (_, text) => {
  expect(chainOfBitcoinAddress(text)).toBeUndefined()
})

/** A segwit address of a version and a program of this many bytes. */
const segwit = (prefix: string, version: number, length: number): string =>
  bech32m.encode(prefix, [version, ...bech32m.toWords(Uint8Array.from({ length }, (_, at) => at + 1))], 200)

// BIP 141 leaves these outputs to anyone, and BIP 341 all programs of version 1 that have not 32 bytes.
test('chainOfBitcoinAddress: no address from which anyone can spend is one, on any chain', () => {
  const lengths = Array.from({ length: 41 }, (_, length) => length)
  for (const prefix of ['bc', 'tb', 'bcrt']) {
    for (let version = 1; version <= 31; version++)
      for (const length of lengths) {
        const isSpendable = version > 1 || length !== 32
        const chain = isSpendable ? undefined : prefix === 'bc' ? 'main' : 'test'
        const address = segwit(prefix, version, length)
        expect({ version, length, chain: chainOfBitcoinAddress(address) }).toEqual({ version, length, chain })
        if (address.length <= 90) expect(canAnyoneSpendFrom(address)).toBe(isSpendable)
      }
  }
  // Pay-to-anchor.
  expect(chainOfBitcoinAddress('bc1pfeessrawgf')).toBeUndefined()
  expect(RefundAddress.safeParse('bc1pfeessrawgf').success).toBe(false)
  expect(() => refundAddress('bc1pfeessrawgf')).toThrow('an address from which anyone can spend')
  expect(() => refundAddress('bc1pfeessrawgg')).toThrow('checksum')
})

test('chainOfBitcoinAddress: no address of a script that needs no key is one, on any chain', () => {
  const base58check = createBase58check((data) => sha256(data, 'bytes'))
  const key = [0x21, ...Array(33).fill(2), 0xac]
  const scripts = [[], [0x4f], ...Array.from({ length: 16 }, (_, at) => [0x51 + at]), key, [0x00], [0x61]]
  const good = new Set([key, ...scripts.slice(-2)])
  for (const script of scripts) {
    const hash = sha256(Uint8Array.from(script), 'bytes')
    const nested = sha256(Uint8Array.from([0, 32, ...hash]), 'bytes')
    const prefixed = (version: number, inner: Uint8Array) =>
      base58check.encode(Uint8Array.from([version, ...ripemd160(inner, 'bytes')]))
    const addresses = {
      main: [bech32.encode('bc', [0, ...bech32.toWords(hash)]), prefixed(5, hash), prefixed(5, nested)],
      test: [bech32.encode('bcrt', [0, ...bech32.toWords(hash)]), prefixed(196, hash), prefixed(196, nested)],
    }
    for (const [chain, texts] of Object.entries(addresses))
      for (const text of texts) {
        const isGood = good.has(script)
        expect([script, text, chainOfBitcoinAddress(text)]).toEqual([
          script,
          text,
          isGood ? chain : undefined,
        ])
        expect(canAnyoneSpendFrom(text)).toBe(!isGood)
        if (!isGood) expect(() => refundAddress(text)).toThrow('an address from which anyone can spend')
      }
  }
})

test('RefundAddress accepts EVM and legacy Bitcoin addresses, and nothing else', () => {
  const good = ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8', '158gYbSooieRtN52drCxzvPdMQbH9jr2WV']
  for (const text of good) expect(RefundAddress.parse(text)).toBe(text)
  for (const text of ['bc1qpg8zcjzrjjnknzkqh2eenyeaxj7qlax6hpy62q', '0x7099', ''])
    expect(RefundAddress.safeParse(text).error?.issues[0]).toMatchObject({ params: { address: true } })
})

test('bitcoinUri states the amount in BTC without surplus digits', () => {
  expect(bitcoinUri('158gYbSooieRtN52drCxzvPdMQbH9jr2WV', 1_000_000n)).toBe(
    'bitcoin:158gYbSooieRtN52drCxzvPdMQbH9jr2WV?amount=0.01',
  )
  expect(bitcoinUri('a', 1n)).toBe('bitcoin:a?amount=0.00000001')
})
