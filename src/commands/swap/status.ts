import type { SwapStatus } from '../../api/swap-status.ts'
import type { Cli } from '../../cli/command-run-types.ts'
import { swapNamed } from '../../cli/named-id.ts'
import { duration } from '../../cli/options/global-options.ts'
import type { View } from '../../cli/output/view-types.ts'
import { expiredQuoteError, swapStatusById, unfilledOrderError } from '../../cli/swap-status-by-id.ts'
import { stateWord } from '../../cli/terminal/format.ts'
import { fieldTable, type MaybeRow } from '../../cli/terminal/table.ts'
import { watchUntil } from '../../cli/watch-loop.ts'
import { formatAmount } from '../../domain/amount.ts'
import { bitcoinHash, btc } from '../../domain/bitcoin.ts'
import type { OptionsOf } from '../../domain/command-line/flags.ts'
import { AppError } from '../../domain/errors.ts'
import { isSwapOver, isSwapPaid, swapOutcomeError } from '../../domain/swap-outcome.ts'
import { advice, sluice } from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { isPaidElsewhere } from '../../transactions/steps/operation-state.ts'
import { deliveryRows, depthText } from './bitcoin-deposit-document.ts'

/** `swap status` */
export async function status(cli: Cli, id: string, options: OptionsOf<'swap status'>): Promise<void> {
  if (options.watch) cli.program.time.follow()
  const service = await cli.service()
  const more = options.btcTx !== undefined && { btcTxHash: options.btcTx }
  const ask = (quote: string) => service.swapStatus({ id: quote, ...more })
  const look = () => swapStatusById(cli, id, ask).then(withoutPaidAddress).catch(naming(id, options.btcTx))
  if (!options.watch) return cli.emit(await look(), statusView)
  // What is signed here is read from the chains here.
  const { known } = await swapNamed(cli, id)
  const isOwn = known !== undefined && !isPaidElsewhere(known.operation)
  const again = sluice('swap status', id, { '--watch': true, '--timeout': '1h' })
  const last = await watchUntil(cli, look, {
    what: `watching swap ${id}`,
    isOver: ({ status }) => isSwapOver(status),
    view: statusView,
    intervalMs: duration(options.interval),
    again: () => again,
    announced: ({ id: found }) => (isOwn ? undefined : cli.backend.announced?.(found)),
  })
  const unfilled = last.status === 'failed' ? await unfilledOrderError(cli, id) : undefined
  if (unfilled) throw unfilled
  if (last.status === 'expired') throw await expiredQuoteError(cli, id, last)
  const hints = { over: sluice('action explain', id), open: again }
  const error = swapOutcomeError({ ...last, arrivedShort: last.arrivedShort }, { details: last, hints })
  if (error) throw error
}

/** A missing deposit is looked up by its hash: the one that was typed, if it is one. */
const naming =
  (id: string, typed = '') =>
  (error: unknown): never => {
    if (!(error instanceof AppError) || error.code !== 'DEPOSIT_NOT_FOUND') throw error
    const btcTx = bitcoinHash(typed) === undefined ? 'HASH' : typed
    const hint = advice`Once the Bitcoin transaction is confirmed: ${sluice('swap status', id, { '--btc-tx': btcTx })}`
    throw error.with({ next: hint })
  }

type ShownDeposit = Omit<NonNullable<SwapStatus['deposit']>, 'address'> & { address: string | null }

/** A status without the address of a deposit that is paid, so that nobody pays it again. */
const withoutPaidAddress = <status extends SwapStatus>({ deposit, ...status }: status) => {
  const address = deposit === undefined || isSwapPaid(status) ? null : deposit.address
  return { ...status, ...(deposit && { deposit: { ...deposit, address } satisfies ShownDeposit }) }
}

/** What there is to say of a deposit on Bitcoin. */
const depositRows = (deposit: ShownDeposit): MaybeRow[] => {
  const { address, memo, amount, confirmations } = deposit
  return [
    [
      'deposit',
      `${formatAmount(BigInt(amount), btc)}${address === null ? '' : ` to ${sanitizeText(address)}`}`,
    ],
    memo !== null && ['memo', sanitizeText(memo)],
    ['confirmed', confirmations === null ? 'no deposit is found' : depthText(confirmations)],
    ...deliveryRows(deposit),
  ]
}

const statusView: View<{
  id: string
  status: string
  originTxHash: string | null
  destinationTxHash: string | null
  provider: string | null
  deposit?: ShownDeposit | undefined
  note?: string | undefined
  reported?: string | undefined
}> = (one, to) =>
  fieldTable(
    [
      ['swap', one.id],
      ['status', stateWord(sanitizeText(one.status), to.paint)],
      one.reported !== undefined && ['reported', `${sanitizeText(one.reported)}, which no chain shows here`],
      ['provider', sanitizeText(one.provider ?? '-')],
      ['origin', sanitizeText(one.originTxHash ?? '-')],
      ['destination', sanitizeText(one.destinationTxHash ?? '-')],
      ...(one.deposit ? depositRows(one.deposit) : []),
      one.note !== undefined && ['note', sanitizeText(one.note)],
    ],
    to,
  )
