import { Command } from 'commander'
import type { Service } from '../api/service-type.ts'
import type { StrategyBytecodeInput } from '../api/unsigned-transactions.ts'
import { action } from '../cli/command-action.ts'
import type { Cli } from '../cli/command-run-types.ts'
import { amountOf, refuseTwoAmounts, slippage } from '../cli/options/option-values.ts'
import type { CommandContext } from '../cli/program-context-types.ts'
import { claimProposal, withdrawProposal } from '../cli/signing-flow/deposit-withdraw-claim-legs.ts'
import { referenceForStrategy } from '../cli/signing-flow/quotes/reference-quote.ts'
import { signAndSend } from '../cli/signing-flow/sign-and-send.ts'
import { type RequestedStrategy, requestedStrategy } from '../cli/signing-flow/strategy-lookup.ts'
import type { Address } from '../domain/address.ts'
import { formatAmount, maxUint256, shareOfBalance } from '../domain/amount.ts'
import type { OptionsOf } from '../domain/command-line/flags.ts'
import { AppError } from '../domain/errors.ts'
import { advice, type Flags, sameWithout, sluice } from '../domain/text/next-step.ts'
import { sanitizeText } from '../domain/text/terminal-sanitizing.ts'
import { hasWithdrawalQueue } from '../guard/withdrawal-queue-reads.ts'
import { amountOfPosition } from './amount-of-position.ts'

type Options = OptionsOf<'withdraw'>

/** `withdraw`: take an asset out of a strategy. */
export const withdraw = (program: CommandContext) =>
  new Command('withdraw')
    .description(
      'Withdraw an asset from a strategy: an amount, a share such as 50%, or max for the whole position.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ sluice withdraw aave-v3-usdc-sandbox-one --amount max\n  $ sluice withdraw sandbox-lido-eth-sandbox-one --claim',
    )
    .action(action(program, run))

async function run(cli: Cli, id: string, options: Options): Promise<void> {
  const service = await cli.service()
  const strategy = await requestedStrategy(cli, id, options.idempotencyKey)
  if (options.claim) return claim(cli, strategy, options)
  const isAll = shareOfBalance(options.amount) === 10_000n
  refuseTwoAmounts(options)
  const shared = await amountOfPosition(
    cli,
    options.amount,
    { strategy, wallet: async () => (await cli.backend.signerIdentity(options)).address },
    options,
  )
  const amount = isAll ? maxUint256 : (shared?.amount ?? (await typedAmount(cli, options, strategy)))
  const slips = options.slippage === undefined ? null : slippage(options.slippage)
  const ask = (wallet: Address) => ({
    id: strategy.slug,
    action: 'withdraw' as const,
    amount,
    wallet,
    ...(slips !== null && { slippage: slips }),
  })
  await signAndSend(cli, options, {
    title: `Withdraw ${isAll ? 'everything' : formatAmount(amount, { ...strategy.asset, symbol: sanitizeText(strategy.asset.symbol) })} from ${sanitizeText(strategy.slug)}`,
    request: {
      command: 'withdraw',
      strategy: strategy.slug,
      amount: isAll ? 'max' : (shared?.asked ?? amount.toString()),
      ...(slips !== null && { slippage: slips }),
    },
    chainId: strategy.chainId,
    propose: async (wallet) =>
      withdrawProposal(cli, strategy, amount, wallet, await service.strategyBytecode(ask(wallet)), {
        restarts: options.restartCooldown,
        slippage: slips,
      }),
    reference: async (wallet) => referenceForStrategy(cli, ask(wallet)),
  })
}

/** Parses the amount. Without one, the hint names `max` and --claim. */
async function typedAmount({ backend }: Cli, options: Options, strategy: RequestedStrategy): Promise<bigint> {
  const { strategies } = await backend.catalog()
  const entry = strategies.find(({ slug }) => slug === strategy.slug)
  const withdraw = (flags: Flags) => sluice('withdraw', strategy.slug, flags)
  const claim =
    entry && hasWithdrawalQueue(entry)
      ? advice`; to claim queued withdrawals that are ready: ${withdraw({ '--claim': true })}`
      : ''
  const ways = advice`For the whole position: ${withdraw({ '--amount': 'max' })}; for a share of it: ${withdraw({ '--amount': '50%' })}${claim}`
  if (/^(all|everything)$/i.test(options.amount ?? ''))
    throw new AppError('USAGE', `"${options.amount}" is not an amount; use max for the whole position`, {
      next: ways,
    })
  const isNone = options.amount === undefined && options.amountRaw === undefined
  return amountOf(options, strategy.asset, ...(isNone ? [ways] : []))
}

/** The second step of withdrawals that were queued: all that can be claimed. */
async function claim(cli: Cli, strategy: RequestedStrategy, options: Options): Promise<void> {
  if (options.amount !== undefined || options.amountRaw !== undefined)
    throw new AppError('USAGE', '--claim claims everything that is ready and takes no amount', {
      next: advice`To claim: ${sameWithout('--amount', '--amount-raw')}. To withdraw: ${sameWithout('--claim')}`,
    })
  const idle = options.restartCooldown ? '--restart-cooldown' : options.slippage && '--slippage'
  if (idle)
    throw new AppError('USAGE', `${idle} applies to a withdrawal and cannot be combined with --claim`, {
      next: advice`To claim: ${sameWithout(idle)}. To withdraw: ${sameWithout('--claim')}`,
    })
  const ask = (wallet: Address) => ({
    id: strategy.slug,
    action: 'claim' as const,
    amount: maxUint256,
    wallet,
  })
  await signAndSend(cli, options, {
    title: `Claim queued withdrawals from ${sanitizeText(strategy.slug)}`,
    request: { command: 'withdraw', strategy: strategy.slug, claim: true },
    chainId: strategy.chainId,
    propose: async (wallet) => claimProposal(cli, strategy, wallet, await claimAsked(cli, ask(wallet))),
    reference: async (wallet) => referenceForStrategy(cli, ask(wallet)),
  })
}

const words = /^(VALIDATION_ERROR|BAD_REQUEST|NOT_FOUND|METHOD_NOT_ALLOWED)$/

/**
 * Asks for the transactions of a claim, which the specification lacks: if a deployment refuses the
 * action for a queued strategy, the local engine makes them over the RPCs.
 */
async function claimAsked(
  { backend, notice, service }: Cli,
  ask: StrategyBytecodeInput,
): Promise<Awaited<ReturnType<Service['strategyBytecode']>>> {
  try {
    return await (await service()).strategyBytecode(ask)
  } catch (error) {
    if (!(error instanceof AppError) || !words.test(error.code)) throw error
    const { strategies } = await backend.catalog()
    const entry = strategies.find((one) => one.slug === ask.id)
    if (entry && !hasWithdrawalQueue(entry) && error.code === 'VALIDATION_ERROR')
      throw error.with({
        next: advice`It has no queue to claim from. To withdraw: ${sluice('withdraw', entry.slug, { '--amount': 'max' })}`,
      })
    if (!entry || !hasWithdrawalQueue(entry) || backend.kind !== 'remote' || !backend.reference) throw error
    notice('This deployment does not support claims; the local engine builds the claim over your RPCs')
    return (await backend.reference()).strategyBytecode({ ...ask, id: entry.slug })
  }
}
