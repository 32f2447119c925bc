import { createHash } from 'node:crypto'
import type { Verdict } from '../../wallet/explain/verdict.ts'
import type { Evidence } from '../../wallet/record/evidence.ts'
import type { Report } from '../../wallet/record/report.ts'
import { decimal, when } from '../terminal/format.ts'
import { type Html, html, pageText } from '../terminal/html.ts'
import { toJson } from '../to-json.ts'
import {
  badge,
  type EvidenceAttempt,
  type EvidenceStep,
  listOf,
  moment,
  stepSection,
  tableOf,
} from './evidence-step.ts'
import { evidenceStyle } from './evidence-style.ts'

/** The evidence as one page that needs nothing else: no script runs, nothing is loaded. The evidence itself is inside. */
export function evidencePage(evidence: Evidence): string {
  const { operation, made, trail, sha256 } = evidence
  const [report, verdict] = [evidence.report as Report, evidence.verdict as Verdict | null]
  const body = html`<h1>${operation.kind} ${badge(report.status)}</h1>
<p class="soft">Action <code>${operation.id}</code>, as it was known on ${when(made)}</p>
${verdict && verdictSection(verdict)}
${summary(evidence, report)}
<h2>Steps</h2>
${(operation.steps as EvidenceStep[]).map((step) =>
  stepSection(
    step,
    evidence.calls.find(({ index }) => index === step.index),
    report.transactions.find(({ index }) => index === step.index),
    (evidence.attempts as EvidenceAttempt[]).filter((one) => one.step === step.index),
  ),
)}
<h2>Timeline</h2>
<p class="${trail.whole ? 'good' : 'bad'}">${trail.whole ? 'The trail of the journal is whole: every line follows from the one before it.' : `The trail of the journal is broken at line ${trail.brokenAt}.`}</p>
${timeline(evidence.events)}
${
  verdict &&
  html`<h2>What the verdict stands on</h2>${tableOf(
    ['says', 'what'],
    verdict.evidence.map(({ source, text }) => [source, text]),
  )}`
}
<h2>Whether it is true</h2>
<p>This page holds its evidence as data. Whoever has this program can find out whether its parts fit each other, and whether the chains say the same:</p>
<p><code>sluice action verify FILE</code></p>
<p class="soft">sha256 <code>${sha256}</code></p>`
  // A browser reads this as data. Nothing in it can end it.
  const data = toJson(evidence, false).replaceAll('<', '\\u003c')
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy()}"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">
<title>${pageText(html`Action ${operation.id}`)}</title>
<style>${evidenceStyle}</style></head><body>
${pageText(body)}
<script type="application/json" id="evidence">${data}</script>
</body></html>
`
}

/** Its own style and nothing else: no script, no picture, no font, no form, no other base for its links. */
const policy = () =>
  `default-src 'none'; style-src 'sha256-${createHash('sha256').update(evidenceStyle).digest('base64')}'; base-uri 'none'; form-action 'none'`

const verdictSection = ({ situation, verdict, funds, safeToRetry, next }: Verdict): Html =>
  html`<section class="box"><h3>${situation}</h3><p>${verdict}</p>${listOf([
    ['funds', funds],
    [
      'again',
      safeToRetry
        ? html`<span class="good">safe: nothing of it can be executed any more by itself</span>`
        : html`<span class="wait">not safe: asked for anew, the same could happen twice</span>`,
    ],
    ['next', next && html`<code>${next}</code>`],
  ])}</section>`

const amountText = (amount: Report['amounts']['in']) =>
  amount && `${decimal(amount.formatted)} ${amount.symbol}`

const summary = ({ operation }: Evidence, report: Report): Html =>
  listOf([
    ['type', report.type],
    ['strategy', report.strategySlug],
    ['amount in', amountText(report.amounts.in)],
    ['amount out', amountText(report.amounts.out)],
    ['amount out, at least', amountText(report.amounts.outAtLeast ?? null)],
    ['arrived', amountText(report.arrivedShort?.brought ?? null)],
    ['at least agreed', amountText(report.arrivedShort?.minimum ?? null)],
    ['wallet', html`<code>${report.originAddress}</code>`],
    ['receiver', html`<code>${report.receiverAddress}</code>`],
    ['arrived in', report.destinationTxHash && html`<code>${report.destinationTxHash}</code>`],
    ['begun', when(report.createdAt)],
    ['changed', when(report.updatedAt)],
    ['over', report.finishedAt && when(report.finishedAt)],
    ['in the journal', html`${operation.state}${operation.exit === null ? '' : `, exit ${operation.exit}`}`],
    ['final by', report.finality],
    ['assurance', report.assurance],
    ['idempotency key', html`<code>${report.idempotencyKey}</code>`],
  ])

const timeline = (events: Evidence['events']): Html =>
  tableOf(
    ['line', 'when', 'step', 'from', 'to', 'why'],
    events.map(({ seq, at, index, was, becomes, why }) => [
      seq,
      moment(Number(at)),
      typeof index === 'number' ? index + 1 : 'all',
      was,
      becomes,
      why,
    ]),
  )
