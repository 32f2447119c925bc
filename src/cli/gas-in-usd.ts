import type { Report } from '../diagnosis/report-from-journal.ts'
import { tokenAmount } from '../domain/amount.ts'
import { AppError } from '../domain/errors.ts'
import { type Network, networkNamed } from '../domain/networks.ts'
import { nativeToken } from '../domain/token.ts'
import type { ExecutionContext } from '../planning/execution-context-types.ts'
import { usdUnits } from '../planning/usd-value.ts'
import type { Backend } from './backend-types.ts'
import type { Cli } from './command-run-types.ts'

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
    return { ...one, gasFeeUsd: units === null ? null : dollarsOf(units) }
  })
}

/** A report with the fees of its transactions in USD as well. */
export const withPricedGas = async <report extends Pick<Report, 'transactions'>>(
  { backend }: Pick<Cli, 'backend'>,
  context: Pick<ExecutionContext, 'catalog'>,
  report: report,
) => ({ ...report, transactions: await withGasInUsd(backend, context, report.transactions) })

/** An amount of the coin of a network, in its smallest unit, in USD at today's price; `null` without a price. */
export async function coinInUsd(
  backend: Pick<Backend, 'prices'>,
  network: Network,
  units: bigint,
): Promise<string | null> {
  const coin = nativeToken(network)
  const usd = usdUnits(units, coin, await pricesOf(backend, coin))
  return usd === null ? null : dollarsOf(usd)
}

const dollarsOf = (units: bigint): string =>
  tokenAmount(units / 10n ** 6n, { symbol: 'USD', decimals: 6 }).formatted

/** No prices where they cannot be read: they are for display only. */
async function pricesOf(backend: Pick<Backend, 'prices'>, coin: ReturnType<typeof nativeToken>) {
  try {
    return await backend.prices(coin.chainId, [coin])
  } catch (error) {
    if (error instanceof AppError) return []
    throw error
  }
}
