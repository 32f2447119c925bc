import { AppError } from '../../domain/errors.ts'

/** Fields that are counts: heights, times, indexes, gas. Below 2^53, since they are stored and compared as numbers. */
const counts = ['blockNumber', 'number', 'timestamp', 'transactionIndex', 'logIndex', 'gasUsed'] as const
/** Fields in wei a unit of gas, below 2^128. */
const prices = [
  'baseFeePerGas',
  'gasPrice',
  'effectiveGasPrice',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
] as const

const [mostCount, mostPrice] = [2n ** 53n, 2n ** 128n]

/** The shape of each method's result whose numbers are checked. */
const shapes: Readonly<Record<string, 'count' | 'price' | 'block' | 'transaction' | 'receipt' | 'logs'>> = {
  eth_blockNumber: 'count',
  eth_getTransactionCount: 'count',
  eth_estimateGas: 'count',
  eth_gasPrice: 'price',
  eth_maxPriorityFeePerGas: 'price',
  eth_getBlockByNumber: 'block',
  eth_getBlockByHash: 'block',
  eth_getTransactionByHash: 'transaction',
  eth_getTransactionBySenderAndNonce: 'transaction',
  eth_getTransactionReceipt: 'receipt',
  eth_sendRawTransactionSync: 'receipt',
  eth_getLogs: 'logs',
}

/**
 * Returns the result of a call after checking that every number the program uses is a plausible quantity; RPC_INCONSISTENT
 * otherwise, also for an empty or negative one. Missing and `null` fields are left to the reader; only a block must have its height
 * and time.
 */
export function checkedNumbers<T>(host: string, method: string, result: T): T {
  const shape = Object.hasOwn(shapes, method) ? shapes[method] : undefined
  if (shape === undefined || result === null) return result
  const refuse = (field: string, value: unknown): never => {
    throw new AppError(
      'RPC_INCONSISTENT',
      `The node at ${host} returns an impossible number for ${field} in its answer to ${method}`,
      { details: { host, method, field, value: String(value).slice(0, 80) } },
    )
  }
  const check = (value: unknown, field: string, most: bigint): void => {
    const isQuantity = typeof value === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(value)
    if (!isQuantity || BigInt(value) >= most) refuse(field, value)
  }
  const checkFields = (of: unknown, more: readonly string[] = []): void => {
    if (typeof of !== 'object' || of === null) return
    const fields = of as Record<string, unknown>
    for (const field of [...counts, ...more])
      if (fields[field] != null) check(fields[field], field, mostCount)
    for (const field of prices) if (fields[field] != null) check(fields[field], field, mostPrice)
  }
  if (shape === 'count') check(result, 'the count', mostCount)
  else if (shape === 'price') check(result, 'the price', mostPrice)
  else if (shape === 'block') checkBlock(result as Fields, { refuse, checkFields })
  // The nonce of a transaction is a count; a block's nonce is not.
  else if (shape === 'transaction') checkFields(result, ['nonce'])
  else if (shape === 'receipt') for (const part of [result, ...list(result, 'logs')]) checkFields(part)
  else if (Array.isArray(result)) for (const log of result) checkFields(log)
  return result
}

type Fields = Record<string, unknown>

const list = (of: unknown, field: string): unknown[] => {
  const found = (of as Fields | null)?.[field]
  return Array.isArray(found) ? found : []
}

/** A pending block has no height yet; every other block has height and time. */
function checkBlock(
  block: Fields,
  {
    refuse,
    checkFields,
  }: {
    refuse: (field: string, value: unknown) => never
    checkFields: (of: unknown, more?: string[]) => void
  },
): void {
  checkFields(block)
  if (block.timestamp == null) refuse('timestamp', block.timestamp)
  if (block.number === undefined) refuse('number', block.number)
  for (const transaction of list(block, 'transactions')) checkFields(transaction, ['nonce'])
}

/** Parses a JSON-RPC quantity such as `0x1f` as a bigint; RPC_INCONSISTENT otherwise. */
export function quantity(value: unknown, what: string): bigint {
  if (typeof value === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(value)) return BigInt(value)
  throw new AppError('RPC_INCONSISTENT', `The node returns no number for ${what}`)
}

/** A number as a JSON-RPC quantity. */
export const hexQuantity = (value: bigint | number): `0x${string}` => `0x${value.toString(16)}`

/** The largest plausible gas price, in wei: one coin for a unit of gas. */
export const maxGasPrice = 10n ** 18n

/** Parses a fee of a node, in wei a unit of gas; RPC_INCONSISTENT if implausible. */
export function parseFee(value: unknown, what: string): bigint {
  const fee = quantity(value, what)
  if (fee <= maxGasPrice) return fee
  throw new AppError('RPC_INCONSISTENT', `The node returns an impossible value for ${what}: ${fee} wei`)
}
