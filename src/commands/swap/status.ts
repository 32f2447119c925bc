import type { SwapStatus } from '../../api/swap-status.ts'
import type { Cli } from '../../cli/command-run-types.ts'
import { duration } from '../../cli/options/global-options.ts'
import type { View } from '../../cli/output/view-types.ts'
import { expiredQuoteError, swapStatusOf } from '../../cli/swap-status-by-id.ts'
import { stateWord } from '../../cli/terminal/format.ts'
import { fieldTable, type MaybeRow } from '../../cli/terminal/table.ts'
import { watchUntil } from '../../cli/watch-loop.ts'
import { formatAmount } from '../../domain/amount.ts'
import { bitcoinHash, btc } from '../../domain/bitcoin.ts'
import { AppError } from '../../domain/errors.ts'
import { shellOperand, shellWord } from '../../domain/text/shell-quoting.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { deliveryRows, depthOf } from './bitcoin-deposit-document.ts'

/** `swap status` */
export async function status(
  cli: Cli,
  id: string,
  options: { watch?: boolean; interval: string; btcTx?: string },
): Promise<void> {
  const service = await cli.service()
  const more = options.btcTx !== undefined && { btcTxHash: options.btcTx }
  const ask = (quote: string) => service.swapStatus({ id: quote, ...more })
  const look = () => swapStatusOf(cli, id, ask).catch(naming(id, options.btcTx))
  if (!options.watch) return cli.emit(await look(), statusView)
  const last = await watchUntil(cli, look, {
    isOver: ({ status }) => ['fulfilled', 'failed', 'refunded', 'expired'].includes(status),
    view: statusView,
    intervalMs: duration(options.interval),
    again: () => `sluice swap status --watch --timeout 1h ${shellOperand(id)}`,
  })
  if (last.status === 'expired') throw await expiredQuoteError(cli, id, last)
  const why = { details: last, hint: `sluice action explain ${shellOperand(id)}` }
  if (last.status === 'refunded') throw new AppError('REFUNDED', 'The swap was refunded', why)
  if (last.status === 'failed' && last.destinationTxHash !== null)
    throw new AppError('ARRIVED_SHORT', 'The bridge delivered less than quoted', why)
  if (last.status === 'failed') throw new AppError('ACTION_FAILED', 'The swap failed', why)
}

/** A missing deposit is looked up by its hash: the one that was typed, if it is one. */
const naming =
  (id: string, typed = '') =>
  (error: unknown): never => {
    if (!(error instanceof AppError) || error.code !== 'DEPOSIT_NOT_FOUND') throw error
    const { code, message, details, cause } = error
    const btcTx = bitcoinHash(typed) === undefined ? 'HASH' : typed
    const hint = `Once the Bitcoin transaction is confirmed: sluice swap status --btc-tx ${shellWord(btcTx)} ${shellOperand(id)}`
    throw new AppError(code, message, { cause, hint, ...(details && { details }) })
  }

/** What there is to say of a deposit on Bitcoin. */
const depositRows = (deposit: NonNullable<SwapStatus['deposit']>): MaybeRow[] => {
  const { address, memo, amount, confirmations } = deposit
  return [
    ['deposit', `${formatAmount(BigInt(amount), btc)} to ${sanitizeText(address)}`],
    memo !== null && ['memo', sanitizeText(memo)],
    ['confirmed', confirmations === null ? 'no deposit is found' : depthOf(confirmations)],
    ...deliveryRows(deposit),
  ]
}

const statusView: View<{
  id: string
  status: string
  originTxHash: string | null
  destinationTxHash: string | null
  provider: string | null
  deposit?: SwapStatus['deposit'] | undefined
  note?: string | undefined
}> = (one, to) =>
  fieldTable(
    [
      ['swap', one.id],
      ['status', stateWord(sanitizeText(one.status), to.paint)],
      ['provider', sanitizeText(one.provider ?? '-')],
      ['origin', sanitizeText(one.originTxHash ?? '-')],
      ['destination', sanitizeText(one.destinationTxHash ?? '-')],
      ...(one.deposit ? depositRows(one.deposit) : []),
      one.note !== undefined && ['note', sanitizeText(one.note)],
    ],
    to,
  )
