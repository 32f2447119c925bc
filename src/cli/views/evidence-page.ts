import { createHash } from 'node:crypto'
import type { StepCall } from '../../diagnosis/evidence/decode-step-calls.ts'
import type { Evidence } from '../../diagnosis/evidence/make-evidence-file.ts'
import type { ServiceEvidence } from '../../diagnosis/evidence/service-evidence.ts'
import { type Report, statusWord } from '../../diagnosis/report-from-journal.ts'
import type { PrintedVerdict } from '../../diagnosis/verdict.ts'
import { escapeHtml } from '../../domain/text/escape-html.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { momentText } from '../../domain/text/time-spans.ts'
import { toJson } from '../output/document-writer.ts'
import { decimal, formatUnits, utcTime } from '../terminal/format.ts'
import { nativeSymbolOf } from './call-view.ts'
import { retryText } from './retry-text.ts'

// A symbol cannot come from JSON, so foreign text is always escaped.
const markup = Symbol('markup')

/** Markup that only `html` makes. */
type Html = { readonly [markup]: string }

/** Markup as it is written; whatever is put into it is text, in an element or a quoted attribute, unless `html` made it too. */
export const html = (parts: TemplateStringsArray, ...values: readonly unknown[]): Html => ({
  [markup]: parts.map((part, at) => part + (at < values.length ? written(values[at]) : '')).join(''),
})

export const pageText = (page: Html): string => page[markup]

function written(value: unknown): string {
  if (Array.isArray(value)) return value.map(written).join('')
  if (value === null || value === undefined) return ''
  if (typeof value === 'object' && markup in value) return (value as Html)[markup]
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return escapeHtml(sanitizeText(text))
}

/** The style of the page: any width, light or dark, and print. */
const evidenceStyle = `
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#5b6470;--line:#d5dae0;--back:#fff;--raised:#f6f7f9;--good:#116b34;--bad:#a8201a;--wait:#855100}
@media(prefers-color-scheme:dark){:root{--ink:#e4e8ed;--soft:#9aa5b1;--line:#343c45;--back:#14181d;--raised:#1c2229;--good:#5cc283;--bad:#ff8f87;--wait:#e5b45a}}
*{box-sizing:border-box}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--back);max-width:64rem;margin:0 auto;padding:1.5rem 1rem 3rem}
h1{font-size:1.35rem;margin:0 0 .25rem;overflow-wrap:anywhere}
h2{font-size:1.05rem;margin:2rem 0 .5rem}
h3{font-size:.95rem;margin:0 0 .5rem;overflow-wrap:anywhere}
p{margin:.35rem 0}
code,pre{font-family:ui-monospace,monospace;font-size:.85em;overflow-wrap:anywhere}
a{color:inherit;text-underline-offset:.15em}
.soft{color:var(--soft)}
.good{color:var(--good)}.bad{color:var(--bad)}.wait{color:var(--wait)}
.state{font-weight:600;white-space:nowrap}
.box{border:1px solid var(--line);background:var(--raised);border-radius:.5rem;padding:.9rem 1rem;margin:.75rem 0}
dl{display:grid;grid-template-columns:minmax(7rem,max-content) 1fr;gap:.15rem 1rem;margin:.25rem 0}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;min-width:38rem;font-size:.88rem}
th,td{text-align:left;vertical-align:top;padding:.3rem .75rem .3rem 0;border-bottom:1px solid var(--line)}
th{color:var(--soft);font-weight:500}
time{white-space:nowrap;font-variant-numeric:tabular-nums}
td:last-child{overflow-wrap:anywhere}
details{margin:.5rem 0 0}summary{cursor:pointer;color:var(--soft)}
pre{white-space:pre-wrap;margin:.5rem 0 0}
@media(max-width:36rem){dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.4rem}}
@media print{:root{--ink:#000;--soft:#444;--line:#bbb;--back:#fff;--raised:#fff;--good:#000;--bad:#000;--wait:#000}body{max-width:none;padding:0;font-size:10pt}.box,tr{break-inside:avoid}h2{break-after:avoid}.wide{overflow:visible}table{min-width:0}details:not([open]){display:none}}
`

/** A step of an operation as its evidence holds it, after JSON. */
type EvidenceStep = {
  index: number
  text: string
  role: string
  state: string
  transaction: { to: string; data: string; value: string; chainId: number }
  inclusion: { blockHash: string; gasUsed: string; gasPrice: string } | null
}

/** An attempt in the evidence: the signed fields, without the signed bytes. */
type EvidenceAttempt = {
  step: number
  hash: string
  kind: string
  nonce: number
  gas: string
  maxFeePerGas: string
  created: number
  sends: number
  lastAnswer: string | null
}

const tones: Readonly<Record<string, string>> = {
  confirmed: 'good',
  SUCCESS: 'good',
  failed: 'bad',
  FAILED: 'bad',
  REFUNDED: 'bad',
  superseded: 'bad',
  cancelled: 'bad',
}

/** A state in its colour; the colour adds no information. */
const badge = (word: string): Html => html`<span class="state ${tones[word] ?? 'wait'}">${word}</span>`

/** Rows of names and values; those without a value are left out. */
const listOf = (rows: readonly (readonly [name: string, value: unknown])[]): Html =>
  html`<dl>${rows
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`

/** A wide table in a scrolling box. */
const tableOf = (heads: readonly string[], rows: readonly (readonly unknown[])[]): Html =>
  html`<div class="wide"><table><thead><tr>${heads.map((head) => html`<th>${head}</th>`)}</tr></thead><tbody>${rows.map(
    (row) => html`<tr>${row.map((cell) => html`<td>${cell ?? '-'}</td>`)}</tr>`,
  )}</tbody></table></div>`

/** A time of the journal, in epoch milliseconds. */
const moment = (at: number): Html => html`<time>${momentText(at)}</time>`

/** One step: its purpose, decoded call and receipt. A purpose that cannot be checked against the calldata is not a heading. */
function stepSection(
  step: EvidenceStep,
  call: StepCall | undefined,
  shown: Report['transactions'][number] | undefined,
  attempts: readonly EvidenceAttempt[],
): Html {
  const { to, value, data, chainId } = step.transaction
  const gas = step.inclusion && `${BigInt(step.inclusion.gasUsed) * BigInt(step.inclusion.gasPrice)}`
  return html`<section class="box"><h3>${step.index + 1}. ${call?.call ? step.text : step.role} ${badge(String(statusWord(step.state, 'step')))}</h3>
${listOf([
  ['described as', call?.call ? null : step.text],
  ['network', shown ? `${shown.network} (chain ${chainId})` : `chain ${chainId}`],
  ['contract', html`<code>${to}</code> ${call?.contract}`],
  ['call', call?.call ? html`<code>${call.call.name}</code>` : 'unknown call'],
  ...Object.entries(call?.call?.args ?? {}).map(
    ([name, argument]) => [name, html`<code>${argument}</code>`] as const,
  ),
  ['carries', value === '0' ? null : `${formatUnits(value, 18)} ${nativeSymbolOf(chainId)}`],
  ['nonce', shown?.nonce],
  ['transaction', shown?.hash ? hashOf(shown.hash, shown.explorerUrl) : 'not signed'],
  ['block', shown?.blockNumber],
  ['block hash', step.inclusion && html`<code>${step.inclusion.blockHash}</code>`],
  ['gas used', shown?.gasUsed],
  ['gas cost', gas && `${formatUnits(gas, 18)} ${nativeSymbolOf(chainId)}`],
  ['error', shown?.error],
])}
${
  attempts.length === 0
    ? null
    : tableOf(
        ['signed', 'as', 'hash', 'gas limit', 'max gas price, gwei', 'times sent', 'node answer'],
        attempts.map((one) => [
          moment(one.created),
          one.kind,
          html`<code>${one.hash}</code>`,
          one.gas,
          formatUnits(one.maxFeePerGas, 9),
          one.sends,
          one.lastAnswer,
        ]),
      )
}
<details><summary>Calldata</summary><pre>${data}</pre></details></section>`
}

/** A hash, which leads to the explorer of its network where that has one. */
const hashOf = (hash: string, explorerUrl: string | null): Html =>
  explorerUrl !== null && /^https:\/\/[a-z0-9.-]+\/tx\/0x[0-9a-f]{64}$/i.test(explorerUrl)
    ? html`<a href="${explorerUrl}" rel="noreferrer noopener"><code>${hash}</code></a>`
    : html`<code>${hash}</code>`

/** The evidence as one page that needs nothing else: no script runs, nothing is loaded. The evidence itself is inside. */
export function evidencePage(evidence: Evidence): string {
  const { operation, made, trail, sha256 } = evidence
  const [report, verdict] = [evidence.report as Report, evidence.verdict as PrintedVerdict | null]
  const body = html`<h1>${operation.kind} ${badge(report.status)}</h1>
<p class="soft">Action <code>${operation.id}</code>, state of ${utcTime(made)}</p>
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
<p class="${trail.whole ? 'good' : 'bad'}">${trail.whole ? 'The event log of the journal is complete: each line follows from the previous one.' : `The event log of the journal is broken at line ${trail.brokenAt}.`}</p>
${timeline(evidence.events)}
${
  verdict &&
  html`<h2>Evidence for the verdict</h2>${tableOf(
    ['source', 'statement'],
    verdict.evidence.map(({ source, text }) => [source, text]),
  )}`
}
<h2>Verification</h2>
<p>The evidence is embedded in this page as data. To check that it is consistent and that the chains confirm it, run:</p>
<p><code>sluice action verify FILE</code></p>
<p class="soft">sha256 <code>${sha256}</code></p>`
  return documentPage(`Action ${operation.id}`, body, evidence)
}

/** A whole page: its style, and `data` embedded as data. */
function documentPage(title: string, body: Html, evidence: unknown): string {
  // A browser reads this as data. Nothing in it can end it.
  const data = toJson(evidence, false).replaceAll('<', '\\u003c')
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy()}"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">
<title>${pageText(html`${title}`)}</title>
<style>${evidenceStyle}</style></head><body>
${pageText(body)}
<script type="application/json" id="evidence">${data}</script>
</body></html>
`
}

/** The same for an action that only a service reports: what no chain can confirm is marked as the word of the service. */
export function serviceEvidencePage(evidence: ServiceEvidence): string {
  const { action, made, service, statedOnly, sha256 } = evidence
  const verdict = evidence.verdict as PrintedVerdict | null
  const body = html`<h1>${action.type} ${badge(action.reported ?? action.status)}</h1>
<p class="soft">Action <code>${action.id}</code>, as ${service ?? 'the service'} reported it on ${utcTime(made)}. It is not in the journal of the machine that exported it.</p>
${verdict && verdictSection(verdict)}
<h2>Only the word of the service</h2>
${listOf(statedOnly.map((name) => [name, (action as Record<string, unknown>)[name]]))}
<h2>Transactions</h2>
<p class="soft">Their chains can confirm these.</p>
${tableOf(
  ['transaction', 'network', 'contract', 'nonce', 'block', 'status'],
  action.transactions.map(({ hash, network, chainId, to, nonce, blockNumber, status }) => [
    html`<code>${hash ?? '-'}</code>`,
    network ?? (chainId ? `chain ${chainId}` : null),
    html`<code>${to ?? '-'}</code>`,
    nonce,
    blockNumber,
    status,
  ]),
)}
<h2>Verification</h2>
<p>To check that the chains confirm its transactions, run:</p>
<p><code>sluice action verify FILE</code></p>
<p class="soft">sha256 <code>${sha256}</code></p>`
  return documentPage(`Action ${action.id}`, body, evidence)
}

/** Its own style and nothing else: no script, no picture, no font, no form, no other base for its links. */
const policy = () =>
  `default-src 'none'; style-src 'sha256-${createHash('sha256').update(evidenceStyle).digest('base64')}'; base-uri 'none'; form-action 'none'`

const verdictSection = (told: PrintedVerdict): Html => {
  const { situation, verdict, funds, safeToRetry, next } = told
  return html`<section class="box"><h3>${situation}</h3><p>${verdict}</p>${listOf([
    ['funds', funds],
    ['retry', html`<span class="${safeToRetry ? 'good' : 'wait'}">${retryText(told)}</span>`],
    ['next', next && html`<code>${next}</code>`],
  ])}</section>`
}

const amountText = (amount: Report['amounts']['in']) =>
  amount && `${decimal(amount.formatted)} ${amount.symbol}`

const summary = ({ operation }: Evidence, report: Report): Html =>
  listOf([
    ['type', report.type],
    ['strategy', report.strategySlug],
    ['amount in', amountText(report.amounts.in)],
    ['amount out', amountText(report.amounts.out)],
    ['minimum amount out', amountText(report.amounts.outAtLeast ?? null)],
    ['arrived', amountText(report.arrivedShort?.brought ?? null)],
    ['minimum agreed', amountText(report.arrivedShort?.minimum ?? null)],
    ['wallet', html`<code>${report.originAddress}</code>`],
    ['receiver', html`<code>${report.receiverAddress}</code>`],
    ['arrived in', report.destinationTxHash && html`<code>${report.destinationTxHash}</code>`],
    ['started', utcTime(report.createdAt)],
    ['updated', utcTime(report.updatedAt)],
    ['finished', report.finishedAt && utcTime(report.finishedAt)],
    ['exit code', operation.exit === null ? null : html`${operation.exit}`],
    ['finality', report.finality],
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
      ...[was, becomes].map((state) => statusWord(state, typeof index === 'number' ? 'step' : 'action')),
      why,
    ]),
  )
