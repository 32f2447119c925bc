import type { Exit } from './exits.ts'

/** What one error code means: its HTTP status where a service raises it, the exit code, whether trying again can help, and the next step. */
export type ErrorRow = { status?: number; exit: Exit; retryable?: true; hint?: string }
