/** What an amount needs to be read and written: how many decimals, and the unit's name. */
export type Unit = { symbol: string; decimals: number }
