import { Command } from 'commander'
import { action, type Cli } from '../cli/cli.ts'
import { textOf } from '../cli/options/file-arguments.ts'
import { opinionOnPlan } from '../cli/signing-flow/own-opinion.ts'
import { termsOf } from '../cli/signing-flow/terms.ts'
import type { Stream } from '../cli/terminal/io.ts'
import type { World } from '../cli/world.ts'
import { AppError } from '../domain/errors.ts'
import { checkPlanFile, type PolicyReport } from '../planning/policy-check.ts'

/** What may stand in the file of a policy, and an example of it. */
export const policyRules: readonly (readonly [rule: string, example: string, words: string])[] = [
  ['perTransaction', '{"sandbox-one:USDC": "1000"}', 'the most of a token that one operation may move'],
  ['perDay', '{"sandbox-one:USDC": "5000"}', 'the same of all operations of a wallet in 24 hours'],
  ['maxSlippage', '"0.5%"', 'the most that a swap may bring less, in % or bps'],
  ['maxPriceImpact', '"1%"', 'the most that an exchange may bring less than at spot, in % or bps'],
  ['maxServiceFeeBps', '25', 'what the service may charge, in basis points'],
  ['maxFeePerGas', '"40"', 'of a unit of gas, in gwei'],
  ['maxTotalFee', '"0.02"', 'of the gas of one leg, in the native coin'],
  ['receivers', '["0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"]', 'who may be paid beside the wallet itself'],
  ['strategies', '["aave-v3-usdc-sandbox-one"]', 'where money may go in, and nowhere else'],
  ['contracts', '["0x1F708C24a0D3A740cD47cC0444E9480899f3dA7D"]', 'what may be called, and nothing else'],
  ['hours', '"08:00-18:00"', 'when something may be signed, in UTC, over midnight, too'],
  ['maxQuoteAge', '60', 'how old a quote may be, in seconds'],
  ['refuseStandingAllowance', 'true', 'whether more may not be taken already than is needed'],
  ['simulation', '"required"', 'whether a plan must have been tried out, or "optional"'],
  ['minAssurance', '"L3"', 'how far a plan must be checked: L0 to L4'],
  ['minEndpoints', '2', 'how many RPC endpoints must show the same in the simulation: 1 or 2'],
]

const rulesText = [
  'The policy is a JSON object. Each of its rules may be left out:',
  ...policyRules.map(([rule, example, words]) => `  ${rule.padEnd(23)}  ${words}: ${example}`),
].join('\n')

/** `policy`: what the policy says about a plan, before anybody signs it. */
export const policy = (world: World) => {
  const command = new Command('policy').description('What the policy says about a plan.')
  command
    .command('check')
    .description(
      'Every rule of the policy against a plan: met, or not. Signs nothing; exit 8 when one is not met.',
    )
    .argument('<plan>', 'a file that --dry-run --json made, or - for standard input')
    .option('--policy <file>', 'the policy; policy.json in the config directory otherwise')
    .option('--max-service-fee <share>', 'what the service may charge where the policy says nothing: 1%')
    .option('--trust-first-use', 'as if the code of a contract that is used for the first time were trusted')
    .addHelpText(
      'after',
      `\n${rulesText}\n\nExample:\n  $ sluice deposit aave-v3-usdc-sandbox-one --amount 100 --dry-run --json | sluice policy check - --policy policy.json`,
    )
    .action(action(world, check))
  return command
}

async function check(
  cli: Cli,
  file: string,
  options: { policy?: string; maxServiceFee?: string; trustFirstUse?: boolean },
): Promise<void> {
  const terms = termsOf(cli, options)
  if (!terms.policy)
    throw new AppError('USAGE', 'There is no policy to compare with', {
      hint: `Write ${cli.world.policyPath}, or name one: --policy FILE. What may stand in it: sluice policy check --help`,
    })
  const text = await textOf(file, cli.world)
  const report = await checkPlanFile(
    await cli.place.ground(),
    text,
    { ...terms, policy: terms.policy },
    (proposal) => opinionOnPlan(cli, proposal),
  )
  const broken = report.rules.find(({ met }) => !met)
  if (broken)
    throw new AppError(
      broken.code,
      `The policy does not allow this plan: ${broken.rule} is ${broken.found}, and it says ${broken.wanted}`,
      { details: { ...report }, hint: broken.hint ?? 'details.rules has every rule: add --json' },
    )
  cli.emit(report, view)
}

const view = ({ rules, planHash, policy }: PolicyReport, to: Stream): string =>
  [
    ...rules.map(
      ({ rule, found, wanted }) =>
        `${to.paint.green('✓')} ${rule.padEnd(24)} ${found} ${to.paint.dim(`(${wanted})`)}`,
    ),
    ...(rules.length === 0 ? ['No rule of the policy is about this plan.'] : []),
    to.paint.dim(`plan ${planHash}, policy ${policy}`),
  ].join('\n')
