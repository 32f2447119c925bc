import { z } from 'zod'
import { type Address, EvmAddress } from '../domain/address.ts'
import { Units } from '../domain/amount.ts'
import { ChainId, TransactionItem } from './transaction.ts'

const Ends = z.object({ token: EvmAddress, chainId: ChainId, amount: Units })
const address = z.custom<z.output<typeof EvmAddress>>()

/**
 * Body of `POST /transfer/bytecode`. The deprecated names `walletOrigin` and `walletDestination` are accepted too, also together with the
 * current ones if the values are equal. The token and chain fields are extensions.
 */
export const TransferInput = z.codec(
  Ends.extend({
    originAddress: EvmAddress.optional(),
    destinationAddress: EvmAddress.optional(),
    walletOrigin: EvmAddress.optional(),
    walletDestination: EvmAddress.optional(),
  }),
  z.object({
    originAddress: address,
    destinationAddress: address,
    token: address,
    chainId: z.int(),
    amount: z.bigint(),
  }),
  {
    decode: ({ walletOrigin, walletDestination, originAddress, destinationAddress, ...rest }, ctx) => {
      const one = (name: string, current: Address | undefined, older: Address | undefined): Address => {
        const found = current ?? older
        if (found !== undefined && (older ?? found) === found) return found
        const message = found === undefined ? 'is missing' : 'is given twice, with different values'
        ctx.issues.push({ code: 'custom', message, path: [name], input: found })
        return z.NEVER
      }
      return {
        ...rest,
        originAddress: one('originAddress', originAddress, walletOrigin),
        destinationAddress: one('destinationAddress', destinationAddress, walletDestination),
      }
    },
    encode: (value) => value,
  },
)

/** The transactions of a transfer, and the action id that tracks it. */
export const TransferBytecode = z.object({
  id: z.string(),
  chainId: ChainId,
  bytecode: z.array(TransactionItem),
})
export type TransferBytecode = z.output<typeof TransferBytecode>
