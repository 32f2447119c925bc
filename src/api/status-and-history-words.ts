/** The statuses of a swap or a quote in the specification. */
export const swapStatuses = [
  'pending',
  'confirmed',
  'processing',
  'fulfilled',
  'expired',
  'failed',
  'refunded',
] as const

/** The kinds of position events; the specification leaves them open. */
export const historyTypes = ['deposit', 'withdraw', 'transfer_in', 'transfer_out', 'claim'] as const

/** The statuses of a history event, and of a transaction of an action. */
export const historyStatuses = ['pending', 'confirmed', 'failed'] as const

/** A known word in our casing; an unknown word unchanged. */
export const knownCasing = (known: readonly string[], word: string): string =>
  known.find((one) => one.toLowerCase() === word.toLowerCase()) ?? word
