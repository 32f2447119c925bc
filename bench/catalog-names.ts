/** Protocols whose name in IDs differs from the survey: it needs a version, or two of its markets take the same asset. */
const known: Record<string, { protocol: string; name: string }> = {
  Aave: { protocol: 'aave-v3', name: 'Aave v3' },
  AavePrime: { protocol: 'aave-v3-prime', name: 'Aave v3 Prime' },
  AaveEtherFi: { protocol: 'aave-v3-etherfi', name: 'Aave v3 EtherFi' },
  Spark: { protocol: 'spark', name: 'SparkLend' },
  Compound: { protocol: 'compound-v3', name: 'Compound v3' },
  Yearn: { protocol: 'yearn-v3', name: 'Yearn v3' },
  Yearn2: { protocol: 'yearn-v3-2', name: 'Yearn v3 (second)' },
}

/** The protocol of a market of the survey, in IDs and in text. */
export function protocolOf(market: { protocol: string; assetName: string; contracts: object }): {
  protocol: string
  name: string
} {
  // Two kinds of savings vaults take the same asset: those that wrap sUSDS have its address.
  const wraps = 'susds' in market.contracts || 'ssrOracle' in market.contracts
  if (market.protocol === 'SparkSavings' && wraps) return { protocol: 'spark-susdc', name: 'Spark sUSDC' }
  // One protocol with two receipt tokens.
  if (market.protocol === 'Lido' && market.assetName === 'wstETH')
    return { protocol: 'lido-wsteth', name: 'Lido wstETH' }
  // Each maturity is a separate market; its date is the end of the token name.
  const [, day] =
    market.protocol === 'Pendle' ? (/-([0-9]{1,2}[A-Z]{3}[0-9]{4})$/.exec(market.assetName) ?? []) : []
  if (day) return { protocol: `pendle-pt-${day.toLowerCase()}`, name: `Pendle PT ${day}` }
  const found = known[market.protocol]
  if (found) return found
  const name = market.protocol
    .replace(/n([0-9]+)$/, ' $1')
    .replace(/^Morpho|V2/g, (word) => ` ${word} `)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .replace(/\s+/g, ' ')
    .trim()
  return { protocol: name.toLowerCase().replaceAll(' ', '-'), name }
}
