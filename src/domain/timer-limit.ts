/** The longest delay that a timer can have, in ms: one with a longer delay ends at once. */
export const maxTimerMs = 2 ** 31 - 1
