import { Command } from 'commander'
import type { StrategyBytecode, StrategyBytecodeInput } from '../api/unsigned-transactions.ts'
import { action } from '../cli/command-action.ts'
import type { Cli } from '../cli/command-run-types.ts'
import { amountOf, refuseTwoAmounts, slippage } from '../cli/options/option-values.ts'
import type { CommandContext } from '../cli/program-context-types.ts'
import { amountOfBalance, depositedToken } from '../cli/signing-flow/amount-of-balance.ts'
import { depositProposal } from '../cli/signing-flow/deposit-withdraw-claim-legs.ts'
import { referenceForStrategy } from '../cli/signing-flow/quotes/reference-quote.ts'
import { signAndSend } from '../cli/signing-flow/sign-and-send.ts'
import { requestedStrategy } from '../cli/signing-flow/strategy-lookup.ts'
import type { Address } from '../domain/address.ts'
import { formatAmount } from '../domain/amount.ts'
import type { OptionsOf } from '../domain/command-line/flags.ts'
import { AppError } from '../domain/errors.ts'
import { networkNamed } from '../domain/networks.ts'
import { advice, sluice } from '../domain/text/next-step.ts'
import { sanitizeText } from '../domain/text/terminal-sanitizing.ts'

type Options = OptionsOf<'deposit'>

/** `deposit`: put an asset into a strategy. */
export const deposit = (program: CommandContext) =>
  new Command('deposit')
    .description(
      'Deposit an asset into a strategy. The transactions are checked, shown, signed in order and followed until final.',
    )
    .addHelpText('after', '\nExample:\n  $ sluice deposit aave-v3-usdc-sandbox-one --amount 100')
    .action(action(program, run))

async function run(cli: Cli, id: string, options: Options): Promise<void> {
  const slips = options.slippage === undefined ? null : slippage(options.slippage)
  const { networks } = await cli.backend.catalog()
  const origin = options.from === undefined ? undefined : networkNamed(networks, options.from)
  const strategy = await requestedStrategy(cli, id, options.idempotencyKey)
  const from = origin?.name
  refuseTwoAmounts(options)
  const shared = await amountOfBalance(
    cli,
    options.amount,
    {
      token: () => depositedToken(cli, strategy, origin),
      use: 'deposit',
      wallet: async () => (await cli.backend.signerIdentity(options)).address,
    },
    options,
  )
  const amount = shared?.amount ?? amountOf(options, strategy.asset)
  const across = from !== undefined && from !== strategy.network ? ` from ${from}` : ''
  const ask = (wallet: Address) => ({
    id: strategy.slug,
    action: 'lend' as const,
    amount,
    wallet,
    ...(from !== undefined && { from }),
    ...(slips !== null && { slippage: slips }),
  })
  await signAndSend(cli, options, {
    title: `Deposit ${formatAmount(amount, { ...strategy.asset, symbol: sanitizeText(strategy.asset.symbol) })}${across} into ${sanitizeText(strategy.slug)}`,
    request: {
      command: 'deposit',
      strategy: strategy.slug,
      amount: shared?.asked ?? amount.toString(),
      from: from ?? strategy.network,
      ...(slips !== null && { slippage: slips }),
    },
    chainId: origin?.chainId ?? strategy.chainId,
    propose: async (wallet) =>
      depositProposal(cli, strategy, amount, wallet, await depositAsked(cli, ask(wallet)), {
        from: origin?.chainId,
        slippage: slips,
      }),
    reference: async (wallet) => referenceForStrategy(cli, ask(wallet)),
  })
}

/**
 * Asks for the transactions of a deposit. If the strategy takes no deposits now but is not paused, the
 * hint shows what it accepts.
 */
async function depositAsked({ service }: Cli, ask: StrategyBytecodeInput): Promise<StrategyBytecode> {
  try {
    return await (await service()).strategyBytecode(ask)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'STRATEGY_PAUSED') throw error
    const { paused, actions } = await (await service()).getStrategy({ id: ask.id }).catch(() => {
      throw error
    })
    if (paused !== false || actions?.includes('lend')) throw error
    throw error.with({
      next: advice`To see what it accepts now: ${sluice('strategies show', ask.id)}`,
    })
  }
}
