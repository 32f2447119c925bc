import { nativeAddress, sameAddress } from '../../domain/address.ts'
import { maxUint256, writtenAmount } from '../../domain/amount.ts'
import { publicNetworks, sandboxNetworks } from '../../domain/networks.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { planJson } from '../../planning/plan-json.ts'
import { addressLink } from '../terminal/explorer-links.ts'
import { decimal, formatUnits } from '../terminal/format.ts'
import type { Stream } from '../terminal/io-types.ts'
import { type FieldRow, presentRows } from '../terminal/table.ts'
import { wrapLabelled } from '../terminal/text-wrap.ts'

/** The plan, as `--dry-run --json` prints it. */
export type Plan = ReturnType<typeof planJson>

/** The symbol of the native coin of a network, by name or chain id; `native coin` on one that this version does not know. */
export const nativeSymbolOf = (named: string | number): string =>
  [...publicNetworks, ...sandboxNetworks].find(({ name, chainId }) => name === named || chainId === named)
    ?.native.symbol ?? 'native coin'

/** One transaction of a plan: its purpose, contract, function and arguments by name. */
export function callView(plan: Plan, at: number, to: Stream): string {
  const { leg, network, to: target, contract, call, text, value, data, needs, simulated } = plan.steps[at]!
  const coin = leg === 0 && plan.fees ? plan.fees.maxCost.symbol : nativeSymbolOf(network)
  // A plain transfer of the native coin calls nothing.
  const isCall = data !== '0x'
  const named = isCall ? Object.entries(call.args) : []
  const rows = presentRows([
    [
      isCall ? 'contract' : 'to',
      `${addressLink(to, network, target)}${contract === null ? '' : ` ${sanitizeText(contract)}`}`,
    ],
    isCall && ['call', sanitizeText(call.name)],
    ...named.map(
      ([name, argument]): FieldRow => [
        `  ${sanitizeText(name)}`,
        argumentText(plan, call.name, argument, network, to),
      ],
    ),
    value !== '0' && ['carries', `${decimal(formatUnits(value, 18))} ${sanitizeText(coin)}`],
    needs && [
      'takes',
      `at most ${writtenAmount(needs.amount)} ${sanitizeText(needs.amount.symbol)}, from the allowance`,
    ],
    simulated === 'later' && ['simulated', 'just before it is sent'],
  ])
  const column = Math.max(...rows.map(([label]) => label.length)) + 2
  return [
    wrapLabelled([`${at + 1}. `, to.paint.bold(sanitizeText(text))], { column: 3 }, to),
    ...rows.map((row) => wrapLabelled(row, { indent: 3, column }, to)),
  ].join('\n')
}

/** The longest word shown to people. */
const longest = 132

/** An argument with the name of its address, if known. A terminal shows only the length of a very long one. */
function argumentText(plan: Plan, call: string, argument: string, network: string, to: Stream): string {
  if (/approv|allowance|permit/i.test(call) && writtenAmount({ raw: argument, formatted: '' }) !== '')
    return 'unlimited'
  // The contracts take it for everything that there is.
  if (argument === String(maxUint256)) return '2^256 - 1 (everything)'
  const shortened = (word: string) =>
    to.isTerminal && word.length > longest ? `${word.slice(0, longest)}...[${word.length} characters]` : word
  if (!/^0x[0-9a-fA-F]{40}$/.test(argument)) return sanitizeText(argument).split(' ').map(shortened).join(' ')
  const name = addressName(plan, argument)
  return `${addressLink(to, network, argument)}${name === undefined ? '' : ` ${sanitizeText(name)}`}`
}

/** The name of an address in the plan, if known. */
export function addressName(
  { wallet, steps, contracts, simulation }: Plan,
  address: string,
): string | undefined {
  if (sameAddress(address, wallet)) return '(this wallet)'
  // The zero address, unless it means the native coin.
  if (sameAddress(address, nativeAddress)) return undefined
  const known = [
    ...steps.map(({ to, contract }) => [to, contract] as const),
    ...contracts.map((contract) => [contract.address, contract.name] as const),
    ...(simulation?.changes ?? []).map(({ token, symbol }) => [token, symbol] as const),
  ]
  return known.find(([one, name]) => name !== null && sameAddress(one, address))?.[1] ?? undefined
}
