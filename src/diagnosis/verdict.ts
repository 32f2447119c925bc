import type { Next } from '../domain/text/next-step.ts'
import type { TransactionJson } from './calls/call-json.ts'
import type { Facts } from './facts/operation-facts.ts'
import type { ClockName } from './instant.ts'
import type { Report } from './report-from-journal.ts'
import type { Situation } from './situations.ts'

/** A piece of evidence for a verdict, and its source. */
export type EvidenceLine = { source: 'journal' | 'chain' | 'service'; text: string }

/** A wait: what happened last, when, by which clock, how long ago by that clock, and how long it usually and at most takes, in seconds. */
export type Waiting = {
  what: 'signed' | 'sent' | 'mined' | 'burned' | 'deposited' | 'paid' | 'ordered'
  since: string
  clock: ClockName
  waitedSeconds: number
  usualSeconds: number | null
  mostSeconds: number | null
}

/**
 * The answer of `action explain`: what happened and where the funds are, in one or two sentences each. `safeToRetry`: the same may
 * be requested again, as another action, without any danger of paying twice. `next` is a command.
 */
export type Verdict = {
  id: string
  situation: Situation
  verdict: string
  funds: string
  safeToRetry: boolean
  next: Next | null
  /** What it waits for since when, and what is usual, in seconds; `null` if it waits for nothing. Missing for what is not of this machine. */
  waiting?: Waiting | null
  createdAt?: string
  finishedAt?: string | null
  transactions?: (Report['transactions'][number] & { gasFeeUsd?: string | null })[]
  evidence: EvidenceLine[]
  /** A transaction of another machine: its call, and what it moved. */
  transaction?: TransactionJson & { feeUsd: string | null }
}

/** A verdict as a document has it, with its next command as a line. */
export type PrintedVerdict = Omit<Verdict, 'next'> & { next: string | null }

export const verdictDocument = (verdict: Verdict, line: (next: Next) => string): PrintedVerdict => ({
  ...verdict,
  next: verdict.next && line(verdict.next),
})

/** One rule: when its situation applies, and the message for it. The first match counts. */
export type DiagnosisRule = {
  situation: Situation
  is: (facts: Facts) => boolean
  verdict: (facts: Facts) => string
  funds: (facts: Facts) => string
  safeToRetry: (facts: Facts) => boolean
  next: (facts: Facts) => Next | null
}

/** For situations in which a repeated request could pay twice. */
export const neverSafe = (): boolean => false
