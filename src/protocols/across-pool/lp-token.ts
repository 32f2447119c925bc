import { type Call, contract } from '../../chain/call.ts'
import { type Address, nativeAddress } from '../../domain/address.ts'
import type { Token } from '../../domain/token.ts'
import { hubPoolAbi } from './abi.ts'
import type { AcrossPoolConstants } from './constants-schema.ts'

/** The pool of one token: its constants and its asset. */
export type Pool = { constants: AcrossPoolConstants; asset: Token }

/** The token of a pool: the asset, or its wrapped form if the asset is the native coin. */
export const pooledToken = ({ constants: { wrapped }, asset }: Pool): Address => wrapped ?? asset.address

/** The price of one LP token in units of the pool's token, scaled by 1e18, with the fees up to now. Not a view, but an eth_call keeps no effect. */
export const lpRate = (pool: Pool): Call<bigint> =>
  contract(pool.constants.hubPool, hubPoolAbi)('exchangeRateCurrent', pooledToken(pool))

const one = 10n ** 18n

/** The amount that LP tokens bring, rounded as the pool does. */
export const lpWorth = (rate: bigint, units: bigint): bigint => (units * rate) / one

/** The fewest LP tokens that bring an amount: never more than the holder of that amount has. */
export const lpUnits = (rate: bigint, amount: bigint): bigint =>
  rate === 0n ? 0n : (amount * one + rate - 1n) / rate

/** Whether the asset is the native coin, which the pool holds wrapped. */
export const isCoin = ({ asset }: Pool): boolean => asset.address === nativeAddress
