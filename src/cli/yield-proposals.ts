import type { StrategyBytecode } from '../api/bytecode.ts'
import type { Address } from '../domain/address.ts'
import { maxUint256, tokenAmount } from '../domain/amount.ts'
import type { Catalog, StrategyEntry } from '../domain/catalog.ts'
import { AppError } from '../domain/errors.ts'
import type { Intent } from '../domain/intent.ts'
import type { Token } from '../domain/token.ts'
import type { Proposed } from '../wallet/proposal.ts'
import type { AskedStrategy } from './asked-for.ts'
import type { Cli } from './cli.ts'
import { legsAcross } from './deposit-across.ts'

/** The entry of our own catalogue for a strategy that a service names: what is not in it cannot be checked, so it is refused. */
function entryOf({ strategies }: Catalog, { slug, id, chainId }: AskedStrategy): StrategyEntry {
  const found = strategies.find(
    (entry) => (entry.slug === slug || entry.id === id) && (chainId === null || entry.chainId === chainId),
  )
  if (found) return found
  throw new AppError(
    'POLICY_CONTRACT_NOT_ALLOWED',
    `${slug} is not in the catalogue of this version, so its contracts cannot be checked`,
  )
}

/** A deposit as legs: on one chain, or the bridge first and then the deposit of what it brings at least. `from` is the chain that the funds are on, where it is another one. */
export async function depositProposal(
  cli: Cli,
  strategy: AskedStrategy,
  amount: bigint,
  wallet: Address,
  made: StrategyBytecode,
  from?: number,
): Promise<Proposed> {
  const catalog = await cli.place.catalog()
  const entry = entryOf(catalog, strategy)
  const origin = made.crossChain.isCrossChain ? made.chainIdIn : entry.chainId
  if (origin !== (from ?? entry.chainId))
    throw new AppError(
      'POLICY_CHAIN',
      `The service takes the funds from chain ${origin}, and they were to come from ${from ?? entry.chainId}`,
    )
  const about = {
    strategyId: entry.id,
    strategySlug: entry.slug,
    receiver: wallet,
    amounts: { in: tokenAmount(amount, entry.asset), out: null },
  }
  if (!made.crossChain.isCrossChain) {
    const leg = {
      chainId: entry.chainId,
      intent: { kind: 'deposit' as const, wallet, strategy: entry, amount },
      transactions: made.bytecode,
    }
    return {
      id: made.id,
      kind: 'deposit',
      legs: [leg],
      quoteId: null,
      expiresAt: null,
      about: { type: 'SAMECHAIN_INVESTMENT_DEPOSIT', ...about },
    }
  }
  return {
    id: made.id,
    kind: 'deposit',
    legs: await legsAcross(cli, entry, amount, wallet, made),
    quoteId: made.quote?.id ?? null,
    expiresAt: made.quote?.deadline ?? null,
    about: { type: 'CROSSCHAIN_INVESTMENT_DEPOSIT', ...about },
  }
}

/** A withdrawal as one leg. For all of it, the shares are read from the receipt token by ourselves, not taken from the service. */
export async function withdrawProposal(
  cli: Cli,
  strategy: AskedStrategy,
  amount: bigint,
  wallet: Address,
  made: StrategyBytecode,
): Promise<Proposed> {
  const entry = entryOf(await cli.place.catalog(), strategy)
  const isAll = amount === maxUint256
  const shares = isAll ? await balanceOf(cli, entry.receipt, wallet) : undefined
  const intent: Intent = {
    kind: 'withdraw',
    wallet,
    strategy: entry,
    amount,
    ...(shares !== undefined && { shares }),
  }
  return {
    id: made.id,
    kind: 'withdraw',
    legs: [{ chainId: entry.chainId, intent, transactions: made.bytecode }],
    quoteId: null,
    expiresAt: null,
    about: {
      type: 'SAMECHAIN_INVESTMENT_WITHDRAW',
      strategyId: entry.id,
      strategySlug: entry.slug,
      receiver: wallet,
      amounts: { in: null, out: isAll ? null : tokenAmount(amount, entry.asset) },
    },
  }
}

/** A balance by a raw call: `balanceOf(address)` is selector 0x70a08231. */
async function balanceOf({ place }: Cli, token: Token, owner: Address): Promise<bigint> {
  const data = `0x70a08231${owner.slice(2).toLowerCase().padStart(64, '0')}`
  const answer = await place.read(token.chainId, 'eth_call', [{ to: token.address, data }, 'latest'])
  if (typeof answer !== 'string' || !/^0x[0-9a-f]{64}$/.test(answer))
    throw new AppError('RPC_INCONSISTENT', `The node gives no balance of ${token.symbol}`)
  return BigInt(answer)
}
