import { sliceHex } from 'viem/utils'
import { type Call, contract } from '../../chain/call.ts'
import { type Address, type Hex, nativeAddress, sameAddress } from '../../domain/address.ts'
import { queriesAbi, vaultPoolsAbi, weightedPoolAbi } from './abi.ts'
import type { PoolPath } from './pool-paths.ts'

/** One pool's part of a `batchSwap`. */
type Step = { poolId: Hex; assetInIndex: bigint; assetOutIndex: bigint; amount: bigint; userData: Hex }

/** The steps of a path whose tokens are the assets. The first has the given amount; 0 takes the amount of the step before. */
export function stepsOf({ pools }: Pick<PoolPath, 'pools'>, exact: 'in' | 'out', given: bigint): Step[] {
  const steps = pools.map((poolId, at) => ({
    poolId,
    assetInIndex: BigInt(at),
    assetOutIndex: BigInt(at + 1),
    userData: '0x' as const,
  }))
  const ordered = exact === 'in' ? steps : steps.reverse()
  return ordered.map((step, at) => ({ ...step, amount: at === 0 ? given : 0n }))
}

const noParties = { sender: nativeAddress, recipient: nativeAddress }

/** The funds of a swap, without internal balances of the Vault. */
export const fundsOf = ({ sender, recipient }: { sender: Address; recipient: Address }) => ({
  sender,
  recipient,
  fromInternalBalance: false,
  toInternalBalance: false,
})

/** The BalancerQueries read that quotes a path. The function is not a view, but eth_call discards its effects. */
export const quoteOf = (queries: Address, path: PoolPath, exact: 'in' | 'out', given: bigint): Call =>
  contract(queries, queriesAbi)(
    'queryBatchSwap',
    exact === 'in' ? 0 : 1,
    stepsOf(path, exact, given),
    path.tokens,
    fundsOf(noParties),
  )

/** The other amount of a swap, from the answer to `quoteOf`; `undefined` without an answer. */
export function otherAmount(answer: unknown, exact: 'in' | 'out'): bigint | undefined {
  const delta = (answer as readonly bigint[] | undefined)?.at(exact === 'in' ? -1 : 0)
  return delta === undefined || exact === 'out' ? delta : -delta
}

/** Two reads per pool of a path: its balances and its weights. A pool's id begins with its address. */
export const priceQueries = (vault: Address, { pools }: PoolPath): Call[] =>
  pools.flatMap((id) => [
    contract(vault, vaultPoolsAbi)('getPoolTokens', id),
    contract(sliceHex(id, 0, 20), weightedPoolAbi)('getNormalizedWeights'),
  ])

/**
 * The output of an amount at the spot prices of a path's weighted pools, without fees. The spot price is the ratio of balance over weight
 * of both tokens. `undefined` if a pool does not answer, is empty or is not weighted.
 */
export function atSpot(
  { tokens }: PoolPath,
  answers: readonly unknown[],
  amount: bigint,
): bigint | undefined {
  let brings = amount
  for (let at = 0; at + 1 < tokens.length; at++) {
    const [held, balances] = (answers[2 * at] as readonly [Address[], bigint[]] | undefined) ?? [[], []]
    const weights = (answers[2 * at + 1] as readonly bigint[] | undefined) ?? []
    const [paid, got] = [at, at + 1].map((which) => held.findIndex((one) => sameAddress(one, tokens[which]!)))
    const [from, into] = [balances[paid!], balances[got!]]
    const [fromWeight, intoWeight] = [weights[paid!], weights[got!]]
    if (!from || !into || !fromWeight || !intoWeight) return undefined
    brings = (brings * into * fromWeight) / (from * intoWeight)
  }
  return brings
}
