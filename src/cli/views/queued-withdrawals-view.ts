import { sluice } from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { Line } from '../output/view-types.ts'
import { decimal, utcTime } from '../terminal/format.ts'
import type { Stream } from '../terminal/io-types.ts'
import type { positionJson } from './json-documents.ts'

type Shown = Pick<ReturnType<typeof positionJson>, 'strategy' | 'pending' | 'claimable'>
type One = NonNullable<Shown['pending']>[number]

/** The queued withdrawals of a position: waiting, claimable and how, lapsed and how to get them back. */
export function queuedLines(
  { strategy, pending, claimable }: Shown,
  to: Stream,
  asLine: Line,
): (readonly [word: string, text: string])[] {
  const line = ({ amount }: One, more: string) =>
    `${decimal(amount.formatted)} ${sanitizeText(strategy.asset.symbol)} ${to.paint.dim(more)}`
  const until = (one: One) => (one.until === null ? '' : ` until ${sanitizeText(utcTime(one.until))}`)
  const slug = sanitizeText(strategy.slug)
  const claim = asLine(sluice('withdraw', strategy.slug, { '--claim': true }))
  return [
    ...(pending ?? []).map((one) => {
      if (one.back !== null)
        return [
          to.paint.red('lapsed'),
          line(one, `${slug}, claim lapsed ${sanitizeText(utcTime(one.until))}; to get it back: ${claim}`),
        ] as const
      const from =
        one.availableAt === null
          ? ''
          : `, ready ${sanitizeText(utcTime(one.availableAt))}${one.until === null ? '' : `,${until(one)}`}`
      return ['queued', line(one, `${slug}${from}`)] as const
    }),
    ...(claimable ?? []).map(
      (one) => [to.paint.green('ready'), line(one, `to claim${until(one)}: ${claim}`)] as const,
    ),
  ]
}
