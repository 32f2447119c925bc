import { encodeFunctionData } from 'viem/utils'

import { decodeApprove, erc20Abi } from '../../calls/erc20.ts'
import type { Address } from '../../domain/address.ts'
import { type TokenAmount, tokenAmount } from '../../domain/amount.ts'
import { networkNamed } from '../../domain/network-named.ts'
import type { Token } from '../../domain/token.ts'
import { unlimited } from '../chain/standing.ts'
import type { Ground } from '../ground.ts'
import { knownSpenders } from '../guard/contract-names.ts'

/** What a contract may take from a wallet. `name` is what the catalogue knows it as; `unlimited` is more than there can ever be. */
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

/** Who may have been approved: every contract of the catalogue that takes tokens, and whoever an operation of this journal approved. */
function pairsOf({ catalog, journal }: Ground, wallet: Address, chainId: number): Pair[] {
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

/** Every allowance above zero that a wallet gave on these chains, as far as the catalogue and this journal know whom to ask about. One exchange a chain. */
export async function approvalsOf(
  ground: Ground,
  wallet: Address,
  chainIds: readonly number[],
): Promise<Approval[]> {
  const perChain = await Promise.all(
    chainIds.map(async (chainId) => {
      const pairs = pairsOf(ground, wallet, chainId)
      const answers = await ground.rpc(chainId).batch(
        pairs.map(({ token, spender }) => [
          'eth_call',
          [
            {
              to: token.address,
              data: encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args: [wallet, spender] }),
            },
            'latest',
          ],
        ]),
      )
      return pairs.map((pair, at) => ({ ...pair, chainId, raw: answers[at] }))
    }),
  )
  return perChain.flat().flatMap(({ token, spender, name, chainId, raw }) => {
    const amount = typeof raw === 'string' && /^0x[0-9a-f]+$/i.test(raw) ? BigInt(raw) : 0n
    if (amount === 0n) return []
    return {
      network: networkNamed(ground.catalog.networks, chainId).name,
      chainId,
      token: token.address,
      spender,
      name,
      amount: tokenAmount(amount, token),
      unlimited: amount >= unlimited,
    }
  })
}
