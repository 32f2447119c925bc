import { Command } from 'commander'
import { action } from '../cli/command-action.ts'
import type { Cli } from '../cli/command-run-types.ts'
import type { ListView } from '../cli/output/view-types.ts'
import type { CommandContext } from '../cli/program-context-types.ts'
import { hasRpc } from '../cli/rpc-of-network.ts'
import { type Network, publicNetworks, rpcVariable } from '../domain/networks.ts'

/** One network: whether this profile reads it, and the variable with its RPC URLs. */
type Row = {
  network: string
  chainId: number
  coin: string
  depth: number
  testnet: boolean
  explorer: string | null
  rpc: boolean
  variable: string
}

/** `networks`: the networks of the program. */
export const networks = (program: CommandContext) => {
  const command = new Command('networks').description('List the networks.')
  command
    .command('list')
    .description('List the networks: those that this profile reads first, then those that need an RPC.')
    .addHelpText('after', '\nExample:\n  $ sluice networks list')
    .action(action(program, list))
  return command
}

async function list(cli: Cli): Promise<void> {
  const { networks: known } = await cli.backend.catalog()
  // The sandbox has both of its chains.
  const rpc = cli.backend.kind === 'sandbox' ? () => undefined : (await cli.backend.context()).rpc
  const every = [...known, ...publicNetworks.filter((one) => !known.some(isSame(one)))]
  const items = every
    .map((network): Row => {
      const { name, chainId, native, depth, testnet, explorer } = network
      const isRead = known.some(isSame(network)) && hasRpc(rpc, chainId)
      const variable = rpcVariable(network)
      return {
        ...{ network: name, chainId, coin: native.symbol, depth, testnet, explorer },
        rpc: isRead,
        variable,
      }
    })
    .toSorted((one, other) => Number(other.rpc) - Number(one.rpc))
  await cli.list(
    { items, page: 1, limit: items.length, total: items.length, hasMore: false },
    { columns, empty: 'No networks.' },
  )
}

const isSame =
  ({ chainId }: Pick<Network, 'chainId'>) =>
  (one: Pick<Network, 'chainId'>): boolean =>
    one.chainId === chainId

const columns: ListView<Row>['columns'] = [
  {
    title: 'NETWORK',
    field: 'network',
    csv: { network: ({ network }) => network },
    text: ({ network }) => network,
  },
  {
    title: 'CHAIN ID',
    field: 'chainId',
    align: 'right',
    csv: { chainId: ({ chainId }) => chainId },
    text: ({ chainId }) => String(chainId),
  },
  { title: 'COIN', field: 'coin', csv: { coin: ({ coin }) => coin }, text: ({ coin }) => coin },
  {
    title: 'RPC',
    field: 'rpc',
    csv: { rpc: ({ rpc }) => rpc },
    text: ({ rpc, variable }) => (rpc ? 'yes' : `no: set ${variable}`),
  },
  {
    title: 'FINAL AFTER',
    field: 'depth',
    align: 'right',
    csv: { depth: ({ depth }) => depth },
    text: ({ depth }) => blocks(depth),
    drop: 2,
  },
  {
    title: 'TESTNET',
    field: 'testnet',
    csv: { testnet: ({ testnet }) => testnet },
    text: ({ testnet }) => (testnet ? 'testnet' : ''),
    drop: 1,
  },
]

const blocks = (depth: number): string => `${depth} ${depth === 1 ? 'block' : 'blocks'}`
