import type { Surveyed } from './catalog-make.ts'

/**
 * The withdrawal risks of a market, by the protocol in the survey: its `danger` and its facts about
 * the protocol, in plain text. Protocols without such facts have no text.
 */
const risks: Readonly<Record<string, string>> = {
  'aave-v3':
    'The deposit is collateral for debts of the wallet in this protocol: with a debt, a withdrawal may be refused.',
  'compound-v3': 'If the wallet owes this asset in the market, a deposit repays that debt first.',
  'compound-v2': 'A deposit that is collateral for a debt in this protocol cannot be withdrawn.',
  'compound-v2-native': 'A deposit that is collateral for a debt in this protocol cannot be withdrawn.',
  'erc4626-morpho':
    'A withdrawal is limited to the idle funds of the vault and the liquidity of its markets.',
  'erc4626-fluid': 'Withdrawals are limited; the limit recovers over time.',
  'erc4626-euler': 'Shares that are collateral for a debt can be withdrawn only as far as the debt allows.',
  'erc4626-yearn-v3':
    'A withdrawal bears its part of losses that a strategy of the vault has not reported yet.',
  'spark-psm3':
    'A withdrawal is limited to the funds of the exchange contract, whose rate may lag behind that of Ethereum.',
  'ethena-susde':
    'A withdrawal is paid after a cooldown; another request restarts the cooldown for all requested amounts.',
  'lido-steth': 'A withdrawal is queued for days.',
  'lido-wsteth': 'A withdrawal is queued for days.',
  'rocketpool-reth': 'A withdrawal is limited to the ETH that the protocol holds in reserve.',
  'frax-ether': 'A withdrawal yields a ticket, which is paid once it has matured.',
  etherfi: 'A withdrawal is a request, which is paid once the protocol has finalized it.',
  'stader-ethx': 'A withdrawal is a request, which is paid later.',
  'lista-slisbnb': 'A withdrawal takes about a week.',
  'benqi-savax':
    'A requested withdrawal must be claimed within days after its cooldown; afterwards redeemOverdueShares() of the token returns the shares, and the withdrawal must be requested again.',
  'pendle-pt': 'The yield is fixed only if the deposit is held until maturity; before that, its price moves.',
}

/** Notes of the survey about single markets that are a risk, and our text for them. */
const notes: readonly (readonly [note: RegExp, risk: string])[] = [
  [/^higher-risk cluster$/, 'The vault belongs to a cluster with higher risk.'],
  [
    /wind-down announced/,
    'The protocol has announced that it will be wound down; its markets may be frozen.',
  ],
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
