import type { ServiceRefusals } from '../service-answers/service-refusals.ts'

/** Avenia's refusals: it publishes no codes, so its own sentence is shown. */
export const refusals: ServiceRefusals = { codeField: 'code', sentenceField: 'error', codes: {} }
