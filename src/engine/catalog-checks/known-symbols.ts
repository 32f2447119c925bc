import { otherSymbols, plainSymbol } from '../../domain/text/token-symbols.ts'
import type { Token } from '../../domain/token.ts'

/** Whether a word is a token's symbol, or another known symbol of it. */
export const isSymbol = (said: string, token: Pick<Token, 'chainId' | 'address' | 'symbol'>): boolean =>
  [token.symbol, ...otherSymbols(token)].some((one) => plainSymbol(one) === plainSymbol(said))
