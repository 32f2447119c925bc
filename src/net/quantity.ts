import { AppError } from '../domain/errors.ts'

/** A JSON-RPC quantity such as `0x1f`, as a bigint; anything else is RPC_INCONSISTENT. */
export function quantity(value: unknown, what: string): bigint {
  if (typeof value === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(value)) return BigInt(value)
  throw new AppError('RPC_INCONSISTENT', `The node gives no number for ${what}`)
}

/** A number as a JSON-RPC quantity. */
export const hexQuantity = (value: bigint | number): `0x${string}` => `0x${value.toString(16)}`
