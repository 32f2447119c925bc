import type { TransferBytecode } from '../../api/transfer.ts'
import { transfer } from '../../chain/erc20.ts'
import { type Address, nativeAddress, sameAddress } from '../../domain/address.ts'
import { tokenAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import { nativeToken, tokenAt } from '../../domain/token.ts'
import { readSearchStarts, trackOperation } from '../actions/issued-actions.ts'
import type { EngineContext } from '../engine-context-types.ts'
import { whyPayeeLost } from '../quotes/recipient-check.ts'

/** Builds a plain transfer. The zero address is the native coin. */
export async function transferBytecode(
  context: EngineContext,
  input: {
    originAddress: Address
    destinationAddress: Address
    token: Address
    chainId: number
    amount: bigint
  },
): Promise<TransferBytecode> {
  const { originAddress, destinationAddress: to, chainId, amount } = input
  const refuse = (message: string) => new AppError('TRANSFER_VALIDATION_FAILED', message)
  const network = context.catalog.networks.find((known) => known.chainId === chainId)
  if (!network) throw refuse(`There is no network ${chainId}`)
  const isNative = sameAddress(input.token, nativeAddress)
  const token = isNative ? nativeToken(network) : tokenAt(context.catalog.tokens, chainId, input.token)
  if (!token) throw refuse(`${input.token} is not a known token on ${network.name}`)
  if (amount === 0n) throw refuse('The amount must be above zero')
  const starts = readSearchStarts(context, originAddress, [chainId])
  const lost = await whyPayeeLost(context, { chainId, to, tokens: [token], isCoin: isNative })
  if (lost) throw refuse(`The recipient is ${lost}: funds sent there are lost`)
  if (sameAddress(to, originAddress)) throw refuse('The recipient is the sender')
  const transaction = transfer({ chainId, token: token.address, to, amount })
  const id = context.newId()
  const sum = tokenAmount(amount, token)
  await trackOperation(context, {
    id,
    type: 'TRANSFER_OUT',
    strategyId: null,
    strategySlug: null,
    quoteId: null,
    wallet: originAddress,
    receiver: to,
    amounts: { in: sum, out: sum },
    transactions: [transaction],
    kinds: ['transfer'],
    starts,
  })
  return { id, chainId, bytecode: [transaction] }
}
