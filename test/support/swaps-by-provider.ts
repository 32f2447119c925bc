import { expect } from 'vitest'
import { type Address, nativeAddress } from '../../src/domain/address.ts'
import { sandboxNetworks } from '../../src/domain/networks.ts'
import type { OfferRequest } from '../../src/swaps/provider.ts'
import { swapExpectation } from '../../src/swaps/swap-provider-registry.ts'
import type { useCommands } from './use-commands.ts'
import type { useSandbox } from './use-sandbox.ts'

/** Input amount, minimum output and deadline of the swaps that the guard checks. */
export const [amountIn, least, deadline] = [10n ** 17n, 2n * 10n ** 8n, 1_900_000_000]

/** Executes a swap on the first chain by a provider, and compares the reported output with the balance. */
export async function swapsByProvider(
  sandbox: ReturnType<typeof useSandbox>,
  run: ReturnType<typeof useCommands>['run'],
  provider: string,
  flags: string,
) {
  const chainId = 31337
  const symbol = /--token-out (\w+)/.exec(flags)![1]!
  const paid = (/--destination (\w+)/.exec(flags)?.[1] ?? sandbox.user.address) as Address
  const held = () =>
    symbol === 'ETH'
      ? sandbox.nativeBalanceOf(chainId, paid)
      : sandbox.balanceOf(chainId, sandbox.token(chainId, symbol).address, paid)
  const before = await held()
  const line = `swap execute ${flags} --from sandbox-one --provider ${provider} --yes --json`
  const { exit, json, err } = await run(line)
  expect({ exit, status: json.status }, err).toEqual({ exit: 0, status: 'SUCCESS' })
  const got = (await held()) - before
  const said = BigInt(json.amounts.out.raw)
  if (symbol === 'ETH') expect(got).toBeLessThanOrEqual(said)
  else expect(got).toBe(said)
  expect(got).toBeGreaterThan((said * 8n) / 10n)
  expect(json.plan?.proof ?? []).not.toContainEqual(expect.objectContaining({ by: 'none', term: 'minimum' }))
  return json
}

type Tokens = Pick<OfferRequest, 'tokenIn' | 'tokenOut'>

/** Guard verdict on an aggregator call for a swap of `amountIn` for at least `least`. */
export function boundBy(
  catalog: Parameters<typeof swapExpectation>[0],
  { provider, tokenIn, tokenOut, recipient }: Tokens & { provider: string; recipient: Address },
  data: `0x${string}`,
  exact: 'in' | 'out' = 'in',
) {
  const asked = {
    wallet: recipient,
    provider,
    tokenIn,
    tokenOut,
    exact,
    amountIn,
    amountOut: least,
    recipient,
  }
  const expected = swapExpectation(catalog, { kind: 'swap', ...asked, deadline })!
  const value = tokenIn.address === nativeAddress ? amountIn : 0n
  const said = expected.check({ to: expected.targets[0]!, data, value, chainId: tokenIn.chainId })
  return { said, targets: expected.targets, code: 'violation' in said ? said.violation.code : 'passed' }
}

/** Changes each term that all aggregator calls have, and expects the refusal of the guard. */
export function refusesOtherTerms(
  code: (changed: Record<string, unknown>) => string,
  stranger: Address,
): void {
  expect(code({})).toBe('passed')
  expect(code({ minReturnAmount: least + 1n })).toBe('passed')
  for (const [changed, refused] of [
    [{ dstReceiver: stranger }, 'POLICY_RECIPIENT'],
    // The router reads the zero address as the sender, which the calldata does not name.
    [{ dstReceiver: nativeAddress }, 'POLICY_RECIPIENT'],
    [{ minReturnAmount: least - 1n }, 'POLICY_MIN_OUT'],
    [{ amount: amountIn + 1n }, 'POLICY_AMOUNT'],
    [{ amount: amountIn - 1n }, 'POLICY_AMOUNT'],
    [{ srcToken: stranger }, 'POLICY_QUOTE_DRIFT'],
    [{ dstToken: stranger }, 'POLICY_QUOTE_DRIFT'],
    [{ exact: 'out' }, 'POLICY_DECODE'],
  ] as const)
    expect(code(changed), Object.keys(changed).join()).toBe(refused)
}

/** A request for a quote of a million units on the first chain. */
export const asking = (tokens: Tokens): OfferRequest => ({
  from: sandboxNetworks[0]!,
  to: sandboxNetworks[0]!,
  ...tokens,
  exact: 'in',
  amount: 1_000_000n,
  slippage: 0.005,
  speed: null,
  refund: null,
  isSpent: false,
})
