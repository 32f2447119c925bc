import { nativeAddress, sameAddress } from '../../domain/address.ts'
import { writtenAmount } from '../../domain/amount.ts'
import { percentText } from '../../domain/price-impact-share.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { type AssuranceLevel, levelMeaning } from '../../guard/assurance.ts'
import { amountShown, decimal, dollars, formatUnits, utcTime } from '../terminal/format.ts'
import type { Stream } from '../terminal/io-types.ts'
import { wrapLabelled } from '../terminal/text-wrap.ts'
import { addressName, callView, type Plan } from './call-view.ts'

type PriceRow = readonly [label: string, text: string]

/** The price rows of a plan: price impact and slippage, with their sources. */
const priceRows = (plan: Plan, to: Stream): PriceRow[] => [...impactRows(plan, to), ...slippageRows(plan, to)]

/** The price impact of each exchange, and its source. */
const impactRows = ({ priceImpacts }: Plan, { paint }: Stream): PriceRow[] =>
  priceImpacts.map(({ share, by }) => [
    'price',
    share === null || by === null
      ? paint.red(
          'unknown: only the service has a price, so its offer cannot be checked; without a terminal this needs --max-price-impact 100%',
        )
      : `${percentText(share)} below spot (source: ${spotWords[by]})`,
  ])

const spotWords = {
  pool: 'its pools',
  oracle: 'on-chain oracle',
  usd: 'USD prices',
  'same-asset': 'the same asset, one for one',
} as const

/** The maximum slippage, and whose price it is measured by. */
const slippageRows = ({ slippages }: Plan, { paint }: Stream): PriceRow[] =>
  slippages.map(({ share, by }) => {
    const text = share === null ? 'not known' : `${percentText(share)} at most`
    return [
      'slippage',
      by === 'service'
        ? paint.red(`${text}, according to the service; the local engine has no price for this`)
        : `${text}, by the price of the local engine`,
    ]
  })

type Row = readonly [label: string, ...values: string[]]

/**
 * The plan before it is signed, from the output of `--dry-run --json`: signer, networks, decoded calls,
 * balance changes, costs, and what was checked.
 */
export function planView(plan: Plan, title: string, to: Stream): string {
  const { wallet, signer, steps, planHash, assurance, simulation, reference, policy, expiresAt, nonce } = plan
  const places = [...new Map(steps.map(({ network, chainId }) => [chainId, network]))]
  const heads: Row[] = [
    ['wallet', `${wallet} ${signerWord(signer)}`],
    ['on', ...places.map(([chainId, network]) => `${sanitizeText(network)} (chain ${chainId})`)],
    ...(nonce === null ? [] : [['nonce', `${nonce} (pinned)`] as const]),
  ]
  const rows: Row[] = [
    ...changeRows(plan),
    ...arrivalRows(plan),
    ...priceRows(plan, to),
    ...allowanceRows(plan),
    ...standingRows(plan),
    ...costRows(plan),
    ...firstUses(plan),
    ...behindRows(plan),
    ...(expiresAt ? [['expires', utcTime(sanitizeText(expiresAt))] as const] : []),
    ...(reference === 'unknown' ? [] : [['local rebuild', referenceWord(reference, to)] as const]),
    ...(policy === null ? [] : [['policy', policy] as const]),
    ...proofLines(plan.proof),
    ['assurance', assuranceWord(assurance, simulation?.how, to)],
    ['plan', planHash, ...(deviceWord[signer.kind] ?? [])],
  ]
  const column = Math.max(...[...heads, ...rows].map(([label]) => label.length)) + 2
  const line = (row: Row) => wrapLabelled(row, { column }, to)
  return [
    to.paint.bold(sanitizeText(title)),
    '',
    ...heads.map(line),
    '',
    ...steps.map((_, at) => callView(plan, at, to)),
    '',
    ...rows.map(line),
  ].join('\n')
}

/** The question before a signature: the title, the number of transactions, the networks and the wallet. */
export function planQuestion({ wallet, steps }: Plan, title: string): string {
  const places = [...new Set(steps.map(({ network }) => sanitizeText(network)))]
  const what = steps.length === 1 ? 'a transaction' : `${steps.length} transactions`
  return `${sanitizeText(title)}: sign ${what} on ${places.join(' and ')} with ${wallet.slice(0, 6)}...${wallet.slice(-4)}?`
}

/** The kinds of signer in words; an unknown kind is printed as it is. */
const kinds: Readonly<Record<string, string>> = {
  keystore: 'keystore',
  'key-file': 'key from a file',
  environment: 'key from the environment',
  sandbox: 'sandbox account',
  address: 'key not available here',
  ledger: 'Ledger',
  external: 'remote signer',
}

/** An external device shows each transaction, not the plan. */
const deviceWord: Readonly<Record<string, readonly string[]>> = {
  ledger: [
    'the Ledger shows the hash of each transaction; compare it with the one printed here while signing',
  ],
  external: ['the signer may show the hashes of the single transactions instead'],
}

const signerWord = ({ kind, name }: Plan['signer']): string =>
  `(${name === null ? '' : `${sanitizeText(name)}, `}${kinds[kind] ?? sanitizeText(kind)})`

function changeRows({ simulation }: Plan): Row[] {
  const changes = simulation?.changes.filter(({ raw }) => raw !== '0') ?? []
  const text = ({ formatted, symbol, network, token, usd }: (typeof changes)[number]) =>
    `${formatted.startsWith('-') ? '' : '+'}${amountShown({ formatted, symbol })} on ${sanitizeText(network)}${worth(usd)}${sameAddress(token, nativeAddress) ? ', gas included' : ''}`
  return changes.length === 0 ? [] : [['balances', ...changes.map(text)]]
}

/** That the newest block of all endpoints was not that of each. */
const behindRows = ({ simulation }: Plan): Row[] =>
  simulation?.behind
    ? [
        [
          'simulated',
          `on block ${simulation.blockNumber}, the newest that all endpoints have: ${sanitizeText(simulation.behind.host)} is ${simulation.behind.blocks} behind`,
        ],
      ]
    : []

/** The deliveries on other networks, which no simulation of this chain shows. */
function arrivalRows({ wallet, arrivals, proof }: Plan): Row[] {
  const isProved = !proof.some(({ term, by }) => term === 'minimum' && by === 'none')
  const text = ({ least, network, to }: (typeof arrivals)[number]) =>
    `${isProved ? 'at least ' : ''}${amountShown(least)} on ${sanitizeText(network)}${worth(least.usd)} for ${sameAddress(to, wallet) ? 'this wallet' : `${to}, which is not this wallet`}`
  return arrivals.length === 0 ? [] : [[isProved ? 'arrives' : 'promised', ...arrivals.map(text)]]
}

/** An amount in USD, to the cent, if known. */
const worth = (usd: string | null): string =>
  usd === null ? '' : ` (${usd === '0' ? 'less than $0.01' : dollars(usd)})`

/** The allowances after the plan, according to the simulation. */
function allowanceRows(plan: Plan): Row[] {
  const { allowances } = plan.simulation ?? { allowances: [] }
  const text = ({ token, symbol, decimals, spender, after }: (typeof allowances)[number]) => {
    const unit = sanitizeText(symbol ?? token)
    const formatted = decimals === null ? `${after} units` : formatUnits(after, decimals)
    const left = decimal(writtenAmount({ raw: after, formatted }))
    const name = addressName(plan, spender)
    return `${spender}${name === undefined ? '' : ` ${sanitizeText(name)}`}: ${left} ${unit} remaining`
  }
  return allowances.length === 0 ? [] : [['allowances', ...allowances.map(text)]]
}

/** The existing allowances that the plan uses, and how to revoke them. */
const standingRows = ({ standing }: Plan): Row[] =>
  standing.map(({ spender, name, amount, revoke }) => [
    'standing',
    `existing allowance for ${spender}${name === null ? '' : ` ${sanitizeText(name)}`}: ${decimal(writtenAmount(amount))} ${sanitizeText(amount.symbol)}, more than this plan needs`,
    `to revoke it: ${revoke}`,
  ])

function costRows({ serviceFees, fees, laterFees }: Plan): Row[] {
  const rows: Row[] = serviceFees.map(({ amount, of, to, paidBy }) => [
    'service fee',
    `${decimal(amount.formatted)} ${sanitizeText(amount.symbol)}${worth(amount.usd)} of ${decimal(of.formatted)} to ${to}${paidBy === 'action' ? ', paid by the swap itself' : ''}`,
  ])
  const later = laterFees.map(laterText)
  if (!fees) return later.length === 0 ? rows : [...rows, ['gas', ...later]]
  const { maxCost, gas, feeCap, dataFee } = fees
  const most = `at most ${maxCost.formatted} ${sanitizeText(maxCost.symbol)}${worth(maxCost.usd)}`
  return [
    ...rows,
    [
      'gas',
      `${most}: ${decimal(gas)} units at up to ${decimal(formatUnits(feeCap, 9))} gwei`,
      ...(dataFee === undefined ? [] : [dataText(dataFee)]),
      ...later,
    ],
  ]
}

/** The L1 data fee of a rollup, which the gas limit does not cap. */
const dataText = (fee: NonNullable<Plan['fees']>['dataFee']): string =>
  fee
    ? `plus an L1 data fee of about ${fee.formatted} ${sanitizeText(fee.symbol)}${worth(fee.usd)} at current prices`
    : 'plus the L1 data fee, which the node does not report'

/** The cost of a later leg on its own network, and whether the wallet has it. */
function laterText({ network, symbol, gas, gasPrice, cost, held }: Plan['laterFees'][number]): string {
  const has = held === null ? '' : `; the wallet has ${held.formatted} ${sanitizeText(symbol)} there`
  if (cost === null || gasPrice === null)
    return `later gas on ${sanitizeText(network)} is not included; its cost is unknown${has}`
  return `later on ${sanitizeText(network)}, about ${cost.formatted} ${sanitizeText(symbol)}${worth(cost.usd)}: ${gas === null ? '' : `${decimal(gas)} units `}at ${decimal(formatUnits(gasPrice, 9))} gwei${has}`
}

function firstUses({ contracts }: Plan): Row[] {
  const first = contracts.filter(({ firstUse }) => firstUse)
  const text = ({ address, name }: (typeof first)[number]) =>
    `${address}${name === null ? '' : ` ${sanitizeText(name)}`}`
  return first.length === 0 ? [] : [['first use', ...first.map(text)]]
}

/** By what the terms of a swap are proved, and what nothing proves. */
function proofLines(proof: readonly { term: string; by: string }[]): (readonly [string, string])[] {
  const by = (how: string) => proof.flatMap((one) => (one.by === how ? [one.term] : [])).join(', ')
  return (
    [
      ['in the calldata', by('calldata')],
      ['simulated', by('simulation')],
      ['not provable', by('none')],
    ] as const
  ).filter(([, terms]) => terms !== '')
}

const referenceWord = (reference: 'equal' | 'different', { paint }: Stream): string =>
  reference === 'equal' ? paint.green('identical') : paint.red('different transactions for this request')

function assuranceWord(level: AssuranceLevel, how: string | undefined, { paint }: Stream): string {
  const text = `${level}: ${levelMeaning[level]}${how === 'unavailable' ? '; nothing was simulated' : ''}`
  return level === 'L0' || level === 'L1' || how === 'unavailable' ? paint.red(text) : text
}
