import { getAddress } from 'viem/utils'
import { z } from 'zod'

/** An EVM address, as in viem. */
export type Address = `0x${string}`
/** Bytes as hex, as in viem. */
export type Hex = `0x${string}`

/**
 * An EVM address with a valid checksum, or in a single case; checksummed inside and on the wire. The issue for other
 * text carries `params.address`, because a service has its own error for it.
 */
export const EvmAddress = z.codec(z.string().meta({ pattern: '^0x[0-9a-fA-F]{40}$' }), z.custom<Address>(), {
  decode: (text, ctx) => {
    // One hash serves both as the result and as the checksum to compare: lists have many addresses.
    const address = /^0x[0-9a-fA-F]{40}$/.test(text) ? getAddress(text.toLowerCase()) : undefined
    if (address !== undefined && (text === address || /^0x([0-9a-f]{40}|[0-9A-F]{40})$/.test(text)))
      return address
    ctx.issues.push({
      code: 'custom',
      message: 'expected an EVM address',
      params: { address: true },
      input: text,
    })
    return z.NEVER
  },
  encode: (address) => address,
})

const text = <value extends string>(pattern: RegExp, what: string) =>
  z.custom<value>((value) => typeof value === 'string' && pattern.test(value), `expected ${what}`)

/**
 * Splits a network off an address, as explorers and wallets write it: `base:0x...`, `8453:0x...` or `eip155:8453:0x...`. `network` is a name
 * or chain id; `undefined` if there is none.
 */
export function splitNetworkPrefix(text: string): { network: string | undefined; address: string } {
  const [, network, address] = /^(?:eip155:)?([a-z0-9-]+):(0x[0-9a-fA-F]{40})$/i.exec(text) ?? []
  return { network, address: address ?? text }
}

/** Calldata or another byte string: `0x` and an even number of hex digits. */
export const HexData = text<Hex>(/^0x([0-9a-fA-F]{2})*$/, 'hex data')

/** A 32-byte hash. */
export const Hash = text<Hex>(/^0x[0-9a-fA-F]{64}$/, 'a 32-byte hash')

/** The address that denotes a chain's native coin. */
export const nativeAddress: Address = '0x0000000000000000000000000000000000000000'

/** Whether two addresses are equal, ignoring case. */
export const sameAddress = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/** An address in a catalogue file. Files hold checksummed addresses; a test checks that, because it costs too much at every start. */
export const CatalogAddress = z.custom<Address>(
  (value) => typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value),
)
