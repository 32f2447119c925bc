import { ask } from '../chain/ask.ts'
import { decodeApprove, erc20 } from '../chain/erc20.ts'
import type { Address } from '../domain/address.ts'
import { type TokenAmount, tokenAmount, unlimitedThreshold } from '../domain/amount.ts'
import { networkNamed } from '../domain/networks.ts'
import type { Token } from '../domain/token.ts'
import { knownSpenders } from '../guard/contract-names.ts'
import type { ExecutionContext } from '../planning/execution-context-types.ts'

/** An allowance of a contract on a wallet. `name` is its name in the catalogue; `unlimited` is more than could ever be spent. */
export type Approval = {
  network: string
  chainId: number
  token: Address
  spender: Address
  name: string | null
  amount: TokenAmount
  unlimited: boolean
}

type Pair = { token: Token; spender: Address; name: string | null }

/** The possible spenders: every contract of the catalogue that takes tokens, and those that this journal approved. */
function possibleAllowances(
  { catalog, journal }: ExecutionContext,
  wallet: Address,
  chainId: number,
): Pair[] {
  const tokens = catalog.tokens.filter((token) => token.chainId === chainId)
  const spenders = new Map<string, { spender: Address; name: string | null }>()
  for (const { spender, name } of knownSpenders(catalog, chainId))
    spenders.set(spender.toLowerCase(), { spender, name })
  for (const { steps } of journal.list({ wallet, limit: 10_000 }))
    for (const { role, transaction } of steps) {
      const approval =
        role !== 'action' && transaction.chainId === chainId ? decodeApprove(transaction.data) : undefined
      if (approval && !spenders.has(approval.spender.toLowerCase()))
        spenders.set(approval.spender.toLowerCase(), { spender: approval.spender, name: null })
    }
  return tokens.flatMap((token) =>
    [...spenders.values()].map(({ spender, name }) => ({ token, spender, name })),
  )
}

/**
 * Every allowance above zero that a wallet gave on these chains, to the spenders that the catalogue and this journal know. One
 * batch a chain.
 */
export async function walletApprovals(
  context: ExecutionContext,
  wallet: Address,
  chainIds: readonly number[],
): Promise<Approval[]> {
  const perChain = await Promise.all(
    chainIds.map(async (chainId) => {
      const pairs = possibleAllowances(context, wallet, chainId)
      const answers = await ask(
        context.rpc(chainId),
        pairs.map(({ token, spender }) => erc20.allowance(token.address, wallet, spender)),
      )
      return pairs.map((pair, at) => ({ ...pair, chainId, amount: answers[at] ?? 0n }))
    }),
  )
  return perChain.flat().flatMap(({ token, spender, name, chainId, amount }) => {
    if (amount === 0n) return []
    return {
      network: networkNamed(context.catalog.networks, chainId).name,
      chainId,
      token: token.address,
      spender,
      name,
      amount: tokenAmount(amount, token),
      unlimited: amount >= unlimitedThreshold,
    }
  })
}
