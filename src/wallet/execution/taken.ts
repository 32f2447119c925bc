import { formatAmount } from '../../domain/amount.ts'
import { networkNamed } from '../../domain/network-named.ts'
import { plain } from '../../domain/text.ts'
import { tokenAt } from '../../domain/token.ts'
import type { Allowance } from './outcome.ts'
import type { Run } from './run.ts'

/** What a contract may still take after a failure, as the end of a sentence about it; nothing where that is nothing. */
export function takenWords(
  { networks, tokens = [] }: Pick<Run, 'networks' | 'tokens'>,
  chainId: number,
  left: Allowance | undefined,
): string {
  if (!left) return ''
  const token = tokenAt(tokens, chainId, left.token)
  const amount = token
    ? formatAmount(BigInt(left.amount), { ...token, symbol: plain(token.symbol) })
    : `${left.amount} units of ${left.token}`
  return `; ${left.spender} may still take ${amount} on ${networkNamed(networks, chainId).name}`
}

/** The sentence without that end: for when nothing may be taken any more. */
export const withoutTaken = (message: string): string =>
  message.replace(/; 0x[0-9a-fA-F]{40} may still take .+ on \S+$/, '')
