import type { Report } from '../diagnosis/report-from-journal.ts'
import { tokenAmount } from '../domain/amount.ts'
import { AppError } from '../domain/errors.ts'
import { networkNamed } from '../domain/networks.ts'
import { nativeToken } from '../domain/token.ts'
import type { ExecutionContext } from '../planning/execution-context-types.ts'
import { usdUnits } from '../planning/usd-value.ts'
import type { Backend } from './backend-types.ts'

type Transactions = Report['transactions']

/** The transactions of a report with their fees for gas in USD at today's prices, rounded down to a millionth; `null` without a price. */
export async function withGasInUsd(
  backend: Pick<Backend, 'prices'>,
  { catalog: { networks } }: Pick<ExecutionContext, 'catalog'>,
  transactions: Transactions,
): Promise<(Transactions[number] & { gasFeeUsd: string | null })[]> {
  const paid = transactions.filter(
    ({ gasFee, chainId }) => gasFee && networks.some((one) => one.chainId === chainId),
  )
  const coins = [...new Set(paid.map(({ chainId }) => chainId))].map((chainId) =>
    nativeToken(networkNamed(networks, chainId)),
  )
  const prices = (await Promise.all(coins.map((coin) => pricesOf(backend, coin)))).flat()
  return transactions.map((one) => {
    const coin = coins.find(({ chainId }) => chainId === one.chainId)
    const units = coin && one.gasFee ? usdUnits(BigInt(one.gasFee.raw), coin, prices) : null
    const gasFeeUsd =
      units === null ? null : tokenAmount(units / 10n ** 6n, { symbol: 'USD', decimals: 6 }).formatted
    return { ...one, gasFeeUsd }
  })
}

/** No prices where they cannot be read: they are for display only. */
async function pricesOf(backend: Pick<Backend, 'prices'>, coin: ReturnType<typeof nativeToken>) {
  try {
    return await backend.prices(coin.chainId, [coin])
  } catch (error) {
    if (error instanceof AppError) return []
    throw error
  }
}
