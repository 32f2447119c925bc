import { decodeSupplied } from '../../calls/aave-v3.ts'
import { decodeDeposited } from '../../calls/erc4626.ts'
import type { StrategyEntry } from '../../domain/catalog.ts'
import type { Transaction } from '../../domain/transaction.ts'

/** How much a call puts into a strategy, by the call itself; `undefined` where it is no deposit there, which the guard then says. */
export const depositedBy = ({ constants }: StrategyEntry, action: Transaction): bigint | undefined =>
  constants.family === 'aave-v3' ? decodeSupplied(action) : decodeDeposited(action)
