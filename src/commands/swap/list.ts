import type { Cli } from '../../cli/command-context.ts'
import { wholeNumber } from '../../cli/options/option-values.ts'
import { quoteJson } from '../../cli/views/json.ts'
import { quoteColumns } from '../../cli/views/list-columns.ts'
import { bitcoinNetwork } from '../../domain/bitcoin.ts'
import { networkNamed } from '../../domain/networks.ts'

/** `swap list` */
export async function list(
  cli: Cli,
  options: { from?: string; to?: string; provider?: string; page: string; limit: string },
): Promise<void> {
  const [page, limit] = [wholeNumber(options.page, '--page'), wholeNumber(options.limit, '--limit', 100)]
  const { networks: known, bitcoin } = await cli.backend.catalog()
  const networks = bitcoin ? [...known, bitcoinNetwork] : known
  const answer = await (await cli.service()).listQuotes({
    page,
    limit,
    ...(options.from !== undefined && { originChain: networkNamed(networks, options.from).name }),
    ...(options.to !== undefined && { destinationChain: networkNamed(networks, options.to).name }),
    ...(options.provider !== undefined && { provider: options.provider }),
  })
  await cli.list(
    { ...answer, items: answer.items.map(quoteJson) },
    { columns: quoteColumns, empty: 'No quotes. Get one: sluice swap quote --help' },
  )
}
