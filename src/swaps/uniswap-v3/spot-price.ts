import type { Abi } from 'viem'
import type { Query } from '../../chain/contract-query.ts'
import type { Address } from '../../domain/address.ts'
import { bringsAtPrices, type SwapPath } from '../fee-tier-path.ts'
import { quoterV2Abi } from './abi.ts'
import { packPath } from './path.ts'

/** One query per pool of a path: the quoter returns the price of a pool after one unit, which is the price before it. */
export const spotQueries = (quoter: Address, { tokens, fees }: SwapPath): Query[] =>
  fees.map((fee, at) => ({
    address: quoter,
    abi: quoterV2Abi as Abi,
    functionName: 'quoteExactInput',
    args: [packPath({ tokens: tokens.slice(at, at + 2), fees: [fee] }), 1n],
  }))

/** What an amount would bring at the spot prices of a path's pools, without fees; `undefined` if a pool does not answer. */
export const atSpot = (path: SwapPath, answers: readonly unknown[], amount: bigint): bigint | undefined =>
  bringsAtPrices(
    path,
    answers.map((answer) => (answer as readonly [bigint, readonly bigint[]] | undefined)?.[1]?.[0]),
    amount,
  )
