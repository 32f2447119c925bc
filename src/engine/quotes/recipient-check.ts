import { parseAbi } from 'viem/utils'
import { read } from '../../chain/run-readings.ts'
import { type Address, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { Token } from '../../domain/token.ts'
import { whyLost } from '../../protocols/unrecoverable-recipients.ts'
import type { Route } from '../../swaps/provider.ts'
import { contractsOn } from '../../swaps/swap-contracts.ts'
import { uniswapV2FactoryAbi } from '../../swaps/uniswap-v2/abi.ts'
import { uniswapV2Contracts } from '../../swaps/uniswap-v2/constants-schema.ts'
import { uniswapV3FactoryAbi } from '../../swaps/uniswap-v3/abi.ts'
import { uniswapV3Contracts } from '../../swaps/uniswap-v3/constants-schema.ts'
import type { EngineContext } from '../engine-context-types.ts'

/** Refuses a recipient from which funds could not be recovered. */
export function refuseUnrecoverable(
  { catalog }: Pick<EngineContext, 'catalog'>,
  chainId: number,
  to: Address | null | undefined,
  who = 'recipient',
): void {
  const lost = to && whyLost(catalog, chainId, to)
  if (lost) throw unrecoverableRecipient(who, lost)
}

/**
 * Also refuses a recipient that is a token of the swap, which may be missing from the catalogue, or a pool. There is
 * no list of pools, so they are recognised on the chain, and an unreachable chain is an error. The signing `wallet`
 * is not checked, because it is no pool.
 */
export async function refuseRecipient(
  context: EngineContext,
  { to: { chainId }, tokenIn, tokenOut }: Route,
  to: Address | null | undefined,
  wallet?: Address,
): Promise<void> {
  if (!to) return
  refuseUnrecoverable(context, chainId, to)
  const own = [tokenIn, tokenOut].find((token) => isToken(token, chainId, to))
  if (own) throw unrecoverableRecipient('recipient', `the token ${own.symbol}`)
  if (wallet && sameAddress(to, wallet)) return
  const pool = await poolAt(context, chainId, to)
  if (pool) throw unrecoverableRecipient('recipient', `a pool of ${pool}`)
}

const isToken = (token: Token, chainId: number, at: Address): boolean =>
  token.chainId === chainId && sameAddress(token.address, at)

/** The exchange whose factory lists this address as the pool of its own tokens, and fee; `undefined` if none does. */
async function poolAt(
  { chain, catalog }: EngineContext,
  chainId: number,
  address: Address,
): Promise<string | undefined> {
  const [v3, v2] = [
    contractsOn(catalog, uniswapV3Contracts, chainId),
    contractsOn(catalog, uniswapV2Contracts, chainId),
  ]
  if (!v3 && !v2) return undefined
  const [token0, token1, fee] = await read(chain(chainId), {
    reads: ['token0', 'token1', 'fee'].map((functionName) => ({ address, abi: poolAbi, functionName })),
    parse: (answers) => answers,
  })
  if (token0 === undefined || token1 === undefined) return undefined
  const [factory, abi, functionName, args, name] =
    fee === undefined
      ? ([v2?.factory, uniswapV2FactoryAbi, 'getPair', [token0, token1], 'Uniswap v2'] as const)
      : ([v3?.factory, uniswapV3FactoryAbi, 'getPool', [token0, token1, fee], 'Uniswap v3'] as const)
  if (!factory) return undefined
  return read(chain(chainId), {
    reads: [{ address: factory, abi, functionName, args }],
    parse: ([pool]) => (pool !== undefined && sameAddress(pool as Address, address) ? name : undefined),
  })
}

/** The getters of a pool (`@uniswap/v3-core`, IUniswapV3PoolImmutables); a pair of Uniswap v2 has no fee of its own. */
const poolAbi = parseAbi([
  'function token0() view returns (address)',
  'function token1() view returns (address)',
  'function fee() view returns (uint24)',
])

const unrecoverableRecipient = (who: string, lost: string): AppError =>
  new AppError('INVALID_ADDRESS', `The ${who} is ${lost}: funds sent there are lost`, {
    hint: 'Use an address that you or the recipient has the key of.',
  })
