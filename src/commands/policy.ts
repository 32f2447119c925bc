import { Command } from 'commander'

import { action, type Cli } from '../cli/cli.ts'
import { termsOf } from '../cli/operate/terms.ts'
import type { Stream } from '../cli/terminal/io.ts'
import { textOf } from '../cli/typed-file.ts'
import type { World } from '../cli/world.ts'
import { AppError } from '../domain/errors.ts'
import { checkPlanFile, type PolicyReport } from '../wallet/plan/policy-check.ts'

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
    .addHelpText(
      'after',
      '\nExample:\n  $ sluice deposit aave-v3-usdc-sandbox-one --amount 100 --dry-run --json | sluice policy check -',
    )
    .action(action(world, check))
  return command
}

async function check(
  cli: Cli,
  file: string,
  options: { policy?: string; maxServiceFee?: string },
): Promise<void> {
  const terms = termsOf(cli, options)
  if (!terms.policy)
    throw new AppError('USAGE', 'There is no policy to compare with', {
      hint: `Write ${cli.world.policyPath}, or name one: --policy FILE`,
    })
  const text = await textOf(file, cli.world)
  const report = await checkPlanFile(await cli.place.ground(), text, { ...terms, policy: terms.policy })
  const broken = report.rules.find(({ met }) => !met)
  if (broken)
    throw new AppError(
      broken.code,
      `The policy does not allow this plan: ${broken.rule} is ${broken.found}, and it says ${broken.wanted}`,
      { details: { ...report }, hint: 'details.rules has every rule: add --json' },
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
