import type { CallOptions } from '../../api/service-type.ts'
import type { TransferBytecode } from '../../api/transfer.ts'
import { askNumber } from '../../chain/ask.ts'
import { erc20, transfer } from '../../chain/erc20.ts'
import { quantity } from '../../chain/rpc/quantities.ts'
import { type Address, nativeAddress, sameAddress } from '../../domain/address.ts'
import { formatAmount, tokenAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import { nativeToken, type Token, tokenAt } from '../../domain/token.ts'
import { readSearchStarts, trackOperation } from '../actions/issued-actions.ts'
import type { EngineContext } from '../engine.ts'
import { whyPayeeLost } from '../quotes/recipient-check.ts'

/**
 * Builds a plain transfer. The zero address is the native coin. TRANSFER_VALIDATION_FAILED for an unknown token or network, a recipient that
 * would lose the funds, and more than the sender's balance; the gas is not counted.
 */
export async function transferBytecode(
  context: EngineContext,
  input: {
    originAddress: Address
    destinationAddress: Address
    token: Address
    chainId: number
    amount: bigint
  },
  { keepAnswer }: CallOptions = {},
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
  starts.catch(() => undefined) // Awaited with the operation, unless the transfer is refused.
  const [lost, balance] = await Promise.all([
    whyPayeeLost(context, { chainId, to, tokens: [token], isCoin: isNative }),
    balanceOf(context, token, originAddress),
  ])
  if (lost) throw refuse(`The recipient is ${lost}: funds sent there are lost`)
  if (sameAddress(to, originAddress)) throw refuse('The recipient is the sender')
  if (amount > balance)
    throw new AppError(
      'TRANSFER_VALIDATION_FAILED',
      `The amount is ${formatAmount(amount, token)}, and ${originAddress} has ${formatAmount(balance, token)} on ${network.name}`,
      { details: { amount: String(amount), balance: String(balance) } },
    )
  const transaction = transfer({ chainId, token: token.address, to, amount })
  const id = context.newId()
  const answer: TransferBytecode = { id, chainId, bytecode: [transaction] }
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
    alongside: keepAnswer && ((tx) => keepAnswer(tx, answer)),
  })
  return answer
}

/** The balance of a wallet in a token or the native coin, in the smallest unit. */
async function balanceOf(
  context: EngineContext,
  { chainId, address: token }: Token,
  wallet: Address,
): Promise<bigint> {
  const { rpc } = context.chain(chainId)
  if (sameAddress(token, nativeAddress))
    return quantity(await rpc.request('eth_getBalance', [wallet, 'latest']), 'the balance')
  return askNumber(rpc, erc20.balanceOf(token, wallet), 'the balance')
}
