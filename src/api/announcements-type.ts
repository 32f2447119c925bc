/**
 * What a service announces of one action or quote. An announcement is only a reason to read again: it is never the state itself.
 */
export type Announcements = {
  /** Whether changes are announced now. If not, the caller polls. */
  areLive: () => boolean
  /** Waits for an announcement since the last wait, for a change of `areLive`, or for this time, in ms; never throws. */
  wait: (ms: number, signal: AbortSignal) => Promise<void>
  close: () => void
}
