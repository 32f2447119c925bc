import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { amountShown } from '../terminal/format.ts'
import type { quoteJson } from './json-documents.ts'

/** The maximum number of other offers that are shown. */
const mostShown = 3

/** What the other providers of a quote would bring or take, before and after gas; the best first, one line each. */
export const otherOffers = ({
  tokenIn,
  tokenOut,
  alternatives,
}: Pick<ReturnType<typeof quoteJson>, 'tokenIn' | 'tokenOut' | 'alternatives'>): string[] =>
  (alternatives ?? [])
    .filter(({ transferSpeed }) => transferSpeed === null)
    .slice(0, mostShown)
    .map(({ provider, amountIn, amountOut, netAmountIn, netAmountOut }) => {
      const isExactOut = amountOut.raw === tokenOut.amount.raw && amountIn.raw !== tokenIn.amount.raw
      const [word, gross, net] = isExactOut
        ? ['takes', amountIn, netAmountIn]
        : ['brings', amountOut, netAmountOut]
      const left = net === null ? '' : `, ${amountShown(net)} ${isExactOut ? 'with gas' : 'after gas'}`
      return `${sanitizeText(provider)} ${word} ${amountShown(gross)}${left}`
    })
