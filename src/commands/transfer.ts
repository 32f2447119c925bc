import { Command } from 'commander'
import { action } from '../cli/command-action.ts'
import type { Cli } from '../cli/command-run-types.ts'
import { amountOf, refuseTwoAmounts } from '../cli/options/option-values.ts'
import type { CommandContext } from '../cli/program-context-types.ts'
import { recipientOf } from '../cli/recipient.ts'
import { amountOfBalance } from '../cli/signing-flow/amount-of-balance.ts'
import { signAndSend } from '../cli/signing-flow/sign-and-send.ts'
import { tokenForService } from '../cli/token-by-name.ts'
import type { Address } from '../domain/address.ts'
import { formatAmount, tokenAmount } from '../domain/amount.ts'
import type { OptionsOf } from '../domain/command-line/flags.ts'
import { AppError } from '../domain/errors.ts'
import { networkNamed } from '../domain/networks.ts'
import { contractName } from '../guard/contract-names.ts'
import { insufficientFunds } from '../guard/simulation/wallet-state-before-simulation.ts'

type Options = OptionsOf<'transfer'>

/** `transfer`: send a token or the native coin to an address. */
export const transfer = (program: CommandContext) =>
  new Command('transfer')
    .description('Send a token or the native coin to an address on the same network.')
    .addHelpText(
      'after',
      '\nExample:\n  $ sluice transfer --network sandbox-one --token USDC --to 0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC --amount 5',
    )
    .action(action(program, run))

async function run(cli: Cli, options: Options): Promise<void> {
  const { networks } = await cli.backend.catalog()
  const network = networkNamed(networks, options.network)
  const token = await tokenForService(cli, network, options.token)
  const to = await recipientOf(cli, options.to, '--to', network)
  refuseTwoAmounts(options)
  const shared = await amountOfBalance(
    cli,
    options.amount,
    {
      token: () => token,
      use: 'transfer',
      wallet: async () => (await cli.backend.signerIdentity(options)).address,
    },
    options,
  )
  const amount = shared?.amount ?? amountOf(options, token)
  await signAndSend(cli, options, {
    title: `Send ${formatAmount(amount, token)} to ${to} on ${network.name}`,
    request: {
      command: 'transfer',
      chainId: network.chainId,
      token: token.address,
      to,
      amount: shared?.asked ?? amount.toString(),
    },
    chainId: network.chainId,
    propose: async (wallet) => {
      const service = await cli.service()
      const ask = { originAddress: wallet, destinationAddress: to, token: token.address, amount }
      const making = service
        .transferBytecode({ ...ask, chainId: network.chainId })
        .catch((error: unknown) => {
          throw balanceOf(error) === undefined
            ? error
            : insufficientFunds({
                ...{ wallet, unit: token, network: network.name },
                ...{ held: balanceOf(error)!, needed: amount, verb: 'needs' },
              })
        })
      const [made] = await Promise.all([making, noteContract(cli, network.chainId, to)])
      const sum = tokenAmount(amount, token)
      return {
        id: made.id,
        kind: 'transfer',
        legs: [
          {
            chainId: network.chainId,
            intent: { kind: 'transfer', wallet, token, recipient: to, amount },
            transactions: made.bytecode,
          },
        ],
        quoteId: null,
        expiresAt: null,
        about: {
          type: 'TRANSFER_OUT',
          strategyId: null,
          strategySlug: null,
          receiver: to,
          amounts: { in: sum, out: sum },
        },
      }
    },
  })
}

/** Says that a recipient is a contract that the program does not know: not every contract can send on what it gets. */
async function noteContract(cli: Cli, chainId: number, to: Address): Promise<void> {
  const code = await cli.backend.read(chainId, 'eth_getCode', [to, 'latest'])
  // An account with a delegate (EIP-7702) has code, and a key as well.
  if (typeof code !== 'string' || code === '0x' || code.toLowerCase().startsWith('0xef0100')) return
  if (contractName(await cli.backend.catalog(), chainId, to) !== null) return
  cli.notice(
    `warning: ${to} is a contract that is not in the catalogue. If it is not a wallet, what it gets may be lost.`,
  )
}

/** The balance that a refusal of the service states, in the smallest unit; `undefined` for other errors. */
function balanceOf(error: unknown): bigint | undefined {
  const { code, details } = error instanceof AppError ? error : {}
  const balance = code === 'TRANSFER_VALIDATION_FAILED' ? details?.balance : undefined
  return typeof balance === 'string' && /^\d{1,78}$/.test(balance) ? BigInt(balance) : undefined
}
