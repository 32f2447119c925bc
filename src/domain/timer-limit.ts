/** The longest delay of a timer, in ms; a longer one fires at once. */
export const maxTimerMs = 2 ** 31 - 1
