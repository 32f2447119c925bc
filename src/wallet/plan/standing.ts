import { encodeFunctionData } from 'viem/utils'

import { decodeApprove, erc20Abi } from '../../calls/erc20.ts'
import { type Address, sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import type { Catalog } from '../../domain/catalog.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/network-named.ts'
import { plain } from '../../domain/text.ts'
import type { Token } from '../../domain/token.ts'
import type { Journal } from '../../store/journal-words.ts'
import { eachRead } from '../chain/each-read.ts'
import type { Ground } from '../ground.ts'

/** Every token of a chain that a wallet may hold by this program: those of the catalogue, and what positions are held in. */
export function trackedTokens({ tokens, strategies }: Catalog, chainId: number): Token[] {
  const all = [...tokens, ...strategies.map(({ receipt }) => receipt)]
  const byAddress = new Map(
    all
      .filter((token) => token.chainId === chainId)
      .map((token) => [token.address.toLowerCase(), token] as const),
  )
  return [...byAddress.values()]
}

/** What the wallet lets a contract take, and how much of one token this operation lets it take. */
export type StandingQuestion = {
  chainId: number
  wallet: Address
  spender: Address
  spends: { token: Token; amount: bigint } | undefined
}

/**
 * G10: what a contract may already take from the wallet must be nothing, or what this operation lets it take anyway;
 * otherwise a bug of that contract could take more than was asked for.
 */
export async function checkStanding(
  { rpc: rpcOf, catalog, journal }: Pick<Ground, 'rpc' | 'catalog' | 'journal'>,
  { chainId, wallet, spender, spends }: StandingQuestion,
): Promise<void> {
  const rpc = rpcOf(chainId)
  const tokens = trackedTokens(catalog, chainId).filter(({ isShares }) => !isShares)
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args: [wallet, spender] })
  const answers = await eachRead(
    rpc,
    tokens.map(({ address }) => ({ to: address, data })),
  )
  for (const [at, token] of tokens.entries()) {
    const isSpent = spends !== undefined && sameAddress(spends.token.address, token.address)
    const standing = answers[at]
    if (standing === undefined && isSpent)
      throw new AppError('RPC_INCONSISTENT', `The node at ${rpc.host} gives no allowance of ${token.address}`)
    // What gives no allowance at all is broken, or not that kind of token.
    if (standing === undefined) continue
    const fits = isSpent ? spends.amount : 0n
    if (standing <= fits || standing <= givenByUnfinished(journal, token, { chainId, wallet, spender }))
      continue
    const network = networkNamed(catalog.networks, chainId).name
    throw new AppError(
      'POLICY_STANDING_ALLOWANCE',
      `${spender} may already take ${shown(standing, token)} from ${wallet} on ${network}, more than this needs`,
      {
        details: { token: token.address, spender, standing: standing.toString(), need: fits.toString() },
        hint: `sluice wallet approvals revoke --network ${network} --token ${token.address} --spender ${spender}`,
      },
    )
  }
}

const shown = (standing: bigint, token: Token): string =>
  standing >= 1n << 255n
    ? `all ${plain(token.symbol)}`
    : formatAmount(standing, { ...token, symbol: plain(token.symbol) })

/** What actions that are not finished let a contract take: it is known, and waits for them. */
function givenByUnfinished(
  journal: Journal,
  token: Token,
  { chainId, wallet, spender }: Omit<StandingQuestion, 'spends'>,
): bigint {
  const unfinished = journal.list({ states: ['EXECUTING', 'PARTIAL', 'ATTENTION'], wallet, limit: 1_000 })
  const approvals = unfinished.flatMap(({ steps }) =>
    steps.flatMap(({ transaction, state }) => {
      const isSigned = state !== 'PLANNED' && state !== 'RESERVED'
      const approval = isSigned ? decodeApprove(transaction.data) : undefined
      const isThis =
        approval &&
        transaction.chainId === chainId &&
        sameAddress(transaction.to, token.address) &&
        sameAddress(approval.spender, spender)
      return isThis ? [approval.amount] : []
    }),
  )
  return approvals.reduce((sum, amount) => sum + amount, 0n)
}
