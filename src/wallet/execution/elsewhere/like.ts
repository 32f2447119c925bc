import type { Transaction } from '../../../domain/transaction.ts'
import { isSame, type Shown } from '../pinned.ts'

/** As many bytes as a deadline and a minimum have: a call that differs in more is another one. */
const littleDifference = 48

/** Whether a call is the same, or the same made again with another deadline and another minimum. */
export function isLike(shown: Shown, wanted: Transaction, exact: readonly bigint[]): boolean {
  if (isSame(shown, wanted)) return true
  const [a, b] = [shown.input.toLowerCase(), wanted.data.toLowerCase()]
  // An approval or a transfer that differs at all is another one; only long calls carry deadlines.
  const amounts = exact.map((amount) => amount.toString(16).padStart(64, '0'))
  if (!amounts.some((word) => a.includes(word) && b.includes(word))) return false
  if (a.length !== b.length || a.length < 2 + 8 + 64 * 6 || a.slice(0, 10) !== b.slice(0, 10)) return false
  if (!isSame({ ...shown, input: wanted.data }, wanted)) return false
  let differs = 0
  for (let at = 10; at < a.length; at += 2) if (a.slice(at, at + 2) !== b.slice(at, at + 2)) differs++
  return differs <= littleDifference
}
