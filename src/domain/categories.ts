/** The four kinds of strategy of the specification. */
export const categories = ['lending', 'staking', 'fixed-yield', 'other'] as const
export type Category = (typeof categories)[number]
