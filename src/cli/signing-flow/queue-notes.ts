import { formatAmount, tokenAmount } from '../../domain/amount.ts'
import { shellOperand } from '../../domain/shell-quoting.ts'
import type { StrategyEntry } from '../../protocols/catalog.ts'

/** What is typed to take what was set aside. */
const claimCommand = ({ slug }: StrategyEntry): string => `sluice withdraw ${shellOperand(slug)} --claim`

/** For how many seconds what is asked for can be claimed, and what gives back what was let pass. */
type Window = { seconds: number | null; back: string }

/** That a withdrawal is queued, as a plan says it: without a `window` what comes of it can be claimed for ever. */
export const queuedOf = (entry: StrategyEntry, seconds: number | null, window: Window | undefined) => ({
  seconds,
  next: claimCommand(entry),
  ...(window && {
    window: { ...window, seconds: window.seconds === null ? null : Math.floor(window.seconds) },
  }),
})

/** That nothing comes at once, how long it takes, what is typed then, and by when, where what is not claimed lapses. */
export function queuedLine(
  { slug, receipt }: StrategyEntry,
  { seconds, next, window }: ReturnType<typeof queuedOf>,
): string {
  const from =
    seconds === null
      ? 'Waiting time is not known on chain (often days)'
      : `They are ready after ${span(seconds)}`
  const asked = `Withdrawals from ${slug} are queued; claim later. ${from}`
  if (!window) return `${asked}. To claim: ${next}`
  const most = window.seconds === null ? 'a while' : span(window.seconds, Math.floor)
  return `${asked}, and the claim lapses ${most} later. To claim: ${next}\nAfter it lapses, the same command returns ${receipt.symbol} instead, by ${window.back}`
}

/** What is said of a claim before it is signed: what it leaves for another one, or that it brings shares back instead of what was asked for. */
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
): string[] {
  const { slug, asset, receipt } = entry
  if (takesBack) {
    const again = `sluice withdraw ${shellOperand(slug)} --amount ${tokenAmount(takesBack.was, asset).formatted}`
    const what = ids.length === 1 ? `Request ${ids[0]} has lapsed` : `Requests ${ids.join(', ')} have lapsed`
    return [
      `${what}: this returns ${formatAmount(amount, receipt)} and no ${asset.symbol}. To request it again: ${again}`,
    ]
  }
  return [
    ...(left > 0 ? [`${left} more can be claimed after this one: ${claimCommand(entry)}`] : []),
    ...(lapsed > 0
      ? [
          `${lapsed} more ${lapsed === 1 ? 'has' : 'have'} lapsed. To get the ${receipt.symbol} back after this: ${claimCommand(entry)}`,
        ]
      : []),
  ]
}

/** A wait is said no shorter than it is, and a time that is left no longer. */
const span = (seconds: number, rounded = Math.ceil): string => {
  const [size, word] =
    seconds >= 172_800 ? [86_400, 'days'] : seconds >= 7_200 ? [3_600, 'hours'] : [1, 'seconds']
  return `${rounded(seconds / size)} ${word}`
}
