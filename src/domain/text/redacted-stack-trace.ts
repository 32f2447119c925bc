import { sanitizeText } from './terminal-sanitizing.ts'

/**
 * Returns the stack of an error and its causes without possible secrets and terminal controls: URLs keep only the
 * host, long hex is cut.
 */
export function redactedTrace(error: unknown): string {
  const lines: string[] = []
  for (let at: unknown = error; at instanceof Error; at = at.cause) lines.push(at.stack ?? at.message)
  return lines
    .join('\ncaused by ')
    .split('\n')
    .map(sanitizeText)
    .join('\n')
    .replace(/(https?:\/\/)(?:[^@/\s]*@)?([^/\s)]+)[^\s)]*/g, '$1$2')
    .replace(/0x[0-9a-fA-F]{64}(?![0-9a-fA-F])/g, (hash) => `${hash.slice(0, 10)}…`)
}
