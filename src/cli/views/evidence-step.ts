import type { StepCall } from '../../wallet/record/evidence-calls.ts'
import type { Report } from '../../wallet/record/report.ts'
import { formatUnits, when } from '../terminal/format.ts'
import { type Html, html } from '../terminal/html.ts'

/** A step of an operation as its evidence holds it, after JSON. */
export type EvidenceStep = {
  index: number
  text: string
  role: string
  state: string
  transaction: { to: string; data: string; value: string; chainId: number }
  inclusion: { blockHash: string; gasUsed: string; gasPrice: string } | null
}

/** An attempt as its evidence holds it: what was signed, without the bytes that could be sent. */
export type EvidenceAttempt = {
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
  FINAL_OK: 'good',
  SUCCESS: 'good',
  DONE: 'good',
  FINAL_REVERTED: 'bad',
  FAILED: 'bad',
  ATTENTION: 'bad',
  SUPERSEDED: 'bad',
  CANCELLED: 'bad',
}

/** A word of state in its colour, which says nothing that the word does not say. */
export const badge = (word: string): Html => html`<span class="state ${tones[word] ?? 'wait'}">${word}</span>`

/** Rows of names and values; those without a value are left out. */
export const listOf = (rows: readonly (readonly [name: string, value: unknown])[]): Html =>
  html`<dl>${rows
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`

/** A table that is as wide as it needs, inside of what scrolls. */
export const tableOf = (heads: readonly string[], rows: readonly (readonly unknown[])[]): Html =>
  html`<div class="wide"><table><thead><tr>${heads.map((head) => html`<th>${head}</th>`)}</tr></thead><tbody>${rows.map(
    (row) => html`<tr>${row.map((cell) => html`<td>${cell ?? '-'}</td>`)}</tr>`,
  )}</tbody></table></div>`

/** A time of the journal, in epoch milliseconds. */
export const moment = (at: number): Html => html`<time>${when(new Date(at).toISOString())}</time>`

/** One step: what it was for, what its bytes call, and its receipt. Words that nobody can hold against its bytes are no heading. */
export function stepSection(
  step: EvidenceStep,
  call: StepCall | undefined,
  shown: Report['transactions'][number] | undefined,
  attempts: readonly EvidenceAttempt[],
): Html {
  const { to, value, data, chainId } = step.transaction
  const gas = step.inclusion && `${BigInt(step.inclusion.gasUsed) * BigInt(step.inclusion.gasPrice)}`
  return html`<section class="box"><h3>${step.index + 1}. ${call?.call ? step.text : step.role} ${badge(step.state)}</h3>
${listOf([
  ['said to be', call?.call ? null : step.text],
  ['network', shown ? `${shown.network} (chain ${chainId})` : `chain ${chainId}`],
  ['contract', html`<code>${to}</code> ${call?.contract}`],
  ['call', call?.call ? html`<code>${call.call.name}</code>` : 'not a call that this program knows'],
  ...Object.entries(call?.call?.args ?? {}).map(
    ([name, argument]) => [name, html`<code>${argument}</code>`] as const,
  ),
  ['carries', value === '0' ? null : `${formatUnits(value, 18)} of the coin of its network`],
  ['nonce', shown?.nonce],
  ['transaction', shown?.hash ? hashOf(shown.hash, shown.explorerUrl) : 'not signed'],
  ['block', shown?.blockNumber],
  ['block hash', step.inclusion && html`<code>${step.inclusion.blockHash}</code>`],
  ['gas used', shown?.gasUsed],
  ['gas cost', gas && `${formatUnits(gas, 18)} of the coin of its network`],
  ['error', shown?.error],
])}
${
  attempts.length === 0
    ? null
    : tableOf(
        ['signed', 'as', 'hash', 'gas limit', 'gwei a unit, at most', 'times sent', 'the node said'],
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
