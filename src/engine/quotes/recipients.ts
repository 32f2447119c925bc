import { parseAbi } from 'viem/utils'
import { read } from '../../chain/chain.ts'
import { type Address, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { Token } from '../../domain/token.ts'
import { whyLost } from '../../protocols/unrecoverable-recipients.ts'
import type { Route } from '../../swaps/provider.ts'
import { uniswapV3FactoryAbi } from '../../swaps/uniswap-v3/abi.ts'
import type { EngineContext } from '../context.ts'

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
 * Also refuses a recipient that is a token of the swap, which may be missing from the catalogue, or a pool, for which there is no list.
 * Pools are recognised on the chain, so an unreachable chain is an error. The signing `wallet` is not checked, because it is no pool.
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
  if (await isPool(context, chainId, to)) throw unrecoverableRecipient('recipient', 'a pool of Uniswap v3')
}

const isToken = (token: Token, chainId: number, at: Address): boolean =>
  token.chainId === chainId && sameAddress(token.address, at)

/** Whether the factory lists this address as the pool of its own tokens and fee. */
async function isPool(
  { chain, catalog }: EngineContext,
  chainId: number,
  address: Address,
): Promise<boolean> {
  const here = catalog.uniswapV3.find((one) => one.chainId === chainId)
  if (!here) return false
  const args = await read(chain(chainId), {
    reads: ['token0', 'token1', 'fee'].map((functionName) => ({ address, abi: poolAbi, functionName })),
    parse: (answers) => (answers.includes(undefined) ? undefined : answers),
  })
  return (
    args !== undefined &&
    read(chain(chainId), {
      reads: [{ address: here.factory, abi: uniswapV3FactoryAbi, functionName: 'getPool', args }],
      parse: ([pool]) => pool !== undefined && sameAddress(pool as Address, address),
    })
  )
}

/** The getters of a pool (`@uniswap/v3-core`, IUniswapV3PoolImmutables). */
const poolAbi = parseAbi([
  'function token0() view returns (address)',
  'function token1() view returns (address)',
  'function fee() view returns (uint24)',
])

const unrecoverableRecipient = (who: string, lost: string): AppError =>
  new AppError('INVALID_ADDRESS', `The ${who} is ${lost}: funds sent there are lost`, {
    hint: 'Use an address that you or the recipient has the key of.',
  })
