import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { Finding } from '../health-findings.ts'
import type { Line } from '../output/view-types.ts'
import type { Stream } from '../terminal/io-types.ts'

/** The findings, one per line, with the remedy under each that failed. */
export const findingsView = (checks: readonly Finding[], to: Stream, asLine: Line): string =>
  checks
    .flatMap(({ check, subject, state, says, next }) => {
      const mark = { ok: to.paint.green('✓'), warning: to.paint.yellow('!'), failed: to.paint.red('✗') }[
        state
      ]
      const line = `${mark} ${[check, subject].filter((word) => word !== null).join(' ')}  ${sanitizeText(says)}`
      return state === 'ok' || next === null
        ? [line]
        : [line, `  ${to.paint.dim(sanitizeText(asLine(next)))}`]
    })
    .join('\n')
