import { Command } from 'commander'
import { action } from '../cli/command-action.ts'
import type { Cli } from '../cli/command-run-types.ts'
import { termLine } from '../cli/help/help-text.ts'
import { textOf } from '../cli/options/file-arguments.ts'
import type { CommandContext } from '../cli/program-context-types.ts'
import { referenceForPlan } from '../cli/signing-flow/quotes/reference-quote.ts'
import { termsOf } from '../cli/signing-flow/user-terms-from-flags.ts'
import type { Stream } from '../cli/terminal/io-types.ts'
import type { OptionsOf } from '../domain/command-line/flags.ts'
import { AppError } from '../domain/errors.ts'
import { advice, sameWith, sluice } from '../domain/text/next-step.ts'
import type { RuleResult } from '../guard/policy/policy-facts.ts'
import type { LoadedPolicy } from '../guard/policy/policy-file.ts'
import { policyRules } from '../guard/policy/rules.ts'
import type { Terms } from '../guard/user-limits-and-exemptions.ts'
import { checkWithoutPolicy, policyFacts } from '../planning/check-proposal.ts'
import type { ReferenceQuote } from '../planning/compare-with-own-engine.ts'
import type { ExecutionContext } from '../planning/execution-context-types.ts'
import type { Proposal } from '../planning/proposal.ts'
import { readPlanFile } from '../planning/read-plan-file.ts'

/** The rules of a policy file, with an example. */
export const policyRuleHelp: readonly (readonly [rule: string, example: string, words: string])[] = [
  ['perTransaction', '{"sandbox-one:USDC": "1000"}', 'maximum amount of a token per action'],
  ['perDay', '{"sandbox-one:USDC": "5000"}', 'maximum amount of a token per wallet in 24 hours'],
  ['maxSlippage', '"0.5%"', 'maximum slippage of a swap, in % or bps'],
  ['maxPriceImpact', '"1%"', 'maximum price impact against the spot price, in % or bps'],
  ['maxServiceFeeBps', '25', 'maximum service fee, in basis points'],
  ['maxFeePerGas', '"40"', 'maximum gas price, in gwei'],
  ['maxTotalFee', '"0.02"', 'maximum gas cost per network of an action, in the native coin'],
  [
    'receivers',
    '["0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"]',
    'allowed recipients besides the wallet itself',
  ],
  ['strategies', '["aave-v3-usdc-sandbox-one"]', 'strategies that may receive deposits; no others may'],
  [
    'contracts',
    '["0x1F708C24a0D3A740cD47cC0444E9480899f3dA7D"]',
    'contracts that may be called; no others may',
  ],
  ['hours', '"08:00-18:00"', 'hours in which signing is allowed, in UTC; may span midnight'],
  ['maxQuoteAge', '60', 'maximum age of a quote, in seconds'],
  ['refuseStandingAllowance', 'true', 'refuse if a contract already has more allowance than the plan needs'],
  ['simulation', '"required"', 'whether a simulation is "required" or "optional"'],
  ['minAssurance', '"L3"', 'lowest assurance level to accept: L0 to L4'],
  ['minEndpoints', '2', 'number of RPC endpoints that must agree in the simulation: 1 or 2'],
]

const rulesText = [
  'The policy is a JSON object. Every rule is optional:',
  ...policyRuleHelp.map(([rule, example, words]) => termLine(rule, `${words}: ${example}`, 23)),
].join('\n')

/** `policy`: checks a plan against the policy before it is signed. */
export const policy = (program: CommandContext) => {
  const command = new Command('policy').description('Check plans against the policy.')
  command
    .command('check')
    .description(
      'Check a plan against every rule of the policy. Signs nothing; exits with 8 if a rule is not met.',
    )
    .addHelpText(
      'after',
      `\n${rulesText}\n\nExample:\n  $ sluice deposit aave-v3-usdc-sandbox-one --amount 100 --dry-run --json | sluice policy check - --policy policy.json`,
    )
    .action(action(program, check))
  return command
}

async function check(cli: Cli, file: string, options: OptionsOf<'policy check'>): Promise<void> {
  const terms = termsOf(cli, options)
  if (!terms.policy)
    throw new AppError('USAGE', 'There is no policy to check against', {
      next: advice`Write ${cli.program.policyPath}, or name another file: ${sameWith({ '--policy': 'FILE' })} For its rules: ${sluice('policy check', { '--help': true })}`,
    })
  const text = await textOf(file, cli.program)
  const report = await checkPlanFile(
    await cli.backend.context(),
    text,
    { ...terms, policy: terms.policy },
    (proposal) => referenceForPlan(cli, proposal),
  )
  const broken = report.rules.find(({ met }) => !met)
  if (broken)
    throw new AppError(
      broken.code,
      `The policy rejects this plan: ${broken.rule} is ${broken.found}, but must be ${broken.wanted}`,
      {
        details: reportJson(report, cli),
        next:
          broken.next ??
          (cli.globals.json
            ? 'Every rule is listed in details.rules.'
            : advice`To see every rule: ${sameWith({ '--json': true })}`),
      },
    )
  cli.emit(reportJson(report, cli), view)
}

/** The report as it is printed: the next step of a rule is a text. */
const reportJson = ({ rules, ...report }: PolicyReport, { line }: Pick<Cli, 'line'>) => ({
  ...report,
  rules: rules.map(({ next, ...rule }) => (next === undefined ? rule : { ...rule, hint: line(next) })),
})

const view = ({ rules, planHash, policy }: ReturnType<typeof reportJson>, to: Stream): string =>
  [
    ...rules.map(
      ({ rule, found, wanted }) =>
        `${to.paint.green('✓')} ${rule.padEnd(24)} ${found} ${to.paint.dim(`(${wanted})`)}`,
    ),
    ...(rules.length === 0 ? ['No rule of the policy applies to this plan.'] : []),
    to.paint.dim(`plan ${planHash}, policy ${policy}`),
  ].join('\n')

/** Every policy rule that applies to a plan. `policy` is the hash of its file. */
type PolicyReport = { planHash: string; policy: string; assurance: string; rules: RuleResult[] }

/**
 * Compares a plan file with a policy as if it were signed now: guarded, simulated, with current gas and the amounts of the last
 * day. Guard refusals are thrown.
 */
async function checkPlanFile(
  context: ExecutionContext,
  text: string,
  terms: Terms & { policy: LoadedPolicy },
  opinionOn: (proposal: Proposal) => Promise<ReferenceQuote | undefined> = async () => undefined,
): Promise<PolicyReport> {
  const { proposal, hash } = readPlanFile(context, text)
  // A policy may forbid the current gas price; that is reported as one of its rules.
  const checked = await checkWithoutPolicy(
    context,
    proposal,
    { ...terms, policy: null },
    await opinionOn(proposal),
  )
  const { sha256, policy } = terms.policy
  const rules = policyRules(policy, context.catalog, policyFacts(context, checked))
  return { planHash: hash, policy: sha256, assurance: checked.assurance, rules }
}
