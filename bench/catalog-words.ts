import type { Surveyed } from './catalog-make.ts'

/**
 * The withdrawal risks of a market, by the protocol in the survey: its `danger` and its facts about
 * the protocol, in plain text. Protocols without such facts have no text.
 */
const risks: Readonly<Record<string, string>> = {
  'aave-v3':
    'What is lent is collateral for what its owner borrows there: with debts, a withdrawal may be refused.',
  'compound-v3': 'Who owes some of the asset there pays that back first when lending.',
  'compound-v2': 'What is collateral for a debt there cannot be withdrawn.',
  'compound-v2-native': 'What is collateral for a debt there cannot be withdrawn.',
  'erc4626-morpho':
    'A withdrawal takes no more than what is idle and what the markets behind the vault have at hand.',
  'erc4626-fluid': 'Withdrawals are limited; the limit grows again with time.',
  'erc4626-euler':
    'Shares that are collateral for a debt there can be withdrawn only as far as the debt allows.',
  'erc4626-yearn-v3':
    'What a strategy behind the vault has lost and not yet reported is borne by who withdraws.',
  'spark-psm3':
    'A withdrawal takes no more than the exchange contract has; its rate may be behind that of Ethereum.',
  'ethena-susde': 'A withdrawal waits for a cooldown, and another request begins it anew for all that waits.',
  'lido-steth': 'A withdrawal waits in a queue, for days.',
  'lido-wsteth': 'A withdrawal waits in a queue, for days.',
  'rocketpool-reth': 'A withdrawal takes no more than the ETH that the protocol has at hand.',
  'frax-ether': 'A withdrawal is a ticket that is paid when it has matured.',
  etherfi: 'A withdrawal is a request that is paid when the protocol has made it final.',
  'stader-ethx': 'A withdrawal is a request that is paid later.',
  'lista-slisbnb': 'A withdrawal takes about a week.',
  'benqi-savax':
    'What was asked back must be taken in the days after its cooldown; after them redeemOverdueShares() of the token gives the shares back, to be asked for again.',
  'pendle-pt':
    'The yield is fixed only until maturity and only for who waits for it; before, the price moves.',
}

/** Notes of the survey about single markets that are a risk, and our text for them. */
const notes: readonly (readonly [note: RegExp, risk: string])[] = [
  [/^higher-risk cluster$/, 'It belongs to a cluster of higher risk.'],
  [/wind-down announced/, 'Its protocol has said that it is wound down; markets may be frozen.'],
]

/** The texts of a market, limited to facts with a source in the survey. */
export function wordsOf({ implementationSelector: family, params, note }: Surveyed) {
  const { curator, productName } = params
  const description =
    params.description || (family === 'erc4626-euler' && productName && `A vault of ${productName} on Euler.`)
  const risk = [risks[family], ...notes.map(([noted, said]) => (noted.test(note ?? '') ? said : undefined))]
    .filter((one) => one !== undefined)
    .join(' ')
  return { ...(description ? { description } : {}), ...(curator ? { curator } : {}), ...(risk && { risk }) }
}
