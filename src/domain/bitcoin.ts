import { base58, bech32, bech32m, createBase58check } from '@scure/base'
import { bytesToHex, formatUnits, ripemd160, sha256 } from 'viem/utils'
import { z } from 'zod'
import { EvmAddress } from './address.ts'
import type { Network } from './networks.ts'
import { nativeToken, type Token } from './token.ts'

/**
 * Bitcoin as the origin of a swap. It is read through an Esplora API, not RPC, so no list of networks contains it.
 * The chain id is Relay's (docs.relay.link, api_guides/bitcoin).
 */
export const bitcoinNetwork: Network = {
  name: 'bitcoin',
  chainId: 8253038,
  native: { symbol: 'BTC', decimals: 8 },
  depth: 1,
  testnet: false,
  explorer: 'https://mempool.space',
}

/** Whether a token, or a side of a quote, is on Bitcoin: what is paid there is signed in another wallet. */
export const isOnBitcoin = ({ chainId }: { chainId: number }): boolean => chainId === bitcoinNetwork.chainId

/** BTC as a token; its smallest unit is the satoshi. */
export const btc: Token = nativeToken(bitcoinNetwork)

/** The Bitcoin chain of an address: mainnet, or a test chain such as the sandbox's. */
export type BitcoinChain = 'main' | 'test'

const base58check = createBase58check((data) => sha256(data, 'bytes'))

/**
 * The first byte of a base58 address, by chain: for a key hash and for a script hash (bitcoin/bitcoin
 * src/kernel/chainparams.cpp).
 */
const versions: Readonly<Record<number, BitcoinChain>> = { 0: 'main', 5: 'main', 111: 'test', 196: 'test' }

/** The human-readable part of a segwit address, by chain (BIP 173; `bcrt` is regtest). */
const prefixes: Readonly<Record<string, BitcoinChain>> = { bc: 'main', tb: 'test', bcrt: 'test' }

/**
 * Returns the chain of a Bitcoin address; `undefined` if it is malformed or its checksum is wrong (base58check, BIP
 * 173, BIP 350), or if anyone can spend from it: a witness of version 2 to 16, or of version 1 with another length than 32
 * bytes, such as pay-to-anchor (BIP 141, BIP 341), or the hash of a script that needs no key.
 */
export function chainOfBitcoinAddress(text: string): BitcoinChain | undefined {
  try {
    return /^(bc|tb|bcrt)1/i.test(text) ? chainOfSegwit(text) : chainOfBase58(text)
  } catch {
    return undefined
  }
}

/** Whether a text is a valid address from which anyone can spend, so that what is paid there is lost. */
export function canAnyoneSpendFrom(text: string): boolean {
  try {
    if (!/^(bc|tb|bcrt)1/i.test(text)) {
      const data = base58check.decode(text)
      return data.length === 21 && data[0]! in versions && isKeyless(data.subarray(1))
    }
    const { prefix, words } = decodeSegwit(text)
    if (!(prefix in prefixes)) return false
    return words[0] === 0 ? isKeyless(bech32.fromWords(words.slice(1))) : chainOfSegwit(text) === undefined
  } catch {
    return false
  }
}

/**
 * Whether a hash is of a script that needs no key: the empty one, or one opcode that pushes a number other than zero (OP_1NEGATE, OP_1 to
 * OP_16 of bitcoin/bitcoin src/script/script.h), as witness script, script, or both (BIP 16, BIP 141).
 */
function isKeyless(hash: Uint8Array): boolean {
  const opcodes = [0x4f, ...Array.from({ length: 16 }, (_, at) => 0x51 + at)]
  const found = bytesToHex(hash)
  return [[], ...opcodes.map((opcode) => [opcode])].some((script) => {
    const witness = sha256(Uint8Array.from(script), 'bytes')
    const nested = sha256(Uint8Array.from([0, 32, ...witness]), 'bytes')
    return [bytesToHex(witness), ripemd160(witness), ripemd160(nested)].includes(found)
  })
}

function chainOfSegwit(text: string): BitcoinChain | undefined {
  const { prefix, words } = decodeSegwit(text)
  const version = words[0]!
  const program = bech32.fromWords(words.slice(1))
  const { length } = program
  const isPlain = (length === 20 || length === 32) && !isKeyless(program)
  const fits = version === 0 ? isPlain : version === 1 && length === 32
  return fits ? prefixes[prefix] : undefined
}

function decodeSegwit(text: string) {
  const isPlain = /^(bc|tb|bcrt)1q/i.test(text)
  return (isPlain ? bech32 : bech32m).decode(text as `${string}1${string}`, 90)
}

function chainOfBase58(text: string): BitcoinChain | undefined {
  const data = base58check.decode(text)
  return data.length === 21 && !isKeyless(data.subarray(1)) ? versions[data[0]!] : undefined
}

/** Encodes an address of the sandbox's Bitcoin chain for a key hash of 20 bytes. */
export const sandboxBitcoinAddress = (hash: Uint8Array): string =>
  bech32.encode('bcrt', [0, ...bech32.toWords(hash)])

/** Encodes bytes as base58 text, and decodes it. */
export const base58Text = base58

/**
 * A refund address: an EVM address, or a Bitcoin address with a valid checksum. The issue for other text carries
 * `params.address`, as that of an EVM address does.
 */
export const RefundAddress = z.codec(z.string(), z.string(), {
  decode: (text, ctx) => {
    if (chainOfBitcoinAddress(text)) return text
    const parsed = EvmAddress.safeParse(text)
    if (parsed.success) return parsed.data
    ctx.issues.push({
      code: 'custom',
      message: 'expected an EVM address or a Bitcoin address',
      params: { address: true },
      input: text,
    })
    return z.NEVER
  },
  encode: (address) => address,
})

/** Normalizes the hash of a Bitcoin transaction to lower case; `undefined` for other text. */
export const bitcoinHash = (text: string): string | undefined =>
  /^[0-9a-fA-F]{64}$/.test(text) ? text.toLowerCase() : undefined

/** Builds a payment URI for wallets (BIP 21); the amount is in satoshi. */
export const bitcoinUri = (address: string, satoshi: bigint): string =>
  `bitcoin:${address}?amount=${formatUnits(satoshi, btc.decimals)}`
