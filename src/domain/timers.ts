/** The longest that a timer can be set to, in ms: one that is set to more ends at once. */
export const mostTimerMs = 2 ** 31 - 1
