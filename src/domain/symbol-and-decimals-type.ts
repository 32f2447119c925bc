/** The unit of an amount: its symbol and number of decimals. */
export type Unit = { symbol: string; decimals: number }
