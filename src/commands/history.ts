import { Command } from 'commander'
import { pageOf } from '../api/page.ts'
import { action } from '../cli/command-action.ts'
import type { Cli } from '../cli/command-run-types.ts'
import { wholeNumber } from '../cli/options/option-values.ts'
import { amountCsv } from '../cli/output/field-names.ts'
import type { ListView } from '../cli/output/view-types.ts'
import type { CommandContext } from '../cli/program-context-types.ts'
import { allPages } from '../cli/read-all-pages.ts'
import { catalogStrategy, type RequestedStrategy } from '../cli/signing-flow/strategy-lookup.ts'
import { hashLink } from '../cli/terminal/explorer-links.ts'
import { decimal, stateWord, utcTime } from '../cli/terminal/format.ts'
import { walletAddress } from '../cli/wallet-address.ts'
import { type TokenAmount, tokenAmount } from '../domain/amount.ts'
import type { OptionsOf } from '../domain/command-line/flags.ts'
import { AppError } from '../domain/errors.ts'
import { sluice } from '../domain/text/next-step.ts'
import { sanitizeText } from '../domain/text/terminal-sanitizing.ts'

type Row = { txHash: string; timestamp: string; type: string; amount: TokenAmount; status: string }

/** `history`: the history of a wallet in a strategy. */
export const history = (program: CommandContext) =>
  new Command('history')
    .description('List the history of a wallet in a strategy, from the chain logs, newest first.')
    .addHelpText('after', '\nExample:\n  $ sluice history aave-v3-usdc-sandbox-one')
    .action(action(program, show, 'walletHistory'))

async function show(cli: Cli, id: string, options: OptionsOf<'history'>): Promise<void> {
  const [page, limit] = [wholeNumber(options.page, '--page'), wholeNumber(options.limit, '--limit', 100)]
  if (options.address !== undefined && options.wallet !== undefined)
    throw new AppError('USAGE', '--address and --wallet are the same and cannot be combined')
  const service = await cli.service()
  const [strategy, owner] = await Promise.all([
    strategyNamed(cli, id),
    walletAddress(cli, options.address ?? options.wallet, sluice('history', id, { '--address': 'ADDR' })),
  ])
  let isWhole: boolean | null = null
  const ask = async (page: number, limit: number) => {
    const answer = await service.walletHistory({ address: owner, strategyId: strategy.slug, page, limit })
    isWhole = answer.isWhole
    return { ...answer, limit: answer.limit ?? limit }
  }
  const row = ({
    amount,
    ...item
  }: {
    txHash: string
    timestamp: string
    type: string
    amount: bigint
    status: string
  }): Row => ({
    txHash: item.txHash,
    timestamp: item.timestamp,
    type: item.type,
    amount: tokenAmount(amount, strategy.asset),
    status: item.status,
  })
  if (options.all) {
    const all = { ...pageOf((await allPages(ask)).map(row), { all: true }), isWhole }
    await cli.list(all, view(strategy.slug, strategy.network))
  } else {
    const answer = await ask(page, limit)
    await cli.list({ ...answer, items: answer.items.map(row) }, view(strategy.slug, strategy.network))
  }
  if (isWhole === false)
    cli.notice(
      `The history does not account for the whole position in ${sanitizeText(strategy.slug)}: some logs are missing or do not name the wallet`,
    )
}

const strategyNamed = async (cli: Cli, id: string): Promise<RequestedStrategy> =>
  (await catalogStrategy(cli, id)) ?? (await cli.service()).getStrategy({ id })

const view = (slug: string, network: string): ListView<Row> => ({
  empty: `No history in ${sanitizeText(slug)} yet.`,
  columns: [
    {
      title: 'BLOCK TIME',
      field: 'timestamp',
      csv: { timestamp: ({ timestamp }) => timestamp },
      text: ({ timestamp }) => utcTime(timestamp),
    },
    {
      title: 'TYPE',
      field: 'type',
      csv: { type: ({ type }) => type },
      text: ({ type }) => sanitizeText(type),
    },
    {
      title: 'AMOUNT',
      field: 'amount',
      csv: amountCsv('amount', ({ amount }) => amount),
      align: 'right',
      text: ({ amount }, _, places) => `${decimal(amount.formatted, places)} ${sanitizeText(amount.symbol)}`,
    },
    {
      title: 'STATUS',
      field: 'status',
      csv: { status: ({ status }) => status },
      text: ({ status }, paint) => stateWord(sanitizeText(status), paint),
    },
    {
      title: 'TRANSACTION',
      field: 'txHash',
      csv: { txHash: ({ txHash }) => txHash },
      text: ({ txHash }) => sanitizeText(txHash),
      link: (_, hash, to) => hashLink(to, network, hash),
      ownLine: true,
    },
  ],
})
