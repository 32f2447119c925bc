import type { MarketConstants } from './market-constants.ts'

const lends = (symbol: string): string =>
  `Lends ${symbol} to borrowers of the market against collateral. The rate follows how much of it is borrowed.`
const stakes = (symbol: string): string =>
  `Stakes ${symbol} and holds a receipt for it, which is worth more as the validators earn. A withdrawal may have to wait.`
const vault = (symbol: string): string =>
  `A vault that takes ${symbol} and gives shares. A share is worth more as the vault earns.`

/** What the markets of a family do with an asset, in a sentence or two. */
const descriptions: Readonly<Record<MarketConstants['family'], (symbol: string) => string>> = {
  'aave-v3': lends,
  'compound-v2': lends,
  'compound-v3': lends,
  erc4626: vault,
  'gnosis-sdai': vault,
  morpho: (symbol) =>
    `A vault that lends ${symbol} in the markets of Morpho that its curator chooses. A share is worth more as borrowers pay.`,
  'yearn-v3': (symbol) =>
    `A vault that puts ${symbol} into the strategies that its managers choose. A share is worth more as these earn.`,
  across: (symbol) => `Lends ${symbol} to the relayers of the Across bridge, who pay for it by the transfer.`,
  'spark-psm3': (symbol) =>
    `Changes ${symbol} into a savings token at the rate of the savings, and back into ${symbol}.`,
  'pendle-pt': (symbol) =>
    `Buys a principal token with ${symbol} below what it pays at maturity. The difference is the yield.`,
  ethena: (symbol) => `Stakes ${symbol} and holds a share of it. A withdrawal has to wait.`,
  lido: stakes,
  stakewise: stakes,
  lista: stakes,
  'rocket-pool': stakes,
  'frax-ether': stakes,
  'ether-fi': stakes,
  stader: stakes,
  'benqi-staking': stakes,
}

/** The texts of a market, with what is true of its whole family where nobody says it of the market itself. */
export function withFamilyWords(
  metadata: Record<string, unknown> | null,
  family: MarketConstants['family'],
  symbol: string,
): Record<string, unknown> {
  const said = (metadata?.en ?? {}) as Record<string, unknown>
  const known = {
    volatility: `Counted in ${symbol}: its value in USD follows the price of ${symbol}.`,
    description: descriptions[family](symbol),
  }
  return { ...metadata, en: { ...known, ...said } }
}
