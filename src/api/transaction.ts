import { z } from 'zod'
import { EvmAddress, HexData } from '../domain/address.ts'
import { Units } from '../domain/amount.ts'

const noChainId = 'expected a chain id'

/** A chain id; some deployments send it as text. */
export const ChainId = z.codec(
  z.union([z.int().positive(), z.string().regex(/^[1-9][0-9]{0,14}$/, noChainId)], noChainId),
  z.int().positive(),
  {
    decode: Number,
    encode: (value) => value,
  },
)

/** An unsigned transaction on the wire; `value` is in wei. */
export const TransactionItem = z.object({ to: EvmAddress, data: HexData, value: Units, chainId: ChainId })
