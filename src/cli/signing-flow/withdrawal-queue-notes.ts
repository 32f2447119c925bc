import { formatAmount, maxUint256, tokenAmount } from '../../domain/amount.ts'
import { type Advice, advice, commandLine, type Next, sluice } from '../../domain/text/next-step.ts'
import { spanText } from '../../domain/text/time-spans.ts'
import type { StrategyEntry } from '../../protocols/catalog-types.ts'

/** The command that claims a queued withdrawal. */
const claimCommand = ({ slug }: StrategyEntry): Next => sluice('withdraw', slug, { '--claim': true })

/** How long a request can be claimed, in seconds, and how a lapsed one is returned. */
type Window = { seconds: number | null; back: string }

/** The queue fields of a plan for a requested amount; without a `window`, the claim never lapses. */
export const queuedOf = (
  entry: StrategyEntry,
  amount: bigint,
  seconds: number | null,
  window: Window | undefined,
) => ({
  seconds,
  // It is stored with the plan, for whatever line asks for it later.
  next: commandLine(claimCommand(entry)),
  amount: amount === maxUint256 ? null : tokenAmount(amount, entry.asset),
  ...(window && {
    window: { ...window, seconds: window.seconds === null ? null : Math.floor(window.seconds) },
  }),
})

/** The notice of a queued withdrawal: waiting time, claim command, and when the claim lapses. */
export function queuedLine(
  entry: StrategyEntry,
  { seconds, window }: Pick<ReturnType<typeof queuedOf>, 'seconds' | 'window'>,
): Advice {
  const { slug, receipt } = entry
  const claim = claimCommand(entry)
  const from =
    seconds === null
      ? 'Waiting time is not known on chain (often days)'
      : `They are ready after ${spanText(1_000 * seconds, Math.ceil)}`
  const asked = `Withdrawals from ${slug} are queued; claim later. ${from}`
  if (!window) return advice`${asked}. To claim: ${claim}`
  const most = window.seconds === null ? 'a while' : spanText(1_000 * window.seconds, Math.floor)
  return advice`${asked}, and the claim lapses ${most} later. To claim: ${claim}\nAfter it lapses, the same command returns ${receipt.symbol} instead, by ${window.back}`
}

/** The notices of a claim: what remains to be claimed, or that a lapsed request returns shares instead of the asset. */
export function claimLines(
  entry: StrategyEntry,
  {
    ids,
    amount,
    left,
    lapsed,
    takesBack,
  }: {
    ids: readonly string[]
    amount: bigint
    left: number
    lapsed: number
    takesBack?: { was: bigint }
  },
): Advice[] {
  const { slug, asset, receipt } = entry
  if (takesBack) {
    const again = sluice('withdraw', slug, { '--amount': tokenAmount(takesBack.was, asset).formatted })
    const what = ids.length === 1 ? `Request ${ids[0]} has lapsed` : `Requests ${ids.join(', ')} have lapsed`
    return [
      advice`${what}: this returns ${formatAmount(amount, receipt)} and no ${asset.symbol}. To request it again: ${again}`,
    ]
  }
  return [
    ...(left > 0 ? [advice`${left} more can be claimed after this one: ${claimCommand(entry)}`] : []),
    ...(lapsed > 0
      ? [
          advice`${lapsed} more ${lapsed === 1 ? 'has' : 'have'} lapsed. To get the ${receipt.symbol} back after this: ${claimCommand(entry)}`,
        ]
      : []),
  ]
}
