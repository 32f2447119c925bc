import { Argument, type Command, Option } from 'commander'
import { isLeaf, operandTable } from '../../domain/command-line/commands.ts'
import { type CommandFlag, type FlagName, flagsOf } from '../../domain/command-line/flags.ts'
import { parsePriceImpact } from '../../domain/price-impact-share.ts'
import { parseAssertions } from '../../guard/policy/user-assertions.ts'
import { recipientForm } from '../recipient.ts'
import { wordsTo } from './command-tree-queries.ts'
import { duration } from './global-options.ts'
import {
  address,
  eachValidatedBy,
  idempotencyKey,
  maxFee,
  minAssuranceOf,
  nonceOf,
  parseDepth,
  refundAddress,
  serviceFee,
  slippage,
  statusOf,
  validatedBy,
} from './option-values.ts'

/** How the values of flags are checked when the line is read; other values are checked where they are used. */
const checks: Partial<Record<FlagName, (text: string) => unknown>> = {
  '--allow-contract': (text) => address(text, '--allow-contract'),
  '--allow-token': (text) => address(text, '--allow-token'),
  '--assert': parseAssertions,
  '--confirmations': parseDepth,
  '--destination': (text) => recipientForm(text, '--destination'),
  '--idempotency-key': idempotencyKey,
  '--interval': duration,
  '--max-fee': maxFee,
  '--max-price-impact': parsePriceImpact,
  '--max-service-fee': serviceFee,
  '--min-assurance': minAssuranceOf,
  '--nonce': (text) => nonceOf(text),
  '--refund': (text) => refundAddress(text),
  '--slippage': slippage,
  '--status': statusOf,
}

/** Gives a command its operands and flags, off the table. An operand with choices is declared by the command itself. */
export function addFromTable(command: Command): void {
  const words = wordsTo(command).join(' ')
  for (const [at, [usage, help]] of (isLeaf(words) ? operandTable[words] : []).entries()) {
    const own = command.registeredArguments[at]
    if (own) own.description = help
    else command.addArgument(new Argument(usage, help))
  }
  for (const flag of flagsOf(words)) if (flag.name !== '--version') command.addOption(optionOf(flag))
}

function optionOf(flag: CommandFlag): Option {
  const { usage, help, name, heading, isRequired, repeats, choices, isHidden } = flag
  const option = new Option(usage, help).makeOptionMandatory(isRequired === true).hideHelp(isHidden)
  if (heading !== undefined) option.helpGroup(`${heading}:`)
  if (flag.default !== undefined) option.default(flag.default)
  if (choices) {
    const { parseArg } = option.choices(choices)
    option.argParser((text: string, before: unknown) => parseArg!(text.toLowerCase(), before))
  }
  const check = checks[name]
  if (check && repeats) option.argParser(eachValidatedBy(check))
  else if (check) option.argParser(validatedBy(check))
  return option
}
