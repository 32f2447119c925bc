import { type Address, type Hex, sameAddress } from '../../domain/address.ts'
import type { BalancerV2Constants } from './constants-schema.ts'

/** A path through pools: `pools[i]` is the id of the pool between `tokens[i]` and `tokens[i + 1]`. */
export type PoolPath = { tokens: readonly Address[]; pools: readonly Hex[] }

type Pool = BalancerV2Constants['pools'][number]

const holds = ({ tokens }: Pool, token: Address): boolean => tokens.some((one) => sameAddress(one, token))

/** The paths to quote: each pool with both tokens, and each two pools with a common third token. */
export function pathsOf(
  { pools }: Pick<BalancerV2Constants, 'pools'>,
  first: Address,
  last: Address,
): PoolPath[] {
  const isMiddle = (token: Address) => !sameAddress(token, first) && !sameAddress(token, last)
  const after = pools.filter((pool) => holds(pool, last))
  return pools
    .filter((pool) => holds(pool, first))
    .flatMap((one) => [
      ...(holds(one, last) ? [{ tokens: [first, last], pools: [one.id] }] : []),
      ...after
        .filter((other) => other !== one)
        .flatMap((other) =>
          one.tokens
            .filter((token) => isMiddle(token) && holds(other, token))
            .map((middle) => ({ tokens: [first, middle, last], pools: [one.id, other.id] })),
        ),
    ])
}

/** Whether the catalogue lists every pool of a path with the two different tokens that it swaps. */
export const isListed = (
  { pools }: Pick<BalancerV2Constants, 'pools'>,
  { tokens, pools: ids }: PoolPath,
): boolean =>
  ids.every((id, at) =>
    pools.some(
      (pool) =>
        !sameAddress(tokens[at]!, tokens[at + 1]!) &&
        pool.id.toLowerCase() === id.toLowerCase() &&
        tokens.slice(at, at + 2).every((token) => holds(pool, token)),
    ),
  )

/** A path as text: tokens and pools from the first token to the last. */
export const pathText = ({ tokens, pools }: PoolPath): string =>
  tokens.map((token, at) => (pools[at] === undefined ? token : `${token} ${pools[at]}`)).join(' ')
