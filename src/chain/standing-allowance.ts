import type { Address } from '../domain/address.ts'
import { formatAmount } from '../domain/amount.ts'
import { AppError } from '../domain/errors.ts'
import { sanitizeText } from '../domain/text/terminal-sanitizing.ts'
import type { Token } from '../domain/token.ts'
import { ask } from './ask.ts'
import type { ChainClient } from './chain-client.ts'
import { erc20 } from './erc20.ts'

/** A standing allowance beyond what an operation needs. Amounts are in the smallest unit. */
export type StandingAllowance = { token: Token; spender: Address; amount: bigint; need: bigint }

/**
 * G10: reads the standing allowance for what this operation spends, if it is more than needed; `undefined` otherwise. It is a
 * property of the wallet, not an error of the operation. RPC_INCONSISTENT if the token returns no allowance.
 */
export async function readStandingAllowance(
  rpc: ChainClient,
  wallet: Address,
  spender: Address,
  spends: { token: Token; amount: bigint } | undefined,
): Promise<StandingAllowance | undefined> {
  if (!spends) return undefined
  const { token, amount: need } = spends
  const amount = await ask(rpc, erc20.allowance(token.address, wallet, spender))
  if (amount === undefined)
    throw new AppError('RPC_INCONSISTENT', `The node at ${rpc.host} returns no allowance of ${token.address}`)
  return amount > need ? { token, spender, amount, need } : undefined
}

/** An allowance in words. */
export const allowanceText = (amount: bigint, token: Token): string =>
  formatAmount(amount, { ...token, symbol: sanitizeText(token.symbol) })

/** The command that revokes an allowance. */
export const revokeCommand = (network: string, token: Address, spender: Address): string =>
  `sluice wallet approvals revoke --network ${network} --token ${token} --spender ${spender}`
