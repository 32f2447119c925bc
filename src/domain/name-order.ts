/** The order of two names by their letters, for a sort: the same in every language, and none of them is loaded. */
export const compareNames = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
