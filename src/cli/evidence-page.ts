import { plain } from '../domain/text.ts'
import type { Evidence } from '../wallet/evidence.ts'
import { toJson } from './to-json.ts'

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (value: unknown): string =>
  plain(String(value ?? '-')).replace(/[&<>"']/g, (character) => escapes[character]!)

const table = (heads: readonly string[], rows: readonly (readonly unknown[])[]): string =>
  `<table><tr>${heads.map((head) => `<th>${escaped(head)}</th>`).join('')}</tr>${rows
    .map((row) => `<tr>${row.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>`)
    .join('')}</table>`

type Step = {
  index: number
  text: string
  state: string
  nonce: number | null
  inclusion: { hash: string; blockNumber: number } | null
}

/** The evidence as one page that needs nothing else: no script runs, nothing is loaded. The evidence itself is inside. */
export function evidencePage(evidence: Evidence): string {
  const { operation, events, trail, made, sha256 } = evidence
  const steps = (operation.steps as Step[]).map(({ index, text, state, nonce, inclusion }) => [
    index + 1,
    text,
    state,
    nonce,
    inclusion?.blockNumber,
    inclusion?.hash,
  ])
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Action ${escaped(operation.id)}</title>
<style>body{font:14px system-ui;margin:2rem;max-width:75rem}table{border-collapse:collapse;margin:1rem 0}td,th{border:1px solid #ccc;padding:.3rem .6rem;text-align:left;font-family:monospace}</style></head><body>
<h1>Action ${escaped(operation.id)}</h1>
<p>${escaped(operation.kind)} by ${escaped(operation.wallet)}: ${escaped(operation.state)}. Made ${escaped(made)}. The trail of the journal is ${trail.whole ? 'whole' : `broken at line ${escaped(trail.brokenAt)}`}.</p>
${table(['step', 'what', 'state', 'nonce', 'block', 'transaction'], steps)}
${table(
  ['line', 'at', 'step', 'was', 'becomes', 'why'],
  events.map(({ seq, at, index, was, becomes, why }) => [
    seq,
    new Date(Number(at)).toISOString(),
    index,
    was,
    becomes,
    why,
  ]),
)}
<p>sha256 ${escaped(sha256)}</p>
<script type="application/json" id="evidence">${toJson(evidence, false).replaceAll('<', '\\u003c')}</script>
</body></html>
`
}
