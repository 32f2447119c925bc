/** The state of a step in the journal. */
type StateOf = { state: string }

/** Whether a step has no signature yet. */
export const isUnsigned = ({ state }: StateOf): boolean => state === 'PLANNED' || state === 'RESERVED'

/** Whether a step is signed but not final in the journal. */
export const isInFlight = ({ state }: StateOf): boolean =>
  state === 'SIGNED' || state === 'BROADCAST' || state === 'INCLUDED'
