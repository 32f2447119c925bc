/** The words that this version knows for the status of an action, upper case (the last three are final). */
export const actionStatuses = ['INITIAL', 'PENDING', 'SUCCESS', 'FAILED', 'REFUNDED'] as const

/** The words of the specification for the status of a swap or a quote. */
export const swapStatuses = [
  'pending',
  'confirmed',
  'processing',
  'fulfilled',
  'expired',
  'failed',
  'refunded',
] as const

/** What can have happened to a position. The specification leaves these words open. */
export const historyTypes = ['deposit', 'withdraw', 'transfer_in', 'transfer_out', 'claim'] as const

/** How far an event of the history, or one transaction of an action, has come. */
export const historyStatuses = ['pending', 'confirmed', 'failed'] as const

/** A word in the casing that is ours, where it is known; as it came otherwise. */
export const ourWord = (known: readonly string[], word: string): string =>
  known.find((one) => one.toLowerCase() === word.toLowerCase()) ?? word
