import type { Surveyed } from './catalog-make.ts'

/**
 * What who lends or stakes there must know of getting out, by the family that the survey gives a market: its `danger` and its facts of
 * the protocol, in words for people. Where it has none, nothing is said.
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

/** What the survey notes of single markets that is a risk, as it calls it and as we do. */
const notes: readonly (readonly [note: RegExp, risk: string])[] = [
  [/^higher-risk cluster$/, 'It belongs to a cluster of higher risk.'],
  [/wind-down announced/, 'Its protocol has said that it is wound down; markets may be frozen.'],
]

/** What is said of a market in words: only what the survey has a source for. */
export function wordsOf({ implementationSelector: family, params, note }: Surveyed) {
  const { curator, productName } = params
  const description =
    params.description || (family === 'erc4626-euler' && productName && `A vault of ${productName} on Euler.`)
  const risk = [risks[family], ...notes.map(([noted, said]) => (noted.test(note ?? '') ? said : undefined))]
    .filter((one) => one !== undefined)
    .join(' ')
  return { ...(description ? { description } : {}), ...(curator ? { curator } : {}), ...(risk && { risk }) }
}
