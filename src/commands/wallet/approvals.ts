import type { Command } from 'commander'
import { action } from '../../cli/command-action.ts'
import type { Cli } from '../../cli/command-run-types.ts'
import { address } from '../../cli/options/option-values.ts'
import { amountCsv } from '../../cli/output/field-names.ts'
import type { CommandContext } from '../../cli/program-context-types.ts'
import { revokeRequest } from '../../cli/signing-flow/revoke-request.ts'
import { signAndSend } from '../../cli/signing-flow/sign-and-send.ts'
import { addressLink } from '../../cli/terminal/explorer-links.ts'
import { decimal } from '../../cli/terminal/format.ts'
import { walletAddress } from '../../cli/wallet-address.ts'
import { type Approval, walletApprovals } from '../../diagnosis/wallet-approvals.ts'
import { sameAddress } from '../../domain/address.ts'
import type { OptionsOf } from '../../domain/command-line/flags.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/networks.ts'
import { advice, sameWith, sluice } from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { assetCalled } from '../../domain/text/token-symbols.ts'
import { tokenAt, tokenNamed } from '../../domain/token.ts'
import type { AllowanceRef } from '../../planning/revoke-legs.ts'

type Options = OptionsOf<'wallet approvals revoke'>

/** `wallet approvals`: lists and revokes the allowances of a wallet. */
export function addApprovals(command: Command, program: CommandContext): void {
  const group = command.command('approvals').description('List and revoke token allowances of a wallet.')
  group
    .command('list')
    .description('List nonzero allowances, for the tokens and contracts in the catalogue and the journal.')
    .addHelpText('after', '\nExample:\n  $ sluice wallet approvals list')
    .action(action(program, list))
  group
    .command('revoke')
    .description('Revoke allowances.')
    .addHelpText(
      'after',
      '\nExample:\n  $ sluice wallet approvals revoke --network sandbox-one --token USDC --spender 0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
    )
    .action(action(program, revoke))
}

async function list(
  cli: Cli,
  name: string | undefined,
  { network }: OptionsOf<'wallet approvals list'>,
): Promise<void> {
  const wallet = await walletAddress(
    cli,
    name,
    network === undefined
      ? sluice('wallet approvals list', 'ADDR')
      : sluice('wallet approvals list', 'ADDR', { '--network': network }),
  )
  const items = await given(cli, wallet, network)
  await cli.list(
    { items, page: 1, limit: Math.max(1, items.length), total: items.length, hasMore: false },
    {
      empty: `${wallet} has no allowances to known contracts.`,
      columns: [
        {
          title: 'NETWORK',
          field: 'network',
          csv: { network: ({ network }) => network },
          text: ({ network }) => network,
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
          csv: { ...amountCsv('amount', ({ amount }) => amount), unlimited: ({ unlimited }) => unlimited },
          text: ({ amount, unlimited }, _, places) =>
            unlimited ? 'unlimited' : decimal(amount.formatted, places),
        },
        {
          title: 'SPENDER',
          field: 'spender',
          csv: { spender: ({ spender }) => spender },
          text: ({ spender }) => spender,
          link: ({ network }, spender, to) => addressLink(to, network, spender),
        },
        {
          title: 'KNOWN AS',
          field: 'name',
          csv: { name: ({ name }) => name },
          text: ({ name }) => sanitizeText(name ?? ''),
          drop: 1,
        },
      ],
    },
  )
}

async function given(
  cli: Cli,
  wallet: Approval['spender'],
  network: string | undefined,
): Promise<Approval[]> {
  const context = await cli.backend.context()
  const { networks } = context.catalog
  const chains = network === undefined ? networks : [networkNamed(networks, network)]
  return walletApprovals(
    context,
    wallet,
    chains.map(({ chainId }) => chainId),
  )
}

/** More than this many at once are several commands. */
const most = 10

async function revoke(cli: Cli, options: Options): Promise<void> {
  const { network, token, spender, all } = options
  if (!all && network === undefined && token === undefined && spender === undefined)
    throw new AppError('USAGE', 'No allowance selected', {
      next: advice`${sluice('wallet approvals list')} Then one of them: ${sameWith({ '--network': 'N', '--token': 'T', '--spender': 'ADDR' })} Or all: ${sameWith({ '--all': true })}`,
    })
  const endings = await chosen(cli, options)
  const [first, ...rest] = endings
  if (!first)
    throw new AppError('NOT_FOUND', 'No allowance matches', {
      next: sluice('wallet approvals list', (await cli.backend.signerIdentity(options)).address),
    })
  if (endings.length > most)
    throw new AppError(
      'USAGE',
      `${endings.length} allowances are too many for one command; the limit is ${most}`,
      {
        next: advice`Select fewer, by network, token or spender: ${sameWith({ '--network': 'N', '--token': 'T', '--spender': 'ADDR' })}`,
      },
    )
  await signAndSend(cli, options, await revokeRequest(cli, [first, ...rest], null))
}

/** The allowances chosen by the flags: one that is named in full, or all that exist. */
async function chosen(cli: Cli, options: Options): Promise<AllowanceRef[]> {
  const { networks, tokens, strategies } = await cli.backend.catalog()
  const spender = options.spender === undefined ? undefined : address(options.spender, '--spender')
  if (options.network !== undefined && options.token !== undefined && spender !== undefined) {
    const network = networkNamed(networks, options.network)
    // Receipt tokens also have allowances: some markets need them.
    const all = [...tokens, ...strategies.map(({ receipt }) => receipt)]
    const token = tokenAt(all, network.chainId, options.token) ?? tokenNamed(tokens, network, options.token)
    return [{ token, spender }]
  }
  const identity = await cli.backend.signerIdentity(options)
  const standing = await given(cli, identity.address, options.network)
  const called = assetCalled(options.token ?? '', tokens)
  const isNamed = (one: Approval) =>
    options.token === undefined ||
    sameAddress(one.token, options.token) ||
    called({ chainId: one.chainId, address: one.token, symbol: one.amount.symbol }) ||
    one.amount.symbol.toLowerCase() === options.token.toLowerCase()
  return standing
    .filter((one) => isNamed(one) && (spender === undefined || sameAddress(one.spender, spender)))
    .flatMap(({ chainId, token: at, spender: by }) => {
      const token = tokenAt(tokens, chainId, at)
      return token ? [{ token, spender: by }] : []
    })
}
