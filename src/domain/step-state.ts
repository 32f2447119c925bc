/** The state of a step in the journal. */
type StateOf = { state: string }

/** Whether no signature exists for a step yet. */
export const isUnsigned = ({ state }: StateOf): boolean => state === 'PLANNED' || state === 'RESERVED'

/** Whether a step is signed and not final in the journal. */
export const isInFlight = ({ state }: StateOf): boolean =>
  state === 'SIGNED' || state === 'BROADCAST' || state === 'INCLUDED'
