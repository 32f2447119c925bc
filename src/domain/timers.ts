/** The longest that a timer can be set to, in ms: one that is set to more ends at once. */
export const mostTimerMs = 2 ** 31 - 1

/**
 * How long a recorded higher block counts against a node, in ms. One wrong answer may have named it; a node that is behind for
 * longer is detected by the age of its newest block.
 */
export const headRetentionMs = 10 * 60_000
