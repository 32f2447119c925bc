import type { Cli } from '../../cli/command-run-types.ts'
import { amountCsv } from '../../cli/output/field-names.ts'
import type { Column } from '../../cli/output/view-types.ts'
import { decimal } from '../../cli/terminal/format.ts'
import { table } from '../../cli/terminal/table.ts'
import type { Address } from '../../domain/address.ts'
import { formatAmount, type TokenAmount, tokenAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/networks.ts'
import { nativeToken, type Token, tokenNamed } from '../../domain/token.ts'
import { gasPaid, netTransferred, rawChain } from './checks-without-engine.ts'
import type { Sent } from './steps.ts'

type Row = { network: string; before: TokenAmount; change: TokenAmount; after: TokenAmount }

/** Reads the balances of the wallet; `close` reads them again and accounts for every difference by the receipts in between. */
export async function balanceSheet(
  cli: Cli,
  me: Address,
): Promise<{ close: (sent: readonly Sent[]) => Promise<{ rows: Row[]; table: string }> }> {
  const { networks, tokens } = await cli.backend.catalog()
  const chain = rawChain(cli.backend)
  const watched = networks.flatMap((network) => [
    nativeToken(network),
    ...['USDC', 'WETH'].map((symbol) => tokenNamed(tokens, network, symbol)),
  ])
  const before = await Promise.all(watched.map((token) => chain.balance(token, me)))
  return {
    close: async (sent) => {
      const receipts = await Promise.all(
        sent.map(async ({ chainId, hash }) => ({ chainId, receipt: await chain.receipt(chainId, hash) })),
      )
      const rows: Row[] = []
      for (const [at, token] of watched.entries()) {
        const here = receipts.filter(({ chainId }) => chainId === token.chainId).map(({ receipt }) => receipt)
        const isCoin = /^0x0{40}$/.test(token.address)
        const change = here.reduce(
          (sum, receipt) =>
            sum + (isCoin ? -gasPaid(receipt, me) : netTransferred(receipt, token.address, me)),
          0n,
        )
        const after = await chain.balance(token, me)
        if (before[at]! + change !== after) throw unexplained(token, before[at]! + change, after)
        rows.push({
          network: networkNamed(networks, token.chainId).name,
          before: tokenAmount(before[at]!, token),
          change: tokenAmount(change, token),
          after: tokenAmount(after, token),
        })
      }
      return { rows, table: table(columns, rows, cli.io.out) }
    },
  }
}

const unexplained = (token: Token, expected: bigint, found: bigint) =>
  new AppError(
    'DEMO_FAILED',
    `Wrong balance: expected ${formatAmount(expected, token)}, found ${formatAmount(found, token)}`,
  )

const columns: readonly Column<Row>[] = [
  {
    title: 'NETWORK',
    field: 'network',
    csv: { network: ({ network }) => network },
    text: ({ network }) => network,
  },
  {
    title: 'TOKEN',
    field: 'token',
    csv: { token: ({ before }) => before.symbol },
    text: ({ before }) => before.symbol,
  },
  {
    title: 'BEFORE',
    field: 'before',
    csv: amountCsv('before', (row) => row.before),
    align: 'right',
    text: ({ before }, _, places) => decimal(before.formatted, places),
  },
  {
    title: 'CHANGE',
    field: 'change',
    csv: amountCsv('change', (row) => row.change),
    align: 'right',
    text: ({ change }, _, places) => decimal(change.formatted, places),
  },
  {
    title: 'AFTER',
    field: 'after',
    csv: amountCsv('after', (row) => row.after),
    align: 'right',
    text: ({ after }, _, places) => decimal(after.formatted, places),
  },
]
