import { formatUnits } from 'viem/utils'
import { sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import { type Network, networkNamed } from '../../domain/networks.ts'
import { advice, eachAdvice, type Next, ownHelp, sameWith } from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { symbolsOf, type Token } from '../../domain/token.ts'

/**
 * A typed condition on a balance change: `USDC>=-100`, or `base:USDC>=-100` if several networks take part. The amount is in token
 * units.
 */
export type Assertion = {
  text: string
  network: string | null
  token: string
  sign: '>=' | '<='
  amount: string
}

/** Parses `USDC>=-100,aUSDC>=99.9`; USAGE if malformed. */
export function parseAssertions(text: string): Assertion[] {
  return text.split(',').map((part) => {
    const [, network = null, token, sign, amount] =
      /^(?:([a-z0-9-]{1,64}):)?([A-Za-z0-9.]{1,64})(>=|<=)(-?[0-9]{1,60}(?:\.[0-9]+)?)$/.exec(part.trim()) ??
      []
    if (token === undefined || sign === undefined || amount === undefined)
      throw new AppError('USAGE', `"${sanitizeText(part)}" is not a condition on a balance`, {
        next: advice`Such as USDC>=-100,aUSDC>=99.9: ${ownHelp}`,
      })
    return { text: part.trim(), network, token, sign: sign as Assertion['sign'], amount }
  })
}

/** A balance change of a leg. */
type Change = { token: Token; delta: bigint }

/** The tokens that assertions may name: those of all chains of the operation. */
type Named = { networks: readonly Network[]; tokens: readonly Token[] }

/**
 * Compares a leg's simulated changes with the assertions about its chain; the first violated one is POLICY_SIMULATION. Assertions
 * about other chains are checked there.
 */
export function checkAssertions(
  assertions: readonly Assertion[],
  chainId: number,
  changes: readonly Change[],
  named: Named,
): void {
  for (const assertion of assertions) {
    const { text, sign, amount } = assertion
    const instead = (other: string) =>
      sameWith(
        { '--assert': assertions.map((one) => (one === assertion ? other : one.text)).join(',') },
        '--assert',
      )
    const token = tokenOf(assertion, named, instead)
    const bound = inUnits(amount, token, text)
    if (token.chainId !== chainId) continue
    const delta = changes.find((change) => sameAddress(change.token.address, token.address))?.delta ?? 0n
    if (sign === '>=' ? delta >= bound : delta <= bound) continue
    throw new AppError(
      'POLICY_SIMULATION',
      `The condition ${sanitizeText(text)} is not met: the simulated change is ${formatAmount(delta, { ...token, symbol: sanitizeText(token.symbol) })}`,
      {
        details: { assertion: text, change: delta.toString() },
        next: advice`To accept this change: ${instead(text.slice(0, -amount.length) + formatUnits(delta, token.decimals))}`,
      },
    )
  }
}

/** The token of an assertion. `instead` is the line that ran with another text for it. */
function tokenOf(
  { token: name, network, sign, amount }: Assertion,
  { networks, tokens }: Named,
  instead: (text: string) => Next,
): Token {
  const chain = network === null ? undefined : networkNamed(networks, network).chainId
  const here = tokens.filter(({ chainId }) => chain === undefined || chainId === chain)
  const found = here.filter(({ address, symbol }) =>
    name.startsWith('0x') ? sameAddress(address, name) : symbol.toLowerCase() === name.toLowerCase(),
  )
  if (found.length === 1) return found[0]!
  if (found.length === 0)
    throw new AppError(
      'UNKNOWN_TOKEN',
      `No token "${sanitizeText(name)}" takes part in this action. Known: ${sanitizeText(symbolsOf(here))}`,
    )
  throw new AppError(
    'AMBIGUOUS_TOKEN',
    `${found.length} tokens are called ${sanitizeText(name)}: ${found.map(({ chainId, address }) => `${networkNamed(networks, chainId).name}:${address}`).join(', ')}`,
    {
      next: eachAdvice(
        found.map(({ chainId, address }) => {
          const one = `${networkNamed(networks, chainId).name}:${address}`
          return advice`For ${one}: ${instead(`${one}${sign}${amount}`)}`
        }),
      ),
    },
  )
}

/** Parses a signed decimal into the smallest unit. */
function inUnits(amount: string, { decimals, symbol }: Token, text: string): bigint {
  const [whole = '', fraction = ''] = amount.replace('-', '').split('.')
  if (fraction.length > decimals)
    throw new AppError(
      'USAGE',
      `${sanitizeText(text)} has ${fraction.length} decimals, and ${sanitizeText(symbol)} has ${decimals}`,
    )
  const units = BigInt(whole + fraction.padEnd(decimals, '0'))
  return amount.startsWith('-') ? -units : units
}
