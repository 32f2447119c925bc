import { formatUnits } from 'viem/utils'
import type { Cli } from '../../cli/command-run-types.ts'
import { amountCsv } from '../../cli/output/field-names.ts'
import type { ListView } from '../../cli/output/view-types.ts'
import { decimal, dollars } from '../../cli/terminal/format.ts'
import { walletAddress } from '../../cli/wallet-address.ts'
import { tokensOn, walletBalances } from '../../diagnosis/wallet-balances.ts'
import type { Address } from '../../domain/address.ts'
import { type TokenAmount, tokenAmount } from '../../domain/amount.ts'
import type { OptionsOf } from '../../domain/command-line/flags.ts'
import { networkNamed } from '../../domain/networks.ts'
import { sluice } from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { usdUnits } from '../../planning/usd-value.ts'

/** One balance: the token by its address (the zero address is the coin), and its value in USD to the cent; `null` without a price. */
type Row = { network: string; chainId: number; token: Address; amount: TokenAmount; usd: string | null }

/** `wallet balances`: the coin and the tokens that a wallet holds on all networks, with their value. */
export async function balances(
  cli: Cli,
  name: string | undefined,
  { network: only }: OptionsOf<'wallet balances'>,
): Promise<void> {
  const wallet = await walletAddress(
    cli,
    name,
    only === undefined
      ? sluice('wallet balances', 'ADDR')
      : sluice('wallet balances', 'ADDR', { '--network': only }),
  )
  const context = await cli.backend.context()
  const { networks } = context.catalog
  const { read, missing } = await walletBalances(
    context,
    only === undefined ? networks : [networkNamed(networks, only)],
    wallet,
    (network) => cli.backend.prices(network.chainId, tokensOn(context.catalog, network)),
  )
  let total = 0n
  let unpriced = 0
  const unread: { network: string; token: Address }[] = []
  const items = read.flatMap(({ network: { name: network, chainId }, balances: held, beside: prices }) =>
    held.flatMap(({ token, amount }): Row[] => {
      if (amount === null) unread.push({ network, token: token.address })
      if (!amount) return []
      const worth = usdUnits(amount, token, prices)
      if (worth === null) unpriced++
      else total += worth
      const value = worth === null ? null : cents(worth)
      return [{ network, chainId, token: token.address, amount: tokenAmount(amount, token), usd: value }]
    }),
  )
  const lacks = missing.map(({ name }) => name)
  const list = { page: 1, limit: Math.max(1, items.length), total: items.length, hasMore: false }
  const document = { items, ...list, totalUsd: cents(total), missing: lacks, unread }
  await cli.list(document, {
    columns,
    empty: `${wallet} holds no known tokens${lacks.length === 0 ? '.' : ' on the networks that answered.'}`,
    note: noteOf(cents(total), unpriced),
  })
  if (lacks.length > 0) cli.notice(`unknown on ${lacks.map(sanitizeText).join(', ')}: no answer`)
  if (unread.length > 0)
    cli.notice(
      `unknown: ${unread.map(({ network, token }) => `${token} on ${sanitizeText(network)}`).join(', ')}: the contract returns no balance`,
    )
}

/** USD with 12 decimals, to the cent, rounded down. */
const cents = (units: bigint): string => formatUnits(units / 10n ** 10n, 2)

const noteOf = (total: string, unpriced: number): string =>
  `total ${dollars(total)}${unpriced === 0 ? '' : `, without ${unpriced} ${unpriced === 1 ? 'token that has' : 'tokens that have'} no price`}`

const columns: ListView<Row>['columns'] = [
  {
    title: 'NETWORK',
    field: 'network',
    csv: { network: ({ network }) => network },
    text: ({ network }) => sanitizeText(network),
  },
  {
    title: 'TOKEN',
    field: 'token',
    csv: { token: ({ token }) => token },
    text: ({ amount }) => sanitizeText(amount.symbol),
  },
  {
    title: 'AMOUNT',
    field: 'amount',
    align: 'right',
    csv: amountCsv('amount', ({ amount }) => amount),
    text: ({ amount }, _, places) => decimal(amount.formatted, places),
  },
  {
    title: 'USD',
    field: 'usd',
    align: 'right',
    csv: { usd: ({ usd }) => usd },
    text: ({ usd }) => dollars(usd),
  },
]
